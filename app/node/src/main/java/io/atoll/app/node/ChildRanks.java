package io.atoll.app.node;

import io.atoll.app.command.CommandException;
import io.atoll.app.command.ExitCode;
import io.atoll.app.command.ThisProgram;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The other ranks of this machine. Each is a process that this one has started. They print where this process prints.
 * They end when it ends, for whatever reason, since their standard input ends with it.
 */
final class ChildRanks {

    private static final String MAIN_CLASS = "io.atoll.app.NodeApplication";
    private static final String STARTED = "atoll.node.started-by-rank-zero";
    private static final List<String> JVM_OPTIONS = List.of("-XX:+UseSerialGC", "-Xmx256m",
            "--enable-native-access=ALL-UNNAMED", "-D" + STARTED);
    private static final int REFUSED = 2;
    private static final long LEAVE_SECONDS = 10;

    private final List<Process> processes = new ArrayList<>();
    private volatile boolean ending;

    private ChildRanks() {}

    /** Returns true if this process is one of them. */
    static boolean hasStartedThisProcess() {
        return System.getProperty(STARTED) != null;
    }

    static void start(NodeOptions options) {
        ChildRanks others = new ChildRanks();
        Runtime.getRuntime().addShutdownHook(new Thread(others::end, "other-ranks"));
        for (int rank = 1; rank < options.ranks().orElse(1); rank++) {
            others.start(rank, options.ofRank(rank));
        }
    }

    private void start(int rank, List<String> arguments) {
        List<String> jvmOptions = new ArrayList<>(JVM_OPTIONS);
        jvmOptions.add(RankPrefix.option(rank));
        List<String> command = ThisProgram.command(MAIN_CLASS, jvmOptions);
        command.addAll(arguments);
        try {
            Process process = new ProcessBuilder(command).redirectOutput(Redirect.INHERIT)
                    .redirectError(Redirect.INHERIT)
                    .start();
            processes.add(process);
            process.onExit().thenAccept(ended -> report(rank, ended));
        } catch (IOException failure) {
            throw new CommandException("cannot start the process of rank " + rank + ": " + failure.getMessage(),
                    failure);
        }
    }

    /**
     * A rank that could not start has said why. This process then ends, too, since the world cannot become whole. A
     * rank that is lost later is shown by the page.
     */
    private void report(int rank, Process ended) {
        if (!ending) {
            System.err.println(
                    "atoll: rank " + rank + " (process " + ended.pid() + ") " + new ExitCode(ended.exitValue()));
            if (ended.exitValue() == REFUSED) {
                System.exit(REFUSED);
            }
        }
    }

    private void end() {
        ending = true;
        try {
            for (Process process : processes) {
                process.getOutputStream().close();
            }
            for (Process process : processes) {
                if (!process.waitFor(LEAVE_SECONDS, TimeUnit.SECONDS)) {
                    process.destroyForcibly();
                }
            }
        } catch (IOException | InterruptedException failure) {
            failure.printStackTrace();
        }
    }
}
