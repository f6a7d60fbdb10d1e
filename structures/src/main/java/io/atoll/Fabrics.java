package io.atoll;

import io.atoll.fabric.FabricType;
import io.atoll.fabric.shm.SharedMemory;
import io.atoll.fabric.verbs.Verbs;
import java.nio.file.Path;

/** The fabrics there are. */
public final class Fabrics {

    private Fabrics() {}

    /** Between processes of one host, in {@code /dev/shm}. */
    public static FabricType sharedMemory() {
        return new SharedMemory();
    }

    /** By RDMA, over the first device there is; the segments lie in {@code /dev/shm}. */
    public static FabricType verbs() {
        return new Verbs(sharedMemory());
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
}
