package io.atoll.fabric.shm;

import io.atoll.memory.MemoryPlace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;

/**
 * The kernel that this process runs on. Its containers share it, and with it the pages of each file that they share.
 *
 * @param bootId the number that it made when it booted
 */
record Kernel(UUID bootId) {

    /** The file in which a kernel tells its boot id. */
    public static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

    /** @param file that tells the boot id */
    public static Kernel read(Path file) throws IOException {
        String told = Files.readString(file).strip();
        try {
            return new Kernel(UUID.fromString(told));
        } catch (IllegalArgumentException malformed) {
            throw new IOException("tells no boot id of a kernel: file=" + file, malformed);
        }
    }

    /** Returns the place of the memory behind the file. */
    MemoryPlace place(Path file) throws IOException {
        Map<String, Object> numbers = Files.readAttributes(file, "unix:dev,ino", LinkOption.NOFOLLOW_LINKS);
        return new MemoryPlace(bootId.getMostSignificantBits(), bootId.getLeastSignificantBits(),
                ((Number) numbers.get("dev")).longValue(), ((Number) numbers.get("ino")).longValue());
    }
}
