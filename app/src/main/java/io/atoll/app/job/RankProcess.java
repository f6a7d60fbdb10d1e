package io.atoll.app.job;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** A rank's process, as the parent sees it: the same classes on the same Java. */
final class RankProcess {

    /**
     * Ranks of one machine share its cores: one collector thread each, and a heap that is small at first. The compilers stay as they are; a rank runs for
     * long enough.
     */
    private static final List<String> JVM_OPTIONS = List.of("-XX:+UseSerialGC", "-Xms32m", "-XX:-UsePerfData",
            "--enable-native-access=ALL-UNNAMED");

    /** What a job's ranks log is of interest to those who look for an error only, and a logging library takes its time to start. */
    private static final List<String> WITHOUT_LOG = List.of("-Dslf4j.internal.verbosity=ERROR",
            "-Dslf4j.provider=org.slf4j.helpers.NOP_FallbackServiceProvider");

    /**
     * Ctrl-C, and the end of a terminal, reach the whole group of processes at once. The parent alone answers them: a signal that is ignored at
     * start a JVM leaves ignored.
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
     * Starts the process and tells it what to do.
     *
     * @param program as {@link JobRank} reads it
     * @param heapBytes what it may take for objects
     * @param listener told each event, the end last, by a thread of the process's own
     * @param debug whether what it logs is shown
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
        command.addAll(ThisProgram.command(options));
        RankProcess started = new RankProcess(identity.rank(), new ProcessBuilder(command).start(), listener, debug);
        Thread errors = started.reader("errors", started::readErrors);
        started.reader("events", () -> started.readEvents(errors));
        started.tell(program);
        return started;
    }

    /** The stream stays open for as long as this process lives: the child takes its end for ours. */
    private void tell(byte[] program) {
        try {
            process.getOutputStream().write(program);
            process.getOutputStream().flush();
        } catch (IOException brokenPipe) {
            // The end of the process, which the listener is told, says more than the pipe.
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
            lastWords = "it cannot be heard any more: " + failure.getMessage();
            kill();
        }
    }

    long processId() {
        return process.pid();
    }

    /** Ends the process at once; {@link #awaitEnd} to be sure that it is gone. */
    void kill() {
        // By the handle: the process's own method would also close the streams that the readers read to their end.
        process.toHandle().destroyForcibly();
    }

    /** Returns when the process is gone; an interrupt does not shorten that. */
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
