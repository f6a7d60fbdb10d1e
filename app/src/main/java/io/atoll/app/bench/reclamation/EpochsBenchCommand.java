package io.atoll.app.bench.reclamation;

import io.atoll.app.bench.measurement.BenchOptions;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The command line of the benchmark of the epoch manager. */
@Command(name = "epochs", sortOptions = false, description = {
    "Measures pinning, retiring with and without reclaiming, and freeing, for objects of the own rank,",
    "of another one, and of both (Dewan and Jenkins, figures 4 to 7), beside a compare-and-exchange."})
public final class EpochsBenchCommand implements Callable<Integer> {

    @Mixin
    private BenchOptions options = new BenchOptions();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws InterruptedException {
        options.run("epochs", EpochsBenchmark::new, spec.commandLine().getOut());
        return 0;
    }
}
