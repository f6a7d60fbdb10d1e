package io.atoll.app.bench.container;

import io.atoll.app.bench.measurement.ElementsBenchCommand;
import picocli.CommandLine.Command;

/** The command line of the Bloom filters' benchmark. */
@Command(name = "filter", sortOptions = false, description = {
    "Measures how a Bloom filter of all ranks adds random longs and finds them, one by one and 1,024 at once.",
    "It prints nanoseconds per element and rank, each beside a loop of the same verbs without the filter (\"raw\").",
    "It also prints how many elements the filter finds that nobody has added."})
public final class FilterBenchCommand extends ElementsBenchCommand {

    public FilterBenchCommand() {
        super(FilterBenchmark::new);
    }
}
