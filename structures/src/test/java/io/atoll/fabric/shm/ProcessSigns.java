package io.atoll.fabric.shm;

import java.io.IOException;
import java.nio.file.Path;

/** The signs of processes whose worlds have no files, for tests of other packages. */
public final class ProcessSigns {

    private ProcessSigns() {}

    /** Returns true if another process has a world of that name. */
    public static boolean isUsedByAnotherProcess(Path folder, String world) throws IOException {
        return new WorldFiles(folder, world).isUsedByAnotherProcess();
    }
}
