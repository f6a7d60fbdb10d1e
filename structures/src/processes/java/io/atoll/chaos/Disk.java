package io.atoll.chaos;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** The folder of a world's segments. It is in shared memory, or on a small disk of its own, which can be filled. */
final class Disk implements AutoCloseable {

    private final Path folder;
    private final boolean mounted;

    private Disk(Path folder, boolean mounted) {
        this.folder = folder;
        this.mounted = mounted;
    }

    /**
     * @param bytes the size of a disk of its own, or 0 for a folder in shared memory. Without the right to mount one,
     * the folder is in shared memory as well
     */
    static Disk create(Path path, long bytes) throws IOException {
        Path folder = Files.createDirectory(path);
        return new Disk(folder, bytes > 0
                && run("mount", "-t", "tmpfs", "-o", "size=" + bytes, "tmpfs", folder.toString()));
    }

    private static boolean run(String... command) throws IOException {
        return new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .onExit()
                .join()
                .exitValue() == 0;
    }

    Path folder() {
        return folder;
    }

    boolean isSmall() {
        return mounted;
    }

    private Path ballast() {
        return folder.resolve("ballast");
    }

    /** Fills the disk completely. */
    void fill() throws IOException {
        try (RandomAccessFile file = new RandomAccessFile(ballast().toFile(), "rw")) {
            file.seek(file.length());
            for (int piece = 1 << 16; piece >= 1;) {
                try {
                    file.write(new byte[piece]);
                } catch (IOException full) {
                    piece /= 2;
                }
            }
        }
    }

    void empty() throws IOException {
        Files.deleteIfExists(ballast());
    }

    /** Returns the files in it, except the one that fills it. */
    String files() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> !name.equals("ballast"))
                    .sorted()
                    .toList()
                    .toString();
        }
    }

    @Override
    public void close() throws IOException {
        remove(folder);
    }

    /**
     * Removes the folder, whichever process made it, unless it is gone already. Also unmounts its disk, if it has one.
     */
    static synchronized void remove(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        if (run("mountpoint", "-q", folder.toString()) && !run("umount", folder.toString())) {
            run("umount", "-l", folder.toString());
        }
        Files.delete(folder);
    }
}
