package io.atoll.app.bench.reclamation;

import io.atoll.app.bench.measurement.ElementsBenchCommand;
import picocli.CommandLine.Command;

/** The command line of the benchmark of the epoch manager. */
@Command(name = "epochs", sortOptions = false, description = {
    "Measures pinning, retiring with and without reclaiming, and freeing (Dewan and Jenkins, figures 4 to 7).",
    "For objects of the own rank, of another one, and of both, beside a compare-and-exchange."})
public final class EpochsBenchCommand extends ElementsBenchCommand {

    public EpochsBenchCommand() {
        super(EpochsBenchmark::new);
    }
}
