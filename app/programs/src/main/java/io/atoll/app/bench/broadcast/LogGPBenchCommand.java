package io.atoll.app.bench.broadcast;

import static io.atoll.app.command.CommandException.require;

import io.atoll.app.bench.measurement.JobOptions;
import io.atoll.app.bench.measurement.Report;
import io.atoll.app.bench.measurement.Report.Measurement;
import io.atoll.app.bench.measurement.Sizes;
import io.atoll.app.plot.Plot;
import io.atoll.collective.Broadcast;
import io.atoll.collective.LogGP;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command line of the benchmark that measures what sending costs. */
@Command(name = "loggp", sortOptions = false, description = {
    "Measures what sending costs, by the model LogGP: L, o, g, G and o_r (Paznikov, section 3).",
    "With --simulate it also simulates broadcasts from these costs, event by event. It compares the size from "
            + "which the tree is faster with that of the paper."})
public final class LogGPBenchCommand implements Callable<Integer> {

    private static final int MOST_SIMULATED_RANKS = 1 << 16;
    private static final int PARAMETERS = 5;

    @Option(names = "--ranks", description = "The number of processes. Two of them send. Defaults to "
            + "${DEFAULT-VALUE}.")
    private int ranks = 2;

    @Option(names = "--bytes", description = "The size of the memory that the data comes from. Defaults to "
            + "${DEFAULT-VALUE}.")
    private String bytes = "4MiB";

    @Option(names = "--costs", split = ",", paramLabel = "NANOSECONDS", description = "Uses these values of "
            + "L,o,g,G,o_r, and measures nothing.")
    private @Nullable List<Double> costs;

    @Option(names = "--simulate", paramLabel = "RANKS", description = "The largest number of simulated ranks, at "
            + "most 65536. Defaults to no simulation.")
    private int simulated;

    @Option(names = "--sizes", description = "The sizes of simulated broadcasts. Defaults to ${DEFAULT-VALUE}.")
    private String sizes = "16KiB,10MiB";

    @Option(names = "--svg", paramLabel = "FILE", description = "Draws the simulated broadcasts into this file.")
    private @Nullable Path figure;

    @Mixin
    private JobOptions options = new JobOptions();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws InterruptedException {
        require(simulated == 0 || simulated >= 2 && simulated <= MOST_SIMULATED_RANKS,
                "--simulate must be from 2 to " + MOST_SIMULATED_RANKS + ": simulate=" + simulated);
        require(figure == null || simulated > 0, "--svg shows what --simulate simulates: simulate=0");
        if (figure != null) {
            Plot.requireFile(figure);
        }
        Report measured = Report.ofLines("loggp", parameters(), costs == null ? measure() : told(costs));
        LogGP found = LogGPBenchmark.costs(measured);
        List<Measurement> rows = new ArrayList<>(measured.measurements());
        PrintWriter output = spec.commandLine().getOut();
        if (simulated > 0) {
            var broadcasts = new SimulatedBroadcasts(found, Sizes.parse(sizes), simulated);
            rows.addAll(broadcasts.measurements());
            if (figure != null) {
                broadcasts.plot().write(figure);
            }
        }
        options.print(new Report("loggp", parameters(), rows), output);
        options.say(property(found), output);
        return 0;
    }

    private List<String> measure() throws InterruptedException {
        long region = Sizes.parse(bytes).getLast();
        require(region >= Broadcast.PIECE_BYTES,
                "--bytes must be at least " + Broadcast.PIECE_BYTES + ": bytes=" + region);
        return options.run("loggp", ranks, new LogGPBenchmark(region, options.rounds()));
    }

    /** Returns the given costs as lines, as if they had been measured. */
    private static List<String> told(List<Double> nanos) {
        require(nanos.size() == PARAMETERS && nanos.stream().allMatch(each -> each >= 0),
                "--costs must be five times, none of them negative: costs=" + nanos);
        return List.of(LogGPBenchmark.LATENCY + '\t' + nanos.get(0) + "\tns",
                LogGPBenchmark.OVERHEAD + '\t' + nanos.get(1) + "\tns",
                LogGPBenchmark.GAP + '\t' + nanos.get(2) + "\tns",
                LogGPBenchmark.GAP_PER_BYTE + '\t' + nanos.get(3) * LogGPBenchmark.BYTES + "\tns",
                LogGPBenchmark.RECEIVE_OVERHEAD + '\t' + nanos.get(4) + "\tns");
    }

    private Map<String, String> parameters() {
        Map<String, String> parameters = new LinkedHashMap<>();
        if (costs == null) {
            parameters.put("ranks", String.valueOf(ranks));
            parameters.put("bytes", bytes);
            options.describe(parameters);
        } else {
            parameters.put("costs", "told");
        }
        return parameters;
    }

    private static String property(LogGP costs) {
        return String.format(Locale.ROOT,
                "atoll.collectives.costs: {latency: %.1f, overhead: %.1f, gap: %.1f, gap-per-byte: %.5f, "
                        + "receive-overhead: %.1f}",
                costs.latency(), costs.overhead(), costs.gap(), costs.gapPerByte(), costs.receiveOverhead());
    }
}
