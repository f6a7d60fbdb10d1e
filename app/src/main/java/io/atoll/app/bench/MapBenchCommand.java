package io.atoll.app.bench;

import static io.atoll.app.bench.JobOptions.require;

import io.atoll.app.job.Job;
import io.atoll.app.job.JobRank;
import io.atoll.fabric.shm.SharedMemory;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command line of the map's benchmark. */
@Command(name = "map", sortOptions = false, description = {
    "Measures insertions, finds and increments of random 64-bit keys at load factor 0.5,",
    "in nanoseconds per operation and rank, beside a raw loop over the same memory."})
final class MapBenchCommand implements Callable<Integer> {

    private static final int MOST_RANKS = 1 << 10;
    private static final long MOST_KEYS = 1 << 26;

    @Option(names = "--ranks", description = "Processes that measure at the same time; ${DEFAULT-VALUE} unless told.")
    private int ranks = 2;

    @Option(names = "--keys", description = "Keys of each rank, rounded to half of a power of two of buckets; ${DEFAULT-VALUE} unless told.")
    private long keys = 500_000;

    @Option(names = "--warmups", description = "Rounds that are not reported; ${DEFAULT-VALUE} unless told.")
    private int warmups = 3;

    @Option(names = "--runs", description = "Rounds that are; ${DEFAULT-VALUE} unless told.")
    private int runs = 7;

    @Option(names = "--meters", description = {
        "Measures what counting verbs costs instead: every second rank counts, one rank at a",
        "time works, on keys that it owns and on others'. At least two ranks."})
    private boolean meters;

    @Option(names = "--starts", description = {
        "How often the ranks are started to measure that, each time the others of them count;",
        "${DEFAULT-VALUE} unless told. What is reported are the medians of each start."})
    private int starts = 6;

    @Option(names = "--json", description = "Print JSON instead of a table.")
    private boolean json;

    @Option(names = "--shared-memory", paramLabel = "FOLDER", description = "Where the segments lie; ${DEFAULT-VALUE} unless told.")
    private Path sharedMemory = SharedMemory.DEFAULT_FOLDER;

    @Option(names = "--debug", description = "Show stack traces and what the ranks print.")
    private boolean debug;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws InterruptedException {
        require(ranks >= 1 && ranks <= MOST_RANKS, "--ranks is from 1 to " + MOST_RANKS + ": ranks=" + ranks);
        require(keys >= 1 && keys <= MOST_KEYS, "--keys is from 1 to " + MOST_KEYS + ": keys=" + keys);
        require(warmups >= 0 && runs >= 1,
                "--warmups is at least 0 and --runs at least 1: warmups=" + warmups + " runs=" + runs);
        require(!meters || ranks >= 2, "--meters compares ranks, so it needs --ranks=2 at least: ranks=" + ranks);
        require(starts >= 1, "--starts is at least 1: starts=" + starts);
        print(report(meters ? ofEachStart() : outputOf(new MapBenchmark(keys, warmups, runs))));
        return 0;
    }

    private List<String> outputOf(JobRank.Program program) throws InterruptedException {
        try (Job job = new Job("bench-map", ranks, sharedMemory, Optional.empty(), debug)) {
            return job.run(program).output();
        }
    }

    /** From one start of a process to the next its compiled code differs, and with it what an operation takes, by more than what is measured. */
    private List<String> ofEachStart() throws InterruptedException {
        List<String> lines = new ArrayList<>();
        for (int start = 0; start < starts; start++) {
            report(outputOf(new MeterBenchmark(start, keys, warmups, runs))).measurements()
                    .forEach(each -> lines.add(each.name() + '\t' + each.median() + '\t' + each.unit()));
        }
        return lines;
    }

    private Report report(List<String> lines) {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("ranks", String.valueOf(ranks));
        parameters.put("keys", String.valueOf(keys));
        parameters.put("runs", String.valueOf(runs));
        return Report.ofLines("map", parameters, lines);
    }

    private void print(Report report) {
        PrintWriter output = spec.commandLine().getOut();
        report.print(json, output);
    }
}
