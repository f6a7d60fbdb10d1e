package io.atoll.app.node;

import io.atoll.app.command.CommandException;
import io.atoll.app.demo.DemoConfiguration;
import io.atoll.spring.admission.AdminProperties;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Import;

/**
 * The node. The program runs it if the command line names no command. Its options are Spring Boot's, {@code --ranks}
 * and {@code --demo}.
 */
@SpringBootApplication(proxyBeanMethods = false)
@EnableConfigurationProperties(AdminProperties.class)
@Import(DemoConfiguration.class)
public class Node {

    /** The path of the example: counts, each under its key. */
    public static final String HITS = "/hits";

    /** The header of answers under {@link #HITS}. It says which rank has answered. */
    public static final String RANK_HEADER = "Atoll-Rank";

    private static final int FAILED = 2;

    /** Returns true if the command line names no command and does not ask for help. */
    public static boolean isMeant(String[] arguments) {
        return arguments.length == 0 || arguments[0].startsWith("--") && !arguments[0].equals("--help");
    }

    /**
     * Starts the node, and with {@code --ranks} the other ranks on this machine. Returns when the node is ready; its
     * threads stay. If it cannot start, prints one line that says why, and ends the process.
     */
    public static void start(String[] arguments) {
        if (ChildRanks.hasStartedThisProcess()) {
            Thread.ofPlatform().daemon().name("parent-watch").start(() -> outlive(System.in));
        }
        try {
            NodeOptions options = NodeOptions.of(List.of(arguments));
            if (options.ranks().orElse(1) > 1) {
                RankPrefix.beRank(0);
            }
            ChildRanks.start(options);
            run(options.ofRank(0));
        } catch (CommandException refused) {
            System.err.println("atoll: " + refused.getMessage());
            System.exit(FAILED);
        }
    }

    private static void run(List<String> settings) {
        try {
            SpringApplication.run(Node.class, settings.toArray(String[]::new));
        } catch (RuntimeException reported) {
            // Spring Boot has said why: by OneLineFailure, or in the log if the failure was not foreseen.
            System.exit(FAILED);
        }
    }

    /**
     * Ends this process when its parent ends. The parent sends nothing; the end of its stream is the parent's end, for
     * whatever reason.
     */
    private static void outlive(InputStream parent) {
        try {
            parent.transferTo(OutputStream.nullOutputStream());
        } catch (IOException broken) {
            broken.printStackTrace();
        } finally {
            System.exit(0);
        }
    }
}
