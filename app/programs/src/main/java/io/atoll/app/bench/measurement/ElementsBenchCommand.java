package io.atoll.app.bench.measurement;

import static io.atoll.app.command.CommandException.require;

import io.atoll.app.job.JobRank;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.BiFunction;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command line of a benchmark that takes a number of elements. The benchmark is named like its command. */
public abstract class ElementsBenchCommand implements Callable<Integer> {

    private static final int MOST_ELEMENTS = 1 << 26;

    @Option(names = "--ranks", description = "The number of processes that measure at the same time. Defaults to "
            + "${DEFAULT-VALUE}.")
    private int ranks = 2;

    @Option(names = "--elements", description = "The number of elements of each rank. Defaults to ${DEFAULT-VALUE}.")
    private int elements = 500_000;

    @Mixin
    private JobOptions job = new JobOptions(3, 7);

    @Spec
    private CommandSpec spec = CommandSpec.create();

    private final BiFunction<Integer, Rounds, JobRank.Program> program;

    /** @param program makes the benchmark from the number of elements of each rank, and the rounds */
    protected ElementsBenchCommand(BiFunction<Integer, Rounds, JobRank.Program> program) {
        this.program = program;
    }

    @Override
    public final Integer call() throws InterruptedException {
        require(elements >= 1 && elements <= MOST_ELEMENTS,
                "--elements must be from 1 to " + MOST_ELEMENTS + ": elements=" + elements);
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("ranks", String.valueOf(ranks));
        parameters.put("elements", String.valueOf(elements));
        job.describe(parameters);
        List<String> lines = job.run(spec.name(), ranks, 1, program.apply(elements, job.rounds()));
        job.print(Report.ofLines(spec.name(), parameters, lines), spec.commandLine().getOut());
        return 0;
    }
}
