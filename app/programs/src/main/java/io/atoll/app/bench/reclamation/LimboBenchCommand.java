package io.atoll.app.bench.reclamation;

import io.atoll.app.bench.measurement.ElementsBenchCommand;
import picocli.CommandLine.Command;

/** The command line of the benchmark of memory in limbo. */
@Command(name = "limbo", sortOptions = false, description = {
    "Allocates and retires as many objects as there are elements, in segments of a fixed size.",
    "At each rank and in each run; says how much of the segments was in use at most: what is retired is free again "
            + "in time."})
public final class LimboBenchCommand extends ElementsBenchCommand {

    public LimboBenchCommand() {
        super(LimboBenchmark::new);
    }
}
