package io.atoll.app.bench.container;

import io.atoll.app.bench.measurement.BenchOptions;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The command line of the queues' benchmark. */
@Command(name = "queue", sortOptions = false, description = {
    "Measures pushes and pops of longs by all ranks, into one queue and into one of each rank (\"many\"), in phases",
    "(BCL, figures 10 and 11); in nanoseconds per operation and rank, each beside a loop of the same verbs without",
    "the queue (\"raw\")."})
public final class QueueBenchCommand implements Callable<Integer> {

    @Mixin
    private BenchOptions options = new BenchOptions();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws InterruptedException {
        options.run("queue", QueueBenchmark::new, spec.commandLine().getOut());
        return 0;
    }
}
