package io.atoll.fabric.shm;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The files of a world on this host: {@code atoll-WORLD-RANK.segment}, {@code .lock} beside it, and {@code .new} until
 * the segment is made.
 */
record WorldFiles(Path folder, String world) {

    private static final Pattern OF_A_RANK = Pattern.compile("([0-9]{1,5})\\.(segment|new|lock)");
    private static final String OF_ONE = "one.lock";
    private static final Duration LEAVE_TIMEOUT = Duration.ofSeconds(5);

    private String prefix() {
        return "atoll-" + world + "-";
    }

    Path segment(int rank) {
        return folder.resolve(prefix() + rank + ".segment");
    }

    Path unfinishedSegment(int rank) {
        return folder.resolve(prefix() + rank + ".new");
    }

    /** Returns the file that the rank's process holds locked. */
    public Path lock(int rank) {
        return folder.resolve(prefix() + rank + ".lock");
    }

    /** Held by the one rank at a time that finds out if it is the last to leave. */
    private Path leaveLock() {
        return folder.resolve(prefix() + "leave.lock");
    }

    /** Held by a process whose world of one rank has no other files. */
    private Path ofOne() {
        return folder.resolve(prefix() + OF_ONE);
    }

    /** Returns true if no other host can have these files. */
    public boolean areOfOneHost() throws IOException {
        return FileSystemKind.of(folder).isOfOneHost();
    }

    /** Returns what the kernel calls their file system. */
    public String fileSystem() throws IOException {
        return FileSystemKind.of(folder).name();
    }

    /** Returns true if another process has a world of this name here, of one rank or of several. */
    public boolean isUsedByAnotherProcess() throws IOException {
        if (RankLock.isAliveElsewhere(ofOne())) {
            return true;
        }
        for (int rank : ranks()) {
            if (RankLock.isAliveElsewhere(lock(rank))) {
                return true;
            }
        }
        return false;
    }

    /**
     * Takes the sign by which other processes see that a world of one rank has this name. Returns empty if the sign is
     * taken.
     */
    public Optional<RankLock> signOfOne() throws IOException {
        Optional<RankLock> sign = RankLock.tryClaim(ofOne(), Duration.ZERO);
        if (sign.isPresent()) {
            sign.get().announce();
        }
        return sign;
    }

    /** Removes the sign of a world of one rank. */
    public void remove(RankLock sign) throws IOException {
        remove(ofOne(), sign);
    }

    /**
     * Removes the file before the lock is given back. So a process that opens the file meanwhile finds that its name no
     * longer leads to it.
     */
    private static void remove(Path file, RankLock sign) throws IOException {
        try (sign) {
            Files.deleteIfExists(file);
        }
    }

    /**
     * Removes the signs that worlds of one rank, of any name, have left in this folder. A killed process cannot remove
     * its sign, an empty file, and its name may never be used again. Signs that are held stay, since they cannot be
     * claimed; so do the signs of other users.
     */
    public void removeSignsOfEnded() throws IOException {
        try (DirectoryStream<Path> signs = Files.newDirectoryStream(folder, "atoll-*-" + OF_ONE)) {
            for (Path sign : signs) {
                if (!isForeign(sign)) {
                    Optional<RankLock> ended = RankLock.tryClaim(sign, Duration.ZERO);
                    if (ended.isPresent()) {
                        remove(sign, ended.get());
                    }
                }
            }
        } catch (DirectoryIteratorException failure) {
            throw failure.getCause();
        }
    }

    /**
     * Removes all files of the world, if none of its processes lives. A process that can claim every rank that has left
     * a file knows that none lives. Its claims keep newcomers out until the files are gone. One process at a time
     * tries: two that leave together would otherwise take each other for living ranks.
     */
    public void removeIfUnused() throws IOException {
        RankLock leaving = RankLock.tryClaim(leaveLock(), LEAVE_TIMEOUT)
                .orElseThrow(() -> new IOException("another rank has been leaving for too long: file=" + leaveLock()));
        List<RankLock> claimed = new ArrayList<>();
        try {
            SortedSet<Integer> ranks = ranks();
            for (int rank : ranks) {
                Optional<RankLock> claim = RankLock.tryClaim(lock(rank), Duration.ZERO);
                if (claim.isEmpty()) {
                    return;
                }
                claimed.add(claim.get());
            }
            for (int rank : ranks) {
                remove(rank);
            }
        } finally {
            // The claims first: the next process that tries would take them for living ranks.
            for (RankLock each : claimed) {
                each.close();
            }
            Files.deleteIfExists(leaveLock());
            leaving.close();
        }
    }

    /**
     * The ranks with files of this user. Other users may make any files in this folder, and only they can remove them.
     */
    private SortedSet<Integer> ranks() throws IOException {
        SortedSet<Integer> ranks = new TreeSet<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, this::isOfTheWorld)) {
            for (Path file : files) {
                Matcher name = OF_A_RANK.matcher(file.getFileName().toString().substring(prefix().length()));
                if (name.matches() && !isForeign(file)) {
                    ranks.add(Integer.valueOf(name.group(1)));
                }
            }
        }
        return ranks;
    }

    private boolean isOfTheWorld(Path file) {
        return file.getFileName().toString().startsWith(prefix());
    }

    private static boolean isForeign(Path file) throws IOException {
        try {
            return FileOwner.isForeign(file);
        } catch (NoSuchFileException removedMeanwhile) {
            return true;
        }
    }

    /** Removes the files of a rank, which this process has claimed; the lock last. */
    void remove(int rank) throws IOException {
        Files.deleteIfExists(unfinishedSegment(rank));
        Files.deleteIfExists(segment(rank));
        Files.deleteIfExists(lock(rank));
    }
}
