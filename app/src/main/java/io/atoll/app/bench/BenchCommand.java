package io.atoll.app.bench;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The benchmarks, a subcommand each. Their ranks take the median of several runs and report it through {@link Report}. */
@Command(name = "bench", description = "Measures a structure on this machine.", synopsisSubcommandLabel = "STRUCTURE", subcommands = {
    MapBenchCommand.class,
    GrowthBenchCommand.class,
    QueueBenchCommand.class,
    FilterBenchCommand.class,
    ArrayBenchCommand.class,
    LocksBenchCommand.class,
    BroadcastBenchCommand.class,
    LogGPBenchCommand.class,
    LoopbackBenchCommand.class,
    AtomicsBenchCommand.class,
    EpochsBenchCommand.class,
    LimboBenchCommand.class})
public final class BenchCommand implements Runnable {

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Which structure?");
    }
}
