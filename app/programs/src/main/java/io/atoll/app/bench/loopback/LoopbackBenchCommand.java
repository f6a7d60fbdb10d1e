package io.atoll.app.bench.loopback;

import static io.atoll.app.command.CommandException.require;

import io.atoll.Fabrics;
import io.atoll.app.bench.measurement.Report;
import io.atoll.app.bench.measurement.Report.Measurement;
import io.atoll.app.bench.measurement.ReportOptions;
import io.atoll.app.bench.measurement.RoundOptions;
import io.atoll.app.bench.measurement.Rounds;
import io.atoll.app.job.JobFiles;
import io.atoll.fabric.rdma.Rdma;
import io.atoll.fabric.rdma.RdmaAddress;
import io.atoll.fabric.shm.SharedMemory;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command line of the loopback benchmark. */
@Command(name = "loopback", sortOptions = false, description = {
    "Measures how many atomics a rank does on its own memory, by the CPU and through the network card (ALock, figure "
            + "1).",
    "It measures with one thread, then with two, up to --threads. It needs an RDMA device."})
public final class LoopbackBenchCommand implements Callable<Integer> {

    private static final int MOST_THREADS = 256;

    @Option(names = "--threads", description = "The largest number of threads. Defaults to ${DEFAULT-VALUE}.")
    private int threads = 8;

    @Option(names = "--operations", description = "The number of atomics of each thread in a run. Defaults to "
            + "${DEFAULT-VALUE}.")
    private int operations = 100_000;

    @Mixin
    private RoundOptions rounds = new RoundOptions();

    @Option(names = "--device", paramLabel = "NAME", description = "The RDMA device, such as mlx5_0. Defaults to "
            + "the first one with an address.")
    private @Nullable String device;

    @Mixin
    private ReportOptions reports = new ReportOptions();

    @Option(names = "--shared-memory", paramLabel = "FOLDER", description = "The folder of the segment. Defaults "
            + "to ${DEFAULT-VALUE}.")
    private Path sharedMemory = SharedMemory.DEFAULT_FOLDER;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws InterruptedException {
        require(threads >= 1 && threads <= MOST_THREADS,
                "--threads must be from 1 to " + MOST_THREADS + ": threads=" + threads);
        require(operations >= 1, "--operations must be at least 1: operations=" + operations);
        Rounds wanted = rounds.rounds();
        JobFiles files = JobFiles.create("bench-loopback", sharedMemory, Optional.empty());
        Runtime.getRuntime().addShutdownHook(new Thread(files::remove, "bench-cleanup"));
        try {
            reports.print(new Report("loopback", parameters(), measure(files.folder(), wanted)),
                    spec.commandLine().getOut());
            return 0;
        } finally {
            files.remove();
        }
    }

    private List<Measurement> measure(Path folder, Rounds wanted) throws InterruptedException {
        // Each thread has a connection of its own, as in the paper.
        Rdma rdma = new Rdma(Fabrics.sharedMemory(folder, false), RdmaAddress.FIRST.device(device), threads,
                Rdma.DEPTH, null, List.of());
        return new LoopbackBenchmark(rdma, threads, operations, wanted).run();
    }

    private Map<String, String> parameters() {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("operations", String.valueOf(operations));
        rounds.describe(parameters);
        return parameters;
    }
}
