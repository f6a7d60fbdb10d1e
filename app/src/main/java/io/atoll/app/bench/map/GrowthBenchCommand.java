package io.atoll.app.bench.map;

import io.atoll.app.bench.measurement.BenchOptions;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The command line of the benchmark of maps that grow. */
@Command(name = "growth", sortOptions = false, description = {
    "Measures how long each single insertion takes into a map that grows from 1,000 keys to all of",
    "them, and into one that has room from the beginning; and finds and increments in both."})
public final class GrowthBenchCommand implements Callable<Integer> {

    @Mixin
    private BenchOptions options = new BenchOptions();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws InterruptedException {
        options.run("growth", GrowthBenchmark::new, spec.commandLine().getOut());
        return 0;
    }
}
