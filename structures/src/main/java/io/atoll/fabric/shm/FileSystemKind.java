package io.atoll.fabric.shm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

/** The kind of a file system, as the kernel names it. */
record FileSystemKind(String name) {

    private static final Set<String> OF_ONE_HOST = Set.of("tmpfs", "ramfs", "hugetlbfs", "devtmpfs", "ext2", "ext3",
            "ext4", "xfs", "btrfs", "zfs", "f2fs", "bcachefs", "jfs", "overlay");

    static FileSystemKind of(Path folder) throws IOException {
        return new FileSystemKind(Files.getFileStore(folder).type());
    }

    /**
     * Returns true if no other host can have its files. Returns false for unknown file systems, and so for network file
     * systems.
     */
    boolean isOfOneHost() {
        return OF_ONE_HOST.contains(name);
    }
}
