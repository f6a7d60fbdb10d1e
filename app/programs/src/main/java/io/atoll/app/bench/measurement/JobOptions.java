package io.atoll.app.bench.measurement;

import io.atoll.app.job.Job;
import io.atoll.app.job.JobFabric;
import io.atoll.app.job.JobRank;
import io.atoll.app.job.ProcessOptions;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options for how often a benchmark measures, over which fabric, and how its result is shown. */
public final class JobOptions {

    @Mixin
    private RoundOptions rounds;

    @Option(names = "--fabric", description = "How ranks reach each other's memory: ${COMPLETION-CANDIDATES}. "
            + "Defaults to ${DEFAULT-VALUE}.")
    private JobFabric fabric = JobFabric.SHARED_MEMORY;

    @Mixin
    private DelayOptions delay = new DelayOptions();

    @Mixin
    private ReportOptions reports = new ReportOptions();

    @Mixin
    private ProcessOptions processes = new ProcessOptions();

    public JobOptions() {
        this(new RoundOptions());
    }

    /**
     * @param warmups the default number of warm-up rounds
     * @param runs the default number of measured rounds
     */
    public JobOptions(int warmups, int runs) {
        this(new RoundOptions(warmups, runs));
    }

    private JobOptions(RoundOptions rounds) {
        this.rounds = rounds;
    }

    public Rounds rounds() {
        return rounds.rounds();
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
        ProcessOptions.requireRanks(ranks, least);
        try (Job job = new Job("bench-" + benchmark, ranks, fabric, delay.delay(), processes.sharedMemory(),
                Optional.empty(), processes.debug())) {
            return job.run(program).output();
        }
    }

    public void describe(Map<String, String> parameters) {
        rounds.describe(parameters);
        parameters.put("fabric", fabric.toString());
        delay.describe(parameters);
    }

    /** Returns the end of a figure's title. It is empty if this machine alone was measured. */
    public String suffix() {
        return delay.delay().isNone() ? "" : " (" + delay.delay() + ")";
    }

    public void print(Report report, PrintWriter output) {
        reports.print(report, output);
    }

    /** Prints a line that only people read. */
    public void say(String line, PrintWriter output) {
        reports.say(line, output);
    }
}
