package io.atoll.app.bench.measurement;

import static io.atoll.app.bench.measurement.JobOptions.require;

import io.atoll.app.job.JobRank;
import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What a benchmark of so many elements can be told. */
public final class BenchOptions {

    private static final int MOST_ELEMENTS = 1 << 26;

    @Option(names = "--ranks", description = "Processes that measure at the same time; ${DEFAULT-VALUE} unless told.")
    private int ranks = 2;

    @Option(names = "--elements", description = "Elements of each rank; ${DEFAULT-VALUE} unless told.")
    private int elements = 500_000;

    @Mixin
    private JobOptions job = new JobOptions(3, 7);

    /** @param program of the elements of each rank, and the rounds */
    public void run(String benchmark, BiFunction<Integer, Rounds, JobRank.Program> program, PrintWriter output)
            throws InterruptedException {
        require(elements >= 1 && elements <= MOST_ELEMENTS,
                "--elements is from 1 to " + MOST_ELEMENTS + ": elements=" + elements);
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("ranks", String.valueOf(ranks));
        parameters.put("elements", String.valueOf(elements));
        job.describe(parameters);
        List<String> lines = job.run(benchmark, ranks, 1, program.apply(elements, job.rounds()));
        job.print(Report.ofLines(benchmark, parameters, lines), output);
    }
}
