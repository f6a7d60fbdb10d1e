package io.atoll.chaos;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * All files that a coordinator puts into shared memory: a folder for each world, and a file that the coordinator has
 * locked as long as it lives. The kernel releases the lock when the coordinator ends, even by SIGKILL. So the next
 * coordinator sees which files are abandoned, and removes them. A process that was paused at that moment outlives its
 * coordinator. The next coordinator ends it, too.
 */
final class CoordinatorFolder implements AutoCloseable {

    private static final String PREFIX = "atoll-chaos-";
    private static final String SIGN = "coordinator";
    /** The property of a process that tells in which folder it works. */
    private static final String MARK = "-Dchaos.folder=";

    private final Path path;
    // Locked until it is closed.
    private final FileChannel sign;

    private CoordinatorFolder(Path path, FileChannel sign) {
        this.path = path;
        this.sign = sign;
    }

    /** Makes a folder. Removes the folders of coordinators that have ended. */
    static CoordinatorFolder create(Path sharedMemory) throws IOException {
        removeAbandoned(sharedMemory);
        // Other coordinators do not look at the folder before it has its name. By then it is locked.
        Path unnamed = Files.createTempDirectory(sharedMemory, "." + PREFIX);
        FileChannel sign = FileChannel.open(unnamed.resolve(SIGN), StandardOpenOption.CREATE_NEW,
                StandardOpenOption.WRITE);
        sign.lock();
        Path path = sharedMemory.resolve(unnamed.getFileName().toString().substring(1));
        Files.move(unnamed, path, StandardCopyOption.ATOMIC_MOVE);
        return new CoordinatorFolder(path, sign);
    }

    Path path() {
        return path;
    }

    /** Returns the name of a world. No other coordinator uses it. */
    String world(int number) {
        return path.getFileName() + "-" + number;
    }

    /** Returns the option by which a process that works in the folder can be found. */
    static String mark(Path folder) {
        return MARK + folder;
    }

    private static void removeAbandoned(Path sharedMemory) throws IOException {
        List<Path> folders;
        try (Stream<Path> files = Files.list(sharedMemory)) {
            folders = files.filter(file -> file.getFileName().toString().startsWith(PREFIX)).toList();
        }
        for (Path folder : folders) {
            try (FileChannel sign = FileChannel.open(folder.resolve(SIGN), StandardOpenOption.WRITE)) {
                if (sign.tryLock() != null) {
                    IO.println("chaos: removes what an earlier coordinator has left: " + folder);
                    remove(folder);
                }
            } catch (NoSuchFileException removedByAnother) {
                // This is the normal case.
            }
        }
    }

    private static void remove(Path folder) throws IOException {
        List<Path> worlds;
        try (Stream<Path> files = Files.list(folder)) {
            worlds = files.filter(Files::isDirectory).toList();
        }
        for (Path world : worlds) {
            endProcesses(world);
            Disk.remove(world);
        }
        Files.delete(folder.resolve(SIGN));
        Files.delete(folder);
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
        try (sign) {
            remove(path);
        }
    }
}
