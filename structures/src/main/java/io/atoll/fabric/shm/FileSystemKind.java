package io.atoll.fabric.shm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

/** What a file system is, as the kernel names it. */
record FileSystemKind(String name) {

    private static final Set<String> OF_ONE_HOST = Set.of("tmpfs", "ramfs", "hugetlbfs", "devtmpfs", "ext2", "ext3",
            "ext4", "xfs", "btrfs", "zfs", "f2fs", "bcachefs", "jfs", "overlay");

    static FileSystemKind of(Path folder) throws IOException {
        return new FileSystemKind(Files.getFileStore(folder).type());
    }

    /** Returns whether no other host can have its files. False of what is not known, as of network file systems. */
    boolean isOfOneHost() {
        return OF_ONE_HOST.contains(name);
    }
}
