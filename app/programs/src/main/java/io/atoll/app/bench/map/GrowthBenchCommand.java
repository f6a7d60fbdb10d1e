package io.atoll.app.bench.map;

import io.atoll.app.bench.measurement.ElementsBenchCommand;
import picocli.CommandLine.Command;

/** The command line of the benchmark of maps that grow. */
@Command(name = "growth", sortOptions = false, description = {
    "Measures how long each single insertion takes into a map that grows from 1,000 keys to all of them.",
    "It measures the same of a map that has room from the beginning, and finds and increments in both."})
public final class GrowthBenchCommand extends ElementsBenchCommand {

    public GrowthBenchCommand() {
        super(GrowthBenchmark::new);
    }
}
