package io.atoll.fabric.shm;

import io.atoll.failure.JoinRefusedException;
import io.atoll.failure.JoinRefusedException.Reason;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/**
 * The owner of a file. Any user may make files in {@code /dev/shm}. A file's maker may read and change it, whatever
 * others may do. So a segment of another user is refused even if its mode would let this process in.
 */
final class FileOwner {

    private static final Path STATUS = Path.of("/proc/self/status");
    private static final String USERS = "Uid:"; // real, effective, saved, and the one that new files belong to
    private static final int OF_NEW_FILES = 4;

    private FileOwner() {}

    /** @throws JoinRefusedException if the file belongs to another user */
    static void refuseForeign(Path file) throws IOException {
        int owner = (int) Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS);
        int user = user();
        if (owner != user) {
            throw new JoinRefusedException(Reason.OTHER_USER,
                    "the file belongs to another user, choose another world name or folder: file=" + file + " owner="
                            + owner + " user=" + user);
        }
    }

    static boolean isForeign(Path file) throws IOException {
        return (int) Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS) != user();
    }

    private static int user() throws IOException {
        // By a reader, because an interruption of the thread would close a channel.
        try (BufferedReader status = Files.newBufferedReader(STATUS)) {
            String users = status.lines()
                    .filter(line -> line.startsWith(USERS))
                    .findFirst()
                    .orElseThrow(() -> new IOException("says nothing of its user: file=" + STATUS));
            return Integer.parseUnsignedInt(users.split("\\s+")[OF_NEW_FILES]);
        }
    }
}
