package io.atoll;

import io.atoll.fabric.FabricType;
import io.atoll.fabric.rdma.Rdma;
import io.atoll.fabric.shm.SharedMemory;
import io.atoll.fabric.tcp.Tcp;
import io.atoll.fabric.trace.Delay;
import java.nio.file.Path;
import java.util.List;

/** The fabrics that come with Atoll. */
public final class Fabrics {

    private Fabrics() {}

    /** Returns the fabric for processes of one host, with segments in {@code /dev/shm}. */
    public static FabricType sharedMemory() {
        return new SharedMemory();
    }

    /**
     * Returns the fabric that uses TCP between hosts, and shared memory between processes of one host. The segments lie
     * in {@code /dev/shm}. It listens within this host only until {@link Tcp#bind} sets another address.
     * {@link Tcp#security} sets the secret by which ranks know each other.
     */
    public static Tcp tcp() {
        return new Tcp(sharedMemory());
    }

    /** Returns the fabric that uses RDMA, over the first device of this host. The segments lie in {@code /dev/shm}. */
    public static FabricType rdma() {
        return new Rdma(sharedMemory());
    }

    /**
     * Returns the fabric that uses RDMA between processes of several hosts, without a membership: a list says where
     * each rank is. With such a list no process can prove that a rank of another host has ended. What a dead rank had
     * under way is repaired when the rank has been started again.
     *
     * @param addresses {@code host:port} of each rank, in the order of ranks; the host is the address of an RDMA device
     */
    public static FabricType rdma(List<String> addresses) {
        return new Rdma(sharedMemory()).at(addresses.stream().map(Rdma::address).toList());
    }

    /**
     * Returns the fabric for processes of one host, with segments in the given folder.
     *
     * @param folder where the segments' files lie
     * @param retain true if the files outlive the last process
     */
    public static FabricType sharedMemory(Path folder, boolean retain) {
        return new SharedMemory(folder, retain);
    }

    /**
     * Returns the fabric with slower verbs, to show on one host what a network does to an algorithm. A wait that spins
     * follows each round trip, also one to the own segment. The name of the fabric says that the delay is simulated.
     *
     * @param delay of each verb; if it delays nothing, the fabric itself is returned
     */
    public static FabricType delayed(FabricType fabric, Delay delay) {
        return delay.delayed(fabric);
    }
}
