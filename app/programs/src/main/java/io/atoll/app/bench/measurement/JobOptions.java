package io.atoll.app.bench.measurement;

import io.atoll.app.command.CommandException;
import io.atoll.app.job.Job;
import io.atoll.app.job.JobFabric;
import io.atoll.app.job.JobRank;
import io.atoll.fabric.shm.SharedMemory;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options for how often a benchmark measures, over which fabric, and how its result is shown. */
public final class JobOptions {

    public static final int MOST_RANKS = 1 << 10;

    @Option(names = "--warmups", description = "The number of rounds before those that count. Defaults to "
            + "${DEFAULT-VALUE}.")
    private int warmups;

    @Option(names = "--runs", description = "The number of rounds that count. Defaults to ${DEFAULT-VALUE}.")
    private int runs;

    @Option(names = "--fabric", description = "How ranks reach each other's memory: ${COMPLETION-CANDIDATES}. "
            + "Defaults to ${DEFAULT-VALUE}.")
    private JobFabric fabric = JobFabric.SHARED_MEMORY;

    @Mixin
    private DelayOptions delay = new DelayOptions();

    @Option(names = "--json", description = "Prints JSON instead of a table.")
    private boolean json;

    @Option(names = "--shared-memory", paramLabel = "FOLDER", description = "The folder of the segments. Defaults "
            + "to ${DEFAULT-VALUE}.")
    private Path sharedMemory = SharedMemory.DEFAULT_FOLDER;

    @Option(names = "--debug", description = "Shows stack traces and what the ranks print.")
    private boolean debug;

    public JobOptions() {
        this(2, 5);
    }

    /**
     * @param warmups the default number of warm-up rounds
     * @param runs the default number of measured rounds
     */
    public JobOptions(int warmups, int runs) {
        this.warmups = warmups;
        this.runs = runs;
    }

    public Rounds rounds() {
        require(warmups >= 0 && runs >= 1,
                "--warmups must be 0 or more, and --runs must be 1 or more: warmups=" + warmups + " runs=" + runs);
        return new Rounds(warmups, runs);
    }

    /** Runs the benchmark with at least two ranks. Returns the lines that the ranks have printed. */
    public List<String> run(String benchmark, int ranks, JobRank.Program program) throws InterruptedException {
        return run(benchmark, ranks, 2, program);
    }

    /**
     * Runs the benchmark. Returns the lines that the ranks have printed.
     *
     * @param least the least number of ranks
     */
    public List<String> run(String benchmark, int ranks, int least, JobRank.Program program)
            throws InterruptedException {
        require(ranks >= least && ranks <= MOST_RANKS,
                "--ranks must be from " + least + " to " + MOST_RANKS + ": ranks=" + ranks);
        try (Job job = new Job("bench-" + benchmark, ranks, fabric, delay.delay(), sharedMemory,
                Optional.empty(), debug)) {
            return job.run(program).output();
        }
    }

    public void describe(Map<String, String> parameters) {
        parameters.put("runs", String.valueOf(runs));
        parameters.put("fabric", fabric.toString());
        delay.describe(parameters);
    }

    /** Returns the end of a figure's title. It is empty if this machine alone was measured. */
    public String suffix() {
        return delay.delay().isNone() ? "" : " (" + delay.delay() + ")";
    }

    public void print(Report report, PrintWriter output) {
        report.print(json, output);
    }

    /** Prints a line that only people read. */
    public void say(String line, PrintWriter output) {
        if (!json) {
            output.println(line);
            output.flush();
        }
    }

    public static void require(boolean holds, String message) {
        if (!holds) {
            throw new CommandException(message);
        }
    }
}
