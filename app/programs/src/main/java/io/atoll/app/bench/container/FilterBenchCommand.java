package io.atoll.app.bench.container;

import io.atoll.app.bench.measurement.ElementsBenchCommand;
import picocli.CommandLine.Command;

/** The command line of the Bloom filters' benchmark. */
@Command(name = "filter", sortOptions = false, description = {
    "Measures additions of random longs to a Bloom filter of all ranks, and questions for them, one by one and 1,024 "
            + "at once.",
    "In nanoseconds per element and rank, each beside a loop of the same verbs without the filter (\"raw\").",
    "And of how many elements that were not added it says that they might have been."})
public final class FilterBenchCommand extends ElementsBenchCommand {

    public FilterBenchCommand() {
        super(FilterBenchmark::new);
    }
}
