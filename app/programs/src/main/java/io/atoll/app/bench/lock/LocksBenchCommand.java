package io.atoll.app.bench.lock;

import static io.atoll.app.command.CommandException.require;

import io.atoll.app.bench.measurement.JobOptions;
import io.atoll.app.command.CommandException;
import io.atoll.app.plot.Plot;
import io.atoll.lock.LockAlgorithm;
import io.atoll.lock.LockTable;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command line of the locks' benchmark. */
@Command(name = "locks", sortOptions = false, description = {
    "Measures how often, and within which time, threads acquire and release locks of a table at random (ALock, "
            + "figures 4 to 6)."})
public final class LocksBenchCommand implements Callable<Integer> {

    private static final int MOST_THREADS = 256;
    private static final long MOST_LOCKS = 1 << 20;

    @Option(names = "--ranks", description = "The number of processes that measure at the same time. Defaults to "
            + "${DEFAULT-VALUE}.")
    private int ranks = 2;

    @Option(names = "--threads", description = "The number of threads of each rank. Defaults to ${DEFAULT-VALUE}.")
    private int threads = 1;

    @Option(names = "--locks", description = "The number of locks of all ranks. Defaults to ${DEFAULT-VALUE}.")
    private long locks = 20;

    @Option(names = "--locality", split = ",", paramLabel = "PERCENT", defaultValue = "100,95,90,85", description = "The "
            + "percentages of acquisitions that are of locks in the own segment. Defaults to ${DEFAULT-VALUE}, one "
            + "after the other.")
    private List<Integer> localities = List.of();

    @Option(names = "--lock", split = ",", description = "The kinds of locks: alock, mcs or spin. Defaults to all "
            + "of them.")
    private List<String> algorithms = List.of("alock", "mcs", "spin");

    @Option(names = "--local-budget", description = "How often in a row the owner's threads may take a lock while "
            + "other ranks want it. Defaults to ${DEFAULT-VALUE}.")
    private int localBudget = LockTable.LOCAL_BUDGET;

    @Option(names = "--remote-budget", description = "How often in a row other ranks may take a lock while its "
            + "owner wants it. Defaults to ${DEFAULT-VALUE}.")
    private int remoteBudget = LockTable.REMOTE_BUDGET;

    @Option(names = "--millis", description = "The length of a round in milliseconds. Defaults to ${DEFAULT-VALUE}.")
    private long millis = 300;

    @Option(names = "--svg", paramLabel = "FILE", description = "Draws the throughput by locality into this file.")
    private @Nullable Path throughput;

    @Option(names = "--latency-svg", paramLabel = "FILE", description = "Draws the distribution of latencies at "
            + "the first locality into this file.")
    private @Nullable Path latencies;

    @Mixin
    // HotSpot compiles again when a rare branch is taken for the first time, so there are many warm-up rounds.
    private JobOptions options = new JobOptions(20, 5);

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws InterruptedException {
        check();
        Stream.of(throughput, latencies).filter(Objects::nonNull).forEach(Plot::requireFile);
        var program = new LocksBenchmark(algorithms.stream().map(LocksBenchCommand::algorithm).toList(), threads, locks,
                List.copyOf(localities), localBudget, remoteBudget, millis, options.rounds());
        show(new LocksFigures(options.run("locks", ranks, 1, program)));
        return 0;
    }

    private void check() {
        require(threads >= 1 && threads <= MOST_THREADS,
                "--threads must be from 1 to " + MOST_THREADS + ": threads=" + threads);
        require(locks >= ranks && locks <= MOST_LOCKS,
                "--locks must be from --ranks, so that each has one, to " + MOST_LOCKS + ": locks=" + locks);
        localities.forEach(
                each -> require(each >= 0 && each <= 100, "--locality must be from 0 to 100: locality=" + each));
        require(millis >= 1, "--millis must be at least 1: millis=" + millis);
    }

    private static LockAlgorithm algorithm(String name) {
        try {
            return LockAlgorithm.valueOf(name.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException unknown) {
            throw new CommandException("--lock must be alock, mcs or spin: lock=" + name, unknown);
        }
    }

    private void show(LocksFigures figures) {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("ranks", String.valueOf(ranks));
        parameters.put("threads", String.valueOf(threads));
        parameters.put("locks", String.valueOf(locks));
        parameters.put("budgets", localBudget + "/" + remoteBudget);
        options.describe(parameters);
        options.print(figures.report(parameters), spec.commandLine().getOut());
        String locksByThreads = locks + " locks by " + ranks + " x " + threads + " threads" + options.suffix();
        if (throughput != null) {
            figures.throughput(locksByThreads).write(throughput);
        }
        if (latencies != null) {
            figures.latencies(locksByThreads).write(latencies);
        }
    }
}
