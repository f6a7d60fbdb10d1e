package io.atoll.app.bench;

import static io.atoll.app.bench.JobOptions.require;

import io.atoll.app.job.Job;
import io.atoll.app.job.JobFabric;
import io.atoll.app.job.JobRank;
import io.atoll.fabric.shm.SharedMemory;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What the benchmarks of queues and arrays can be told, and how their result is shown. */
final class BenchOptions {

    private static final int MOST_RANKS = 1 << 10;
    private static final int MOST_ELEMENTS = 1 << 26;

    @Option(names = "--ranks", description = "Processes that measure at the same time; ${DEFAULT-VALUE} unless told.")
    private int ranks = 2;

    @Option(names = "--elements", description = "Elements of each rank; ${DEFAULT-VALUE} unless told.")
    private int elements = 500_000;

    @Option(names = "--warmups", description = "Rounds that are not reported; ${DEFAULT-VALUE} unless told.")
    private int warmups = 3;

    @Option(names = "--runs", description = "Rounds that are; ${DEFAULT-VALUE} unless told.")
    private int runs = 7;

    @Mixin
    private DelayOptions delay = new DelayOptions();

    @Option(names = "--json", description = "Print JSON instead of a table.")
    private boolean json;

    @Option(names = "--shared-memory", paramLabel = "FOLDER", description = "Where the segments lie; ${DEFAULT-VALUE} unless told.")
    private Path sharedMemory = SharedMemory.DEFAULT_FOLDER;

    @Option(names = "--debug", description = "Show stack traces and what the ranks print.")
    private boolean debug;

    /** @param program of the elements of each rank, and the rounds */
    void run(String benchmark, BiFunction<Integer, Rounds, JobRank.Program> program, PrintWriter output)
            throws InterruptedException {
        require(ranks >= 1 && ranks <= MOST_RANKS, "--ranks is from 1 to " + MOST_RANKS + ": ranks=" + ranks);
        require(elements >= 1 && elements <= MOST_ELEMENTS,
                "--elements is from 1 to " + MOST_ELEMENTS + ": elements=" + elements);
        require(warmups >= 0 && runs >= 1,
                "--warmups is at least 0 and --runs at least 1: warmups=" + warmups + " runs=" + runs);
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("ranks", String.valueOf(ranks));
        parameters.put("elements", String.valueOf(elements));
        parameters.put("runs", String.valueOf(runs));
        delay.describe(parameters);
        try (Job job = new Job("bench-" + benchmark, ranks, JobFabric.SHARED_MEMORY, delay.delay(), sharedMemory,
                Optional.empty(), debug)) {
            Report report = Report.ofLines(benchmark, parameters,
                    job.run(program.apply(elements, new Rounds(warmups, runs))).output());
            report.print(json, output);
        }
    }
}
