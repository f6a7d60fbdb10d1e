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
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The proof that a rank lives: its process holds locks of a file. The kernel takes the locks back when the process
 * ends, however it ends, and not while it is merely paused. It takes them back after the last thread of the process has
 * lost its memory. So everything that a dead process had stored is there, and none of its stores comes later.
 * <pre>
 *       0           1           2
 *       +-----------+-----------+
 *       |  claimed  |   alive   |
 *       +-----------+-----------+
 * </pre>
 *
 * <p>The first byte decides between processes that claim the rank. Other processes look at the second byte, by sharing
 * its lock for an instant: Java cannot ask for a lock without taking it. So a process that looks is never mistaken for
 * the holder.
 *
 * <p>POSIX drops a process's locks of a file when the process closes <em>any</em> descriptor of it. So nothing else
 * ever opens these files. Several ranks may live in one process. So a table, and never an attempt, tells which locks
 * this process holds. All of this happens under one monitor: see {@link HeldFiles}.
 */
final class RankLock implements AutoCloseable {

    private static final long CLAIMED = 0;
    private static final long ALIVE = 1;

    /** How long the holder waits until processes that look at the second byte have released it. */
    private static final Duration ANNOUNCE_TIMEOUT = Duration.ofSeconds(5);

    private final Path file;
    private final String identity;
    private final FileChannel channel;
    private boolean closed; // guarded by the monitor

    private RankLock(Path file, String identity, FileChannel channel) {
        this.file = file;
        this.identity = identity;
        this.channel = channel;
    }

    /**
     * Claims the rank that the file stands for. Returns nothing if a living process has it and keeps it for longer than
     * the timeout.
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
        synchronized (HeldFiles.MONITOR) {
            createIfMissing(file);
            String identity = HeldFiles.identity(file);
            if (identity == null || HeldFiles.contains(identity)) {
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

    private static boolean lockOrClose(FileChannel channel, Path file, String identity) throws IOException {
        boolean claimed = false;
        try {
            // The last rank to leave removes the files while it holds their locks. So the opened file must still be the
            // one that others will find.
            if (tryLock(channel, CLAIMED, false) && identity.equals(HeldFiles.identity(file))) {
                HeldFiles.add(identity);
                claimed = true;
            }
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
            // The file exists; the caller opens it next.
        }
    }

    private static @Nullable FileChannel open(Path file, OpenOption... options) throws IOException {
        try {
            return FileChannel.open(file, options);
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

    /** Shows to others, from now on, that the rank lives. */
    public void announce() throws IOException {
        Backoff backoff = new Backoff(Clock.SYSTEM, ANNOUNCE_TIMEOUT);
        while (!tryLock(channel, ALIVE, false)) {
            if (!backoff.pause()) {
                throw new IOException("a process was paused while it looked at this file: file=" + file);
            }
        }
    }

    /** Returns true if processes that look for the file find the one that is locked here. */
    public boolean isStillInPlace() throws IOException {
        return identity.equals(HeldFiles.identity(file));
    }

    /**
     * Returns true if a living process has claimed and announced the rank of this file. Any thread may ask, even an
     * interrupted one.
     */
    public static boolean isAlive(Path file) {
        synchronized (HeldFiles.MONITOR) {
            try {
                String identity = HeldFiles.identity(file);
                if (identity == null || HeldFiles.contains(identity)) {
                    return identity != null;
                }
                try (FileChannel channel = open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
                    return channel != null && !tryLock(channel, ALIVE, true);
                }
            } catch (IOException cannotBeLookedAt) {
                // No rank is called dead without proof.
                return true;
            }
        }
    }

    /** Returns true if a living process other than this one has claimed and announced the rank. */
    static boolean isAliveElsewhere(Path file) throws IOException {
        synchronized (HeldFiles.MONITOR) {
            String identity = HeldFiles.identity(file);
            return identity != null && !HeldFiles.contains(identity) && isAlive(file);
        }
    }

    /** Gives the lock back. The end of the process does so at the latest. */
    @Override
    public void close() throws IOException {
        synchronized (HeldFiles.MONITOR) {
            if (!closed) {
                closed = true;
                // First: a table that still held a file without its lock would call a dead rank alive.
                HeldFiles.remove(identity);
                channel.close();
            }
        }
    }
}
