package io.atoll.spring.actuate;

import io.atoll.spring.state.AtollState;
import io.atoll.spring.state.WorldStates;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/**
 * Shows the world, its segments, structures and fabric, as this rank sees them. Where Spring MVC serves the endpoint,
 * it is guarded like the console. Elsewhere, as with WebFlux, it answers every caller to which the application shows
 * its endpoints.
 */
@Endpoint(id = "atoll")
public class AtollEndpoint {

    private final WorldStates worldStates;

    public AtollEndpoint(WorldStates worldStates) {
        this.worldStates = worldStates;
    }

    @ReadOperation
    public AtollState atoll() {
        return worldStates.all();
    }
}
