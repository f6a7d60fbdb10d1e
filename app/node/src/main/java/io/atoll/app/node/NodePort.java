package io.atoll.app.node;

import io.atoll.World;
import org.springframework.boot.web.server.ConfigurableWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/**
 * Sets the port if {@code server.port} is not set: 8080 for rank 0, and one more for each further rank. So the ports of
 * nodes on one machine do not collide.
 */
@Component
final class NodePort implements WebServerFactoryCustomizer<ConfigurableWebServerFactory>, Ordered {

    /** Lets the system choose a port. */
    static final int ANY = 0;

    private static final int FIRST = 8080;

    private final World world;
    private final boolean told;

    NodePort(World world, Environment environment) {
        this.world = world;
        this.told = environment.containsProperty("server.port");
    }

    @Override
    public void customize(ConfigurableWebServerFactory server) {
        if (!told) {
            server.setPort(FIRST + world.rank());
        }
    }

    /** Runs after Spring Boot's own customizer, which sets its default. */
    @Override
    public int getOrder() {
        return LOWEST_PRECEDENCE;
    }
}
