package io.atoll.app.bench.reclamation;

import io.atoll.app.bench.measurement.BenchOptions;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The command line of the benchmark of atomic objects. */
@Command(name = "atomics", sortOptions = false, description = {
    "Measures reads, writes, exchanges and compare-and-swaps, a quarter each, of a plain word and of",
    "atomic objects, in the own segment and in another rank's (Dewan and Jenkins, figure 3)."})
public final class AtomicsBenchCommand implements Callable<Integer> {

    @Mixin
    private BenchOptions options = new BenchOptions();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws InterruptedException {
        options.run("atomics", AtomicsBenchmark::new, spec.commandLine().getOut());
        return 0;
    }
}
