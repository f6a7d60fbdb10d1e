package io.atoll.spring.state;

import io.atoll.background.BackgroundThread;
import io.atoll.epoch.EpochSnapshot;
import io.atoll.spring.state.CachedLook.Seen;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the reclamation of a world in a thread of its own, and keeps the last result. A look waits for each rank
 * that does not answer. A caller that asks for the last result waits for no rank. Any thread may use the watch.
 * <pre>
 *   thread: look ── look ── look ·········· waits for a rank ·········· ── look
 *                 │       │       │                                    │
 *                 known   known   known, older and older; overdue      known
 * </pre>
 */
final class EpochWatch implements AutoCloseable {

    // The number of looks within a pin limit. So a pin is seen at the latest a quarter of the limit after it has begun.
    static final int LOOKS_IN_A_LIMIT = 4;
    private static final Duration SHORTEST_REST = Duration.ofMillis(100);

    /** Limits the age of shown figures while all ranks answer, however long pins may last. */
    private static final Duration LONGEST_REST = Duration.ofSeconds(5);

    /** The longest normal read of a rank. A rank that answers is read within milliseconds. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    /** @param sinceNanos when the look under way reached the rank */
    private record Reading(int rank, long sinceNanos) {}

    private final Function<IntPredicate, Optional<EpochSnapshot>> read;
    private final IntPredicate isReadable;
    private final CachedLook<Optional<EpochSnapshot>> sight = new CachedLook<>();
    private final BackgroundThread thread;
    // the looking thread writes it; only one thread looks at a time
    private volatile @Nullable Seen<EpochSnapshot> known;
    private final LimboRing limbo;
    // derived from the known snapshot, and written by the looking thread
    private volatile Map<Integer, Long> ownedBytes = Map.of();
    private volatile @Nullable Reading reading; // null while no thread looks; written by the looking thread

    /**
     * @param read reads the ranks. Asks for each rank right before reading it, and leaves out ranks that it may not
     * read
     * @param isReadable returns true if a rank may answer
     * @param afterwards runs in the watch's thread after each of its looks
     */
    EpochWatch(int rank, Duration pinLimit, Function<IntPredicate, Optional<EpochSnapshot>> read,
            IntPredicate isReadable, Runnable afterwards) {
        this.read = read;
        this.isReadable = isReadable;
        this.limbo = new LimboRing(rest(pinLimit));
        this.thread = new BackgroundThread("atoll-pins-" + rank, BackgroundThread.afterEvery(rest(pinLimit), () -> {
            look(Duration.ZERO);
            afterwards.run();
        }));
    }

    private static Duration rest(Duration pinLimit) {
        Duration rest = pinLimit.dividedBy(LOOKS_IN_A_LIMIT);
        if (rest.compareTo(SHORTEST_REST) < 0) {
            return SHORTEST_REST;
        }
        return rest.compareTo(LONGEST_REST) > 0 ? LONGEST_REST : rest;
    }

    /** Returns the thread. The caller must wake it once, so that it begins to look. */
    BackgroundThread thread() {
        return thread;
    }

    /**
     * Returns what a look sees. Returns empty if no rank has used reclamation, or if its epoch is out of reach. May
     * wait for ranks.
     *
     * @param kept how long a result is reused before the next look
     */
    Optional<EpochSnapshot> look(Duration kept) {
        return sight.look(kept, this::look);
    }

    /** Returns what the last look has seen. Returns empty if there was none yet, or if it saw nothing. */
    Optional<EpochSnapshot> last() {
        Seen<Optional<EpochSnapshot>> last = sight.last();
        return last == null ? Optional.empty() : last.what();
    }

    private Optional<EpochSnapshot> look() {
        try {
            Optional<EpochSnapshot> seen = read.apply(this::begin);
            seen.ifPresent(this::keep);
            return seen;
        } finally {
            reading = null;
        }
    }

    private void keep(EpochSnapshot snapshot) {
        Map<Integer, Long> bytes = new HashMap<>();
        for (EpochSnapshot.Rank rank : snapshot.ranks()) {
            for (EpochSnapshot.Limbo each : rank.limbo()) {
                each.owned().forEach(owned -> bytes.merge(owned.rank(), owned.bytes(), Long::sum));
            }
        }
        long nowNanos = System.nanoTime();
        ownedBytes = bytes;
        known = new Seen<>(snapshot, nowNanos);
        limbo.add(nowNanos, bytes);
    }

    private boolean begin(int rank) {
        reading = new Reading(rank, System.nanoTime());
        return isReadable.test(rank);
    }

    /** Returns the last result. Returns null if nothing was ever seen. */
    @Nullable Seen<EpochSnapshot> known() {
        return known;
    }

    /**
     * Returns how many bytes in the rank's segment wait to be freed, as the last look has seen. Any rank may have
     * retired them.
     */
    long ownedBytes(int rank) {
        return ownedBytes.getOrDefault(rank, 0L);
    }

    /** Returns the same figures of the last ten minutes. */
    LimboRing limbo() {
        return limbo;
    }

    /**
     * Returns a text about the rank that the look under way waits for. Returns null if it has waited no longer than a
     * normal read takes.
     */
    @Nullable String overdue() {
        Reading now = reading;
        if (now == null) {
            return null;
        }
        Duration waited = Duration.ofNanos(System.nanoTime() - now.sinceNanos());
        return waited.compareTo(PATIENCE) < 0
                ? null
                : "what is shown of epochs is old, since a rank does not answer: rank=" + now.rank() + " waitedMillis="
                        + waited.toMillis();
    }

    @Override
    public void close() {
        thread.close();
    }
}
