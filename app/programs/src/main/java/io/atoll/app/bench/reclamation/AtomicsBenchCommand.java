package io.atoll.app.bench.reclamation;

import io.atoll.app.bench.measurement.ElementsBenchCommand;
import picocli.CommandLine.Command;

/** The command line of the benchmark of atomic objects. */
@Command(name = "atomics", sortOptions = false, description = {
    "Measures reads, writes, exchanges and compare-and-swaps, a quarter each, of a plain word and of atomic objects.",
    "In the own segment and in another rank's (Dewan and Jenkins, figure 3)."})
public final class AtomicsBenchCommand extends ElementsBenchCommand {

    public AtomicsBenchCommand() {
        super(AtomicsBenchmark::new);
    }
}
