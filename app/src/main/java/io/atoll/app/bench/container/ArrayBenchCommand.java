package io.atoll.app.bench.container;

import io.atoll.app.bench.measurement.BenchOptions;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The command line of the arrays' benchmark. */
@Command(name = "array", sortOptions = false, description = {
    "Measures reads and writes of longs of another rank's part of a distributed array, one by one and 1,024 at once;",
    "in nanoseconds per element and rank, each beside a loop of the same verbs without the array (\"raw\")."})
public final class ArrayBenchCommand implements Callable<Integer> {

    @Mixin
    private BenchOptions options = new BenchOptions();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws InterruptedException {
        options.run("array", ArrayBenchmark::new, spec.commandLine().getOut());
        return 0;
    }
}
