package io.atoll.app.node;

import io.atoll.World;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * Prints where the page is, once it is there. At the node that was started by hand, also prints what else can be done.
 */
@Component
final class StartupHint {

    private final World world;
    private final ServletWebServerApplicationContext server;
    private final String host;

    /** @param host the address on which the node listens, as the configuration says */
    StartupHint(World world, ServletWebServerApplicationContext server, @Value("${server.address}") String host) {
        this.world = world;
        this.server = server;
        this.host = host;
    }

    @EventListener(ApplicationReadyEvent.class)
    void print() {
        String address = "http://" + host + ":" + server.getWebServer().getPort();
        StringBuilder hint = new StringBuilder();
        hint.append("rank %d of %d: %s/atoll%n".formatted(world.rank(), world.size(), address));
        if (!ChildRanks.hasStartedThisProcess()) {
            hint.append("  count something     curl -X POST %s/hits/7%n".formatted(address));
            hint.append("  stop                Ctrl-C%n".formatted());
        }
        // Printed at once, and short. Ranks share a pipe, which keeps at most 4,096 bytes of one rank together.
        System.out.print(hint);
    }
}
