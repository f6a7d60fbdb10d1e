package io.atoll;

import io.atoll.fabric.FabricType;
import io.atoll.fabric.shm.SharedMemory;
import java.nio.file.Path;

/** The fabrics there are. */
public final class Fabrics {

    private Fabrics() {}

    /** Between processes of one host, in {@code /dev/shm}. */
    public static FabricType sharedMemory() {
        return new SharedMemory();
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
