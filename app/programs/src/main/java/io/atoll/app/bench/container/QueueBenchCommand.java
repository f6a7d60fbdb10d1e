package io.atoll.app.bench.container;

import io.atoll.app.bench.measurement.ElementsBenchCommand;
import picocli.CommandLine.Command;

/** The command line of the queues' benchmark. */
@Command(name = "queue", sortOptions = false, description = {
    "Measures pushes and pops of longs by all ranks, into one queue and into one of each rank (\"many\"), in phases "
            + "(BCL, figures 10 and 11).",
    "It prints nanoseconds per operation and rank, each beside a loop of the same verbs without the queue "
            + "(\"raw\")."})
public final class QueueBenchCommand extends ElementsBenchCommand {

    public QueueBenchCommand() {
        super(QueueBenchmark::new);
    }
}
