package io.atoll.app.job;

import io.atoll.app.command.ThisProgram;
import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** A rank's process, as the parent sees it. It runs the same classes on the same Java. */
final class RankProcess {

    private static final String MAIN_CLASS = "io.atoll.app.programs.AtollApplication";

    /**
     * Ranks of one machine share its cores. So each has one collector thread, and a heap that is small at first. The
     * compilers keep their settings, since a rank runs long enough.
     */
    private static final List<String> JVM_OPTIONS = List.of("-XX:+UseSerialGC", "-Xms32m", "-XX:-UsePerfData",
            "--enable-native-access=ALL-UNNAMED");

    /** A logging library takes time to start. The log of a job's ranks is useful only for finding an error. */
    private static final List<String> WITHOUT_LOG = List.of("-Dslf4j.internal.verbosity=ERROR",
            "-Dslf4j.provider=org.slf4j.helpers.NOP_FallbackServiceProvider");

    /**
     * Ctrl-C and the end of a terminal reach the whole group of processes at once. Only the parent answers them. A JVM
     * leaves a signal ignored that was ignored at its start.
     */
    private static final List<String> IGNORING_TERMINAL = List.of("/bin/sh", "-c", "trap '' INT HUP; exec \"$@\"",
            "sh");

    private final int rank;
    private final Process process;
    private final Consumer<RankEvent> listener;
    private final boolean debug;
    private volatile String lastWords = "";

    private RankProcess(int rank, Process process, Consumer<RankEvent> listener, boolean debug) {
        this.rank = rank;
        this.process = process;
        this.listener = listener;
        this.debug = debug;
    }

    /**
     * Starts the process and sends it its program.
     *
     * @param program as {@link JobRank} reads it
     * @param heapBytes how much memory it may take for objects
     * @param listener told each event, the end last, by a thread of the process's own
     * @param debug true to show what the process logs
     */
    static RankProcess start(RankIdentity identity, byte[] program, long heapBytes, Consumer<RankEvent> listener,
            boolean debug) throws IOException {
        List<String> options = new ArrayList<>(JVM_OPTIONS);
        options.add("-Xmx" + heapBytes);
        if (!debug) {
            options.addAll(WITHOUT_LOG);
        }
        options.addAll(identity.toOptions());
        List<String> command = new ArrayList<>(IGNORING_TERMINAL);
        command.addAll(ThisProgram.command(MAIN_CLASS, options));
        RankProcess started = new RankProcess(identity.rank(), new ProcessBuilder(command).start(), listener, debug);
        Thread errors = started.reader("errors", started::readErrors);
        started.reader("events", () -> started.readEvents(errors));
        started.tell(program);
        return started;
    }

    /**
     * Sends the program. The stream stays open as long as this process lives: its end tells the child that this process
     * has ended.
     */
    private void tell(byte[] program) {
        try {
            process.getOutputStream().write(program);
            process.getOutputStream().flush();
        } catch (IOException brokenPipe) {
            // The end of the process says more than the broken pipe, and the listener is told it.
            kill();
        }
    }

    private Thread reader(String what, Runnable body) {
        return Thread.ofPlatform().daemon().name("rank-" + rank + "-" + what).start(body);
    }

    private void readErrors() {
        forEachLine(process.errorReader(), line -> {
            lastWords = line;
            if (debug) {
                System.err.println("rank " + rank + ": " + line);
            }
        });
    }

    private void readEvents(Thread errors) {
        forEachLine(process.inputReader(), line -> RankEvent.fromLine(line).ifPresent(listener));
        try {
            errors.join();
            listener.accept(new RankEvent.End(process.waitFor(), lastWords));
        } catch (InterruptedException nobodyKnowsThisThread) {
            throw new AssertionError(nobodyKnowsThisThread);
        }
    }

    private void forEachLine(BufferedReader reader, Consumer<String> action) {
        try {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                action.accept(line);
            }
        } catch (IOException failure) {
            lastWords = "the parent cannot read its output any more: " + failure.getMessage();
            kill();
        }
    }

    long processId() {
        return process.pid();
    }

    /** Ends the process at once. Call {@link #awaitEnd} to be sure that it is gone. */
    void kill() {
        // The handle ends it, since the process's own method would also close the streams. The readers must read these
        // to their end.
        process.toHandle().destroyForcibly();
    }

    /** Returns when the process is gone. An interrupt does not shorten the wait. */
    void awaitEnd() {
        boolean interrupted = false;
        while (process.isAlive()) {
            try {
                process.waitFor();
            } catch (InterruptedException afterwards) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
