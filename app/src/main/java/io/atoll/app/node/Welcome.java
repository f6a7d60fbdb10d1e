package io.atoll.app.node;

import io.atoll.World;
import io.atoll.app.job.ThisProgram;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * Prints where the page is, once it is there. At the node that was started by hand, also prints what else can be done.
 */
@Component
final class Welcome {

    private final World world;
    private final ServletWebServerApplicationContext server;
    private final String host;
    private final String sample;

    /**
     * @param host the address on which the node listens, as the configuration says
     * @param sample files for the k-mer job, if some are known
     */
    Welcome(World world, ServletWebServerApplicationContext server, @Value("${server.address}") String host,
            @Value("${node.sample:FILE...}") String sample) {
        this.world = world;
        this.server = server;
        this.host = host;
        this.sample = sample;
    }

    @EventListener(ApplicationReadyEvent.class)
    void greet() {
        String address = "http://" + host + ":" + server.getWebServer().getPort();
        StringBuilder greeting = new StringBuilder();
        greeting.append("rank %d of %d: %s/atoll%n".formatted(world.rank(), world.size(), address));
        if (!OtherRanks.hasStartedThisProcess()) {
            greeting.append("  count something     curl -X POST %s/hits/7%n".formatted(address));
            greeting.append("  count the k-mers    %s kmer --k=21 --ranks=3 %s%n"
                    .formatted(ThisProgram.typed(), sample));
            greeting.append("  stop                Ctrl-C%n".formatted());
        }
        // Printed at once, and short. Ranks share a pipe, which keeps at most 4,096 bytes of one rank together.
        System.out.print(greeting);
    }
}
