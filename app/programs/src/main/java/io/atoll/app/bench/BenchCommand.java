package io.atoll.app.bench;

import io.atoll.app.bench.broadcast.BroadcastBenchCommand;
import io.atoll.app.bench.broadcast.LogGPBenchCommand;
import io.atoll.app.bench.container.ArrayBenchCommand;
import io.atoll.app.bench.container.FilterBenchCommand;
import io.atoll.app.bench.container.QueueBenchCommand;
import io.atoll.app.bench.lock.LocksBenchCommand;
import io.atoll.app.bench.loopback.LoopbackBenchCommand;
import io.atoll.app.bench.map.GrowthBenchCommand;
import io.atoll.app.bench.map.MapBenchCommand;
import io.atoll.app.bench.measurement.Report;
import io.atoll.app.bench.reclamation.LimboBenchCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The benchmarks, a subcommand each. The ranks of a benchmark report the median of several runs through {@link Report}.
 */
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
    LimboBenchCommand.class})
public final class BenchCommand implements Runnable {

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "The command line names no structure.");
    }
}
