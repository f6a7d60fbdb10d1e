package io.atoll;

import io.atoll.fabric.FabricType;
import io.atoll.fabric.rdma.Verbs;
import io.atoll.fabric.shm.SharedMemory;
import io.atoll.fabric.tcp.Tcp;
import io.atoll.fabric.trace.Delay;
import io.atoll.fabric.trace.Delayed;
import java.nio.file.Path;
import java.util.List;

/** The fabrics there are. */
public final class Fabrics {

    private Fabrics() {}

    /** Between processes of one host, in {@code /dev/shm}. */
    public static FabricType sharedMemory() {
        return new SharedMemory();
    }

    /**
     * By TCP between hosts, and by shared memory between processes of one host; the segments lie in {@code /dev/shm}. Listens within this host until it is told where else, and by what secret ranks
     * know each other: see {@link Tcp#bind} and {@link Tcp#security}.
     */
    public static Tcp tcp() {
        return new Tcp(sharedMemory());
    }

    /** By RDMA, over the first device there is; the segments lie in {@code /dev/shm}. */
    public static FabricType verbs() {
        return new Verbs(sharedMemory());
    }

    /**
     * By RDMA between processes of several hosts, without a membership: a list says where each rank is. Nobody can prove there that a rank of another host has
     * ended: what it had under way is repaired when it has been started again.
     *
     * @param addresses {@code host:port} of each rank, in their order; the host's is that of an RDMA device
     */
    public static FabricType verbs(List<String> addresses) {
        return new Verbs(sharedMemory()).at(addresses.stream().map(Verbs::address).toList());
    }

    /**
     * Between processes of one host.
     *
     * @param folder where the segments' files lie
     * @param retain whether they outlive the last process
     */
    public static FabricType sharedMemory(Path folder, boolean retain) {
        return new SharedMemory(folder, retain);
    }

    /**
     * The fabric with verbs that take longer, to show on one host what a network does to an algorithm: each round trip, to the own segment too, is followed by a wait that
     * spins. Named as simulated wherever the fabric is named.
     *
     * @param delay the fabric itself is returned if there is none
     */
    public static FabricType delayed(FabricType fabric, Delay delay) {
        return delay.isNone() ? fabric : new Delayed(fabric, delay);
    }
}
