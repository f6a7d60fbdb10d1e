package io.atoll.app.bench.map;

import static io.atoll.app.command.CommandException.require;

import io.atoll.app.bench.measurement.JobOptions;
import io.atoll.app.bench.measurement.Report;
import io.atoll.app.job.JobRank;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command line of the map's benchmark. */
@Command(name = "map", sortOptions = false, description = {
    "Measures insertions, finds and increments of random 64-bit keys at load factor 0.5 (BCL, figure 9).",
    "It prints nanoseconds per operation and rank, each beside a loop of the same verbs without the map (\"raw\")."})
public final class MapBenchCommand implements Callable<Integer> {

    private static final long MOST_KEYS = 1 << 26;

    @Option(names = "--ranks", description = "The number of processes that measure at the same time. Defaults to "
            + "${DEFAULT-VALUE}.")
    private int ranks = 2;

    @Option(names = "--keys", description = "The number of keys of each rank. It is rounded to half of a power of "
            + "two of buckets. Defaults to ${DEFAULT-VALUE}.")
    private long keys = 500_000;

    @Option(names = "--touched", description = "Each process touches all pages of the segments before the first "
            + "round. By default maps and raw tables are new in each round, so inserting pays for the first touch of "
            + "their pages: a page fault for each page and process.")
    private boolean touched;

    @Option(names = "--meters", description = "Measures instead what meters cost finds on mapped memory. Every "
            + "second rank counts its verbs. One rank at a time works, on keys that it owns and on keys of "
            + "others. It needs two ranks or more.")
    private boolean meters;

    @Option(names = "--starts", description = "How often --meters starts the ranks. The ranks that count "
            + "alternate. It reports the median of each start. Defaults to ${DEFAULT-VALUE}.")
    private int starts = 6;

    @Mixin
    private JobOptions options = new JobOptions(3, 7);

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws InterruptedException {
        require(keys >= 1 && keys <= MOST_KEYS, "--keys must be from 1 to " + MOST_KEYS + ": keys=" + keys);
        require(!meters || ranks >= 2, "--meters compares ranks, so it needs --ranks=2 at least: ranks=" + ranks);
        require(starts >= 1, "--starts must be at least 1: starts=" + starts);
        options.print(report(meters ? ofEachStart() : outputOf(new MapBenchmark(keys, touched, options.rounds()))),
                spec.commandLine().getOut());
        return 0;
    }

    private List<String> outputOf(JobRank.Program program) throws InterruptedException {
        return options.run("map", ranks, 1, program);
    }

    /**
     * Compiled code differs from one start of a process to the next. That changes the time of an operation by more than
     * what is to be measured. So the ranks are started several times.
     */
    private List<String> ofEachStart() throws InterruptedException {
        List<String> lines = new ArrayList<>();
        for (int start = 0; start < starts; start++) {
            report(outputOf(new MeterBenchmark(start, keys, options.rounds()))).measurements()
                    .forEach(each -> lines.add(each.name() + '\t' + each.median() + '\t' + each.unit()));
        }
        return lines;
    }

    private Report report(List<String> lines) {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("ranks", String.valueOf(ranks));
        parameters.put("keys", String.valueOf(keys));
        if (touched) {
            parameters.put("pages", "touched");
        }
        options.describe(parameters);
        return Report.ofLines("map", parameters, lines);
    }
}
