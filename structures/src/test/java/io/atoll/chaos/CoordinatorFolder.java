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
 * All that a coordinator puts into shared memory: a folder for each world, and a file that the coordinator has locked
 * as long as it lives. The kernel takes the lock away when the coordinator ends, also by SIGKILL. So the next
 * coordinator sees what nobody will remove, and removes it. A process that was paused at that moment outlives its
 * coordinator; that is ended then, too.
 */
final class CoordinatorFolder implements AutoCloseable {

    private static final String PREFIX = "atoll-chaos-";
    private static final String SIGN = "coordinator";
    /** The property of a process that tells which folder it works in. */
    private static final String MARK = "-Dchaos.folder=";

    private final Path path;
    private final FileChannel sign; // locked until it is closed

    private CoordinatorFolder(Path path, FileChannel sign) {
        this.path = path;
        this.sign = sign;
    }

    /** Makes one, and removes those of coordinators that have ended. */
    static CoordinatorFolder create(Path sharedMemory) throws IOException {
        removeAbandoned(sharedMemory);
        // Nobody looks at it before it has its name, and by then it is locked.
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

    /** The name of a world, which no other coordinator gives to one. */
    String world(int number) {
        return path.getFileName() + "-" + number;
    }

    /** The option by which a process that works in the folder can be found. */
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
                // As it should be.
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
                // It is no more.
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
