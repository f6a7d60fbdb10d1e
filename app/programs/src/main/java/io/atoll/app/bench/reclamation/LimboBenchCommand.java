package io.atoll.app.bench.reclamation;

import io.atoll.app.bench.measurement.ElementsBenchCommand;
import picocli.CommandLine.Command;

/** The command line of the benchmark of memory in limbo. */
@Command(name = "limbo", sortOptions = false, description = {
    "Allocates and retires as many objects as there are elements, in segments of a fixed size.",
    "Each rank does so in each run. It prints how much of a segment was in use at most, which shows that retired "
            + "memory is freed in time."})
public final class LimboBenchCommand extends ElementsBenchCommand {

    public LimboBenchCommand() {
        super(LimboBenchmark::new);
    }
}
