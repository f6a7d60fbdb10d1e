package io.atoll.chaos;

import io.atoll.process.OwnedFolder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * All files that a coordinator puts into shared memory: a folder for each world. If the coordinator was killed, the
 * next one removes them. A process that was paused at that moment outlives its coordinator. The next coordinator ends
 * it, too.
 */
final class CoordinatorFolder implements AutoCloseable {

    private static final String PREFIX = "atoll-chaos-";
    /** The property of a process that tells in which folder it works. */
    private static final String MARK = "-Dchaos.folder=";

    private final OwnedFolder folder;

    private CoordinatorFolder(OwnedFolder folder) {
        this.folder = folder;
    }

    /** Makes a folder. Removes the folders of coordinators that have ended. */
    static CoordinatorFolder create(Path sharedMemory) throws IOException {
        return new CoordinatorFolder(OwnedFolder.create(sharedMemory, PREFIX, CoordinatorFolder::remove));
    }

    Path path() {
        return folder.path();
    }

    /** Returns the name of a world. No other coordinator uses it. */
    String world(int number) {
        return path().getFileName() + "-" + number;
    }

    /** Returns the option by which a process that works in the folder can be found. */
    static String mark(Path folder) {
        return MARK + folder;
    }

    private static void remove(Path world) throws IOException {
        endProcesses(world);
        Disk.remove(world);
    }

    private static void endProcesses(Path world) throws IOException {
        for (ProcessHandle process : processes(world)) {
            process.destroyForcibly();
            process.onExit().join();
        }
    }

    private static List<ProcessHandle> processes(Path world) throws IOException {
        List<ProcessHandle> marked = new ArrayList<>();
        for (ProcessHandle process : ProcessHandle.allProcesses().toList()) {
            try {
                String command = Files.readString(Path.of("/proc", "" + process.pid(), "cmdline"),
                        StandardCharsets.ISO_8859_1);
                if (List.of(command.split("\0")).contains(mark(world))) {
                    marked.add(process);
                }
            } catch (NoSuchFileException ended) {
                // The process is gone.
            }
        }
        return marked;
    }

    @Override
    public void close() throws IOException {
        folder.close();
    }
}
