package io.atoll.fabric.shm;

import io.atoll.fabric.Backoff;
import io.atoll.fabric.Clock;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The proof that a rank lives: its process holds the lock of a file, which the kernel takes back when the process ends, however it
 * ends, and not while it is merely paused.
 *
 * <p>POSIX drops a process's locks of a file when the process closes <em>any</em> descriptor of it. So nothing else ever opens
 * these files, what this process holds is looked up in a table and never tried (several ranks may live in one process), and
 * all of it happens under one monitor.
 */
final class RankLock implements AutoCloseable {

    private static final Set<Path> HELD_BY_THIS_PROCESS = new HashSet<>();

    private final Path file;
    private final FileChannel channel;

    private RankLock(Path file, FileChannel channel) {
        this.file = file;
        this.channel = channel;
    }

    /** The lock, if no living process holds it, or gives it back within the time. */
    static Optional<RankLock> tryAcquire(Path file, Duration timeout) throws IOException {
        Backoff backoff = new Backoff(Clock.SYSTEM, timeout);
        Optional<RankLock> lock = tryAcquire(file);
        while (lock.isEmpty() && backoff.pause()) {
            lock = tryAcquire(file);
        }
        return lock;
    }

    private static Optional<RankLock> tryAcquire(Path file) throws IOException {
        synchronized (HELD_BY_THIS_PROCESS) {
            if (HELD_BY_THIS_PROCESS.contains(file)) {
                return Optional.empty();
            }
            createIfMissing(file);
            Object identity = identity(file);
            FileChannel channel = open(file);
            // The last rank to leave removes the files while it holds their locks: what was opened must still be what others will find.
            if (channel != null && tryLock(channel, false).isPresent() && identity != null
                    && identity.equals(identity(file))) {
                HELD_BY_THIS_PROCESS.add(file);
                return Optional.of(new RankLock(file, channel));
            }
            if (channel != null) {
                channel.close();
            }
            return Optional.empty();
        }
    }

    private static @Nullable FileChannel open(Path file) throws IOException {
        try {
            return FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
        } catch (NoSuchFileException removedMeanwhile) {
            return null;
        }
    }

    /** Whether a living process holds the lock of that file. */
    static boolean isHeld(Path file) {
        synchronized (HELD_BY_THIS_PROCESS) {
            if (HELD_BY_THIS_PROCESS.contains(file)) {
                return true;
            }
            // Shared, so that two who look at once do not take each other for the holder.
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
                return tryLock(channel, true).isEmpty();
            } catch (NoSuchFileException nobodyHoldsIt) {
                return false;
            } catch (IOException unreadable) {
                // Of another user: not a rank of this world, and claiming it will say so. Until then it counts as taken.
                return true;
            }
        }
    }

    private static void createIfMissing(Path file) throws IOException {
        try {
            Files.createFile(file, SegmentFile.OWNER_ONLY);
        } catch (FileAlreadyExistsException asUsualAfterTheFirstStart) {
            // Opened next.
        }
    }

    /** What tells a file from another that has its name at another time. */
    private static @Nullable Object identity(Path file) throws IOException {
        try {
            return Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS).fileKey();
        } catch (NoSuchFileException removedMeanwhile) {
            return null;
        }
    }

    private static Optional<FileLock> tryLock(FileChannel channel, boolean shared) throws IOException {
        try {
            return Optional.ofNullable(channel.tryLock(0, Long.MAX_VALUE, shared));
        } catch (OverlappingFileLockException heldByThisProcess) {
            return Optional.empty();
        }
    }

    @Override
    public void close() throws IOException {
        synchronized (HELD_BY_THIS_PROCESS) {
            channel.close();
            HELD_BY_THIS_PROCESS.remove(file);
        }
    }
}
