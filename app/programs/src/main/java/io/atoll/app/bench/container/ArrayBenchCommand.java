package io.atoll.app.bench.container;

import io.atoll.app.bench.measurement.ElementsBenchCommand;
import picocli.CommandLine.Command;

/** The command line of the arrays' benchmark. */
@Command(name = "array", sortOptions = false, description = {
    "Measures reads and writes of longs of another rank's part of a distributed array, one by one and 1,024 at once.",
    "It prints nanoseconds per element and rank, each beside a loop of the same verbs without the array (\"raw\")."})
public final class ArrayBenchCommand extends ElementsBenchCommand {

    public ArrayBenchCommand() {
        super(ArrayBenchmark::new);
    }
}
