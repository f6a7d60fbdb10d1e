package io.atoll.actuate;

import io.atoll.World;
import io.atoll.world.Peers.Standing;
import org.springframework.boot.availability.ApplicationAvailability;
import org.springframework.boot.availability.AvailabilityState;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.boot.health.application.ReadinessStateHealthIndicator;

/**
 * The readiness of an application whose structures can be used only when every rank has joined: it refuses traffic until then.
 *
 * <p>Only until then. Were a rank that is lost to make all others unready, one restart would take the whole application out of service, and
 * not only what needs that rank. Health says that it is lost.
 */
public class WorldReadinessStateHealthIndicator extends ReadinessStateHealthIndicator {

    private final World world;

    public WorldReadinessStateHealthIndicator(ApplicationAvailability availability, World world) {
        super(availability);
        this.world = world;
    }

    @Override
    protected AvailabilityState getState(ApplicationAvailability availability) {
        boolean waiting = world.peers().snapshot().stream().anyMatch(peer -> peer.standing() == Standing.MISSING);
        return waiting ? ReadinessState.REFUSING_TRAFFIC : super.getState(availability);
    }
}
