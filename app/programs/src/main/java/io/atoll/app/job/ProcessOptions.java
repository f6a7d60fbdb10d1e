package io.atoll.app.job;

import static io.atoll.app.command.CommandException.require;

import io.atoll.app.command.CommandException;
import io.atoll.fabric.shm.SharedMemory;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The options for the processes of a job: where their segments are, and how much of them is shown. */
public final class ProcessOptions {

    private static final int MOST_RANKS = 1 << 10;

    @Option(names = "--shared-memory", paramLabel = "FOLDER", description = "The folder of the segments. Defaults "
            + "to ${DEFAULT-VALUE}.")
    private Path sharedMemory = SharedMemory.DEFAULT_FOLDER;

    @Option(names = "--debug", description = "Shows stack traces and what the ranks print.")
    private boolean debug;

    public Path sharedMemory() {
        return sharedMemory;
    }

    public boolean debug() {
        return debug;
    }

    /** @throws CommandException if a job cannot have so many ranks */
    public static void requireRanks(int ranks, int least) {
        require(ranks >= least && ranks <= MOST_RANKS,
                "--ranks must be from " + least + " to " + MOST_RANKS + ": ranks=" + ranks);
    }
}
