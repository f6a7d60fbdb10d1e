package io.atoll.app.bench.reclamation;

import io.atoll.app.bench.measurement.BenchOptions;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The command line of the benchmark of memory in limbo. */
@Command(name = "limbo", sortOptions = false, description = {
    "Allocates and retires as many objects as there are elements, at each rank and in each run, in segments of a",
    "fixed size, and says how much of them was in use at most: what is retired is free again in time."})
public final class LimboBenchCommand implements Callable<Integer> {

    @Mixin
    private BenchOptions options = new BenchOptions();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws InterruptedException {
        options.run("limbo", LimboBenchmark::new, spec.commandLine().getOut());
        return 0;
    }
}
