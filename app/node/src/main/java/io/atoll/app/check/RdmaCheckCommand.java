package io.atoll.app.check;

import io.atoll.disni.DeviceAttributes;
import io.atoll.fabric.rdma.RdmaReport;
import io.atoll.fabric.rdma.RdmaReport.DeviceState;
import io.atoll.fabric.rdma.RdmaReport.Gid;
import io.atoll.fabric.rdma.RdmaReport.PortState;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Shows what this machine has for RDMA, and ends with 0 if that is enough. */
@Command(name = "rdma-check", description = {
    "Shows the RDMA devices of this machine, their ports, addresses and atomics, and how much memory may be locked.",
    "Ends with 0 if RDMA can be used: --fabric=rdma of a job, atoll.fabric.type=rdma of a node. Ends with 1 if "
            + "not."})
public final class RdmaCheckCommand implements Callable<Integer> {

    private static final int NOT_USABLE = 1;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(names = "--segment", paramLabel = "SIZE", description = "The size of a rank's segment, such as 256MB. "
            + "The command then also checks that a process may lock more memory than that.")
    private @Nullable DataSize segment;

    @Override
    public Integer call() {
        RdmaReport rdmaReport = RdmaReport.take();
        PrintWriter output = spec.commandLine().getOut();
        rdmaReport.devices().forEach(device -> print(output, device));
        output.println("locked memory: " + (rdmaReport.lockableBytes().isEmpty()
                ? "without limit"
                : "at most " + rdmaReport.lockableBytes().getAsLong()
                        + " bytes, so segments must be smaller (ulimit -l)"));
        List<String> obstacles = new ArrayList<>(rdmaReport.obstacles());
        if (segment != null) {
            lackOfLockableMemory(rdmaReport, segment.toBytes()).ifPresent(obstacles::add);
        }
        obstacles.forEach(obstacle -> output.println("missing: " + obstacle));
        boolean usable = obstacles.isEmpty();
        output.println(usable ? "verdict: RDMA can be used" : "verdict: RDMA cannot be used");
        output.flush();
        return usable ? 0 : NOT_USABLE;
    }

    /** Returns why a rank cannot lock a segment of this size, with what to do about it. Returns nothing if it can. */
    static Optional<String> lackOfLockableMemory(RdmaReport rdmaReport, long segmentBytes) {
        return rdmaReport.lockableBytes()
                .stream()
                .filter(lockableBytes -> lockableBytes <= segmentBytes)
                .mapToObj(lockableBytes -> "a rank locks its segment and 128 KiB for each thread, raise memlock"
                        + " (LimitMEMLOCK of the service, for a pod that of its node's container runtime):"
                        + " lockableBytes=" + lockableBytes + " segmentBytes=" + segmentBytes)
                .findFirst();
    }

    private static void print(PrintWriter output, DeviceState device) {
        output.println("device " + device.name() + ": " + device.attributes()
                .map(RdmaCheckCommand::describe)
                .orElse("cannot be opened"));
        for (PortState port : device.ports()) {
            output.println(
                    "  port " + port.number() + ": " + port.state() + ", " + port.linkLayer() + ", " + port.rate());
            for (Gid gid : port.gids()) {
                output.println("    gid " + gid.index() + ": " + gid.address() + " " + gid.type() + " "
                        + gid.networkInterface());
            }
        }
    }

    private static String describe(DeviceAttributes attributes) {
        return switch (attributes.atomicCapability()) {
            case NONE -> "no atomics";
            case DEVICE -> "atomics among themselves only, so the owner of a segment goes through the device, too";
            case GLOBAL -> "atomics that are the CPU's, too";
        } + "; " + attributes.maximumReadsAsInitiator() + " reads and atomics under way, "
                + attributes.maximumQueuePairs()
                + " queue pairs";
    }
}
