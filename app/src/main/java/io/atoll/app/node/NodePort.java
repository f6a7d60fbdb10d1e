package io.atoll.app.node;

import io.atoll.World;
import org.springframework.boot.web.server.ConfigurableWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/** Unless {@code server.port} says otherwise, rank 0 listens on 8080 and each other rank on the next: so nodes of one machine are in nobody's way. */
@Component
final class NodePort implements WebServerFactoryCustomizer<ConfigurableWebServerFactory>, Ordered {

    /** Lets the system choose. */
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

    /** After Spring Boot's own, which sets its default. */
    @Override
    public int getOrder() {
        return LOWEST_PRECEDENCE;
    }
}
