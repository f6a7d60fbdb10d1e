package io.atoll.disni;

import io.atoll.disni.RdmaUnavailableException.Lack;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Finds out why there is no usable device: it names the first prerequisite that is missing. */
public final class MissingDevice {

    private MissingDevice() {}

    /** Returns an exception that tells what is missing on this machine. */
    public static RdmaUnavailableException explain(@Nullable Throwable cause) {
        return new RdmaUnavailableException(Lack.DEVICE, reason(Path.of("/")), cause);
    }

    /** @param root the root of the file systems in which the kernel shows its devices */
    static String reason(Path root) {
        if (!hasFile(root.resolve("sys/class/infiniband"), "")) {
            return "the kernel has no RDMA device; look with: rdma link (package iproute2); a network card needs"
                    + " its driver, and any Ethernet can have one in software:"
                    + " modprobe rdma_rxe && rdma link add rxe0 type rxe netdev eth0";
        }
        Path nodes = root.resolve("dev/infiniband");
        if (!hasFile(nodes, "uverbs")) {
            return "the kernel has an RDMA device, but programs cannot reach it: /dev/infiniband/uverbs* is missing;"
                    + " load the module with: modprobe ib_uverbs;"
                    + " a container needs the device nodes: --device=/dev/infiniband";
        }
        if (!hasFile(nodes, "rdma_cm")) {
            return "the RDMA connection manager is missing: /dev/infiniband/rdma_cm; load its module with:"
                    + " modprobe rdma_ucm; a container needs the device node: --device=/dev/infiniband";
        }
        return "there is an RDMA device, but no user-space driver that can use it; look with: ibv_devices"
                + " (package ibverbs-utils); install the drivers: apt-get install ibverbs-providers;"
                + " and see that /dev/infiniband/* may be opened by this user";
    }

    private static boolean hasFile(Path folder, String prefix) {
        if (!Files.isDirectory(folder)) {
            return false;
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.anyMatch(file -> file.getFileName().toString().startsWith(prefix));
        } catch (IOException failure) {
            throw new UncheckedIOException("cannot look for RDMA devices: folder=" + folder, failure);
        }
    }
}
