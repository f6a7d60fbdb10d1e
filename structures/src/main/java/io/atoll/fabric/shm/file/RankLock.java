package io.atoll.fabric.shm.file;

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
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The proof that a rank lives: its process holds locks of a file, which the kernel takes back when the process ends, however it
 * ends, and not while it is merely paused. It takes them back after the last thread of the process has lost its memory, so what a dead process
 * had stored is there, and nothing of it comes later.
 * <pre>
 *       0           1           2
 *       +-----------+-----------+
 *       |  claimed  |   alive   |
 *       +-----------+-----------+
 * </pre>
 * The first byte decides between those who claim the rank. The second one is what others look at, by sharing it for an instant: Java cannot ask for
 * a lock without taking it. So whoever looks is never mistaken for the holder.
 *
 * <p>POSIX drops a process's locks of a file when the process closes <em>any</em> descriptor of it. So nothing else ever opens
 * these files, what this process holds is looked up in a table and never tried (several ranks may live in one process), and
 * all of it happens under one monitor.
 */
public final class RankLock implements AutoCloseable {

    private static final long CLAIMED = 0;
    private static final long ALIVE = 1;

    /** For those who look to look away. */
    private static final Duration ANNOUNCE_TIMEOUT = Duration.ofSeconds(5);

    // By what the kernel tells files apart by: a path has several spellings, and names another file after a removal.
    private static final Set<Object> HELD_BY_THIS_PROCESS = new HashSet<>();

    private final Path file;
    private final Object identity;
    private final FileChannel channel;

    private RankLock(Path file, Object identity, FileChannel channel) {
        this.file = file;
        this.identity = identity;
        this.channel = channel;
    }

    /**
     * Claims what the file stands for, if no living process has, or gives it back within the time.
     *
     * @throws io.atoll.failure.JoinRefusedException if the file belongs to another user
     */
    public static Optional<RankLock> tryClaim(Path file, Duration timeout) throws IOException {
        Backoff backoff = new Backoff(Clock.SYSTEM, timeout);
        Optional<RankLock> lock = tryClaim(file);
        while (lock.isEmpty() && backoff.pause()) {
            lock = tryClaim(file);
        }
        return lock;
    }

    private static Optional<RankLock> tryClaim(Path file) throws IOException {
        synchronized (HELD_BY_THIS_PROCESS) {
            createIfMissing(file);
            Object identity = identity(file);
            if (identity == null || HELD_BY_THIS_PROCESS.contains(identity)) {
                return Optional.empty();
            }
            FileChannel channel = openOwn(file);
            return channel != null && lockOrClose(channel, file, identity)
                    ? Optional.of(new RankLock(file, identity, channel))
                    : Optional.empty();
        }
    }

    private static @Nullable FileChannel openOwn(Path file) throws IOException {
        try {
            FileOwner.refuseForeign(file);
            return open(file, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
        } catch (NoSuchFileException removedMeanwhile) {
            return null;
        }
    }

    private static boolean lockOrClose(FileChannel channel, Path file, Object identity) throws IOException {
        boolean claimed = false;
        try {
            // The last rank to leave removes the files while it holds their locks: what was opened must still be what others will find.
            claimed = tryLock(channel, CLAIMED, false) && identity.equals(identity(file))
                    && HELD_BY_THIS_PROCESS.add(identity);
            return claimed;
        } finally {
            if (!claimed) {
                channel.close();
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

    private static @Nullable FileChannel open(Path file, OpenOption... options) throws IOException {
        try {
            return FileChannel.open(file, options);
        } catch (NoSuchFileException removedMeanwhile) {
            return null;
        }
    }

    private static @Nullable Object identity(Path file) throws IOException {
        try {
            return Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS).fileKey();
        } catch (NoSuchFileException removedMeanwhile) {
            return null;
        }
    }

    private static boolean tryLock(FileChannel channel, long position, boolean shared) throws IOException {
        try {
            FileLock lock = channel.tryLock(position, 1, shared);
            return lock != null;
        } catch (OverlappingFileLockException heldByThisProcess) {
            return false;
        }
    }

    /** From now on others see that the rank lives. */
    public void announce() throws IOException {
        Backoff backoff = new Backoff(Clock.SYSTEM, ANNOUNCE_TIMEOUT);
        while (!tryLock(channel, ALIVE, false)) {
            if (!backoff.pause()) {
                throw new IOException("a process was paused while it looked at this file: file=" + file);
            }
        }
    }

    /** Whether those who look for the file find the one that is locked here. */
    public boolean isStillInPlace() throws IOException {
        return identity.equals(identity(file));
    }

    /** Whether a living process has claimed and announced what the file stands for. Any thread may ask, an interrupted one, too. */
    public static boolean isAlive(Path file) {
        synchronized (HELD_BY_THIS_PROCESS) {
            try {
                Object identity = identity(file);
                if (identity == null || HELD_BY_THIS_PROCESS.contains(identity)) {
                    return identity != null;
                }
                try (FileChannel channel = open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
                    return channel != null && !tryLock(channel, ALIVE, true);
                }
            } catch (IOException cannotBeLookedAt) {
                // Nobody is called dead without proof.
                return true;
            }
        }
    }

    /** Gives it back; at the latest the end of the process does. */
    @Override
    public void close() throws IOException {
        synchronized (HELD_BY_THIS_PROCESS) {
            channel.close();
            HELD_BY_THIS_PROCESS.remove(identity);
        }
    }
}
