package io.atoll.app.bench.broadcast;

import io.atoll.app.bench.measurement.JobOptions;
import io.atoll.app.bench.measurement.Report;
import io.atoll.app.bench.measurement.Sizes;
import io.atoll.app.plot.Plot;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command line of the broadcasts' benchmark. */
@Command(name = "broadcast", sortOptions = false, description = {
    "Measures broadcasts from rank 0 to all, until the root knows that all have it, beside what the model LogGP "
            + "predicts (Paznikov, figures 13 to 16).",
    "It measures the parameters of the model just before."})
public final class BroadcastBenchCommand implements Callable<Integer> {

    @Option(names = "--ranks", split = ",", paramLabel = "NUMBER", defaultValue = "4", description = "The number of "
            + "processes, the root included. 2,4,8 runs a job for each number. Defaults to ${DEFAULT-VALUE}.")
    private List<Integer> ranks = List.of();

    @Option(names = "--sizes", description = "The sizes: several, or a range in which each is twice the one "
            + "before. Defaults to ${DEFAULT-VALUE}.")
    private String sizes = "2KiB..4MiB";

    @Option(names = "--algorithm", split = ",", description = "The algorithms: ${COMPLETION-CANDIDATES}. Defaults "
            + "to all of them.")
    private List<Choice> choices = List.of(Choice.values());

    @Option(names = "--svg", paramLabel = "FOLDER", description = "Draws the latency against size and against "
            + "ranks, into files of this folder.")
    private @Nullable Path figures;

    @Mixin
    private JobOptions options = new JobOptions();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws InterruptedException {
        if (figures != null) {
            Plot.requireFolder(figures);
        }
        List<Integer> jobs = ranks.stream().sorted().distinct().toList();
        List<Long> wanted = Sizes.parse(sizes);
        List<String> lines = new ArrayList<>();
        for (int each : jobs) {
            lines.addAll(options.run("broadcast", each, new BroadcastBenchmark(wanted, choices, options.rounds())));
        }
        Report report = Report.ofLines("broadcast", parameters(jobs), lines);
        PrintWriter output = spec.commandLine().getOut();
        options.print(report, output);
        if (figures != null) {
            new BroadcastFigures(report, jobs, wanted, choices, options.suffix()).write(figures)
                    .forEach(file -> options.say("figure: " + file, output));
        }
        return 0;
    }

    private Map<String, String> parameters(List<Integer> jobs) {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("ranks", jobs.stream().map(String::valueOf).collect(Collectors.joining(",")));
        parameters.put("sizes", sizes);
        options.describe(parameters);
        return parameters;
    }
}
