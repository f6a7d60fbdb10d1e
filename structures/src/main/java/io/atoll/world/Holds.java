package io.atoll.world;

import io.atoll.memory.Layouts;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * What keeps threads of a process from reserving the same word at the same time. A thread takes the word's hold before.
 * Words of one owner share holds. Each owner has its own: an undoing that waits for an owner that is gone must not block
 * the words of other owners. Spare ones follow, of words that need none.
 *
 * <pre>
 *      hold 0                hold 1
 *   +----------+----------+----------+----------+----
 *   |  taken   | prepared |  taken   | prepared |         a thread that takes a hold needs both: one cache line
 *   +----------+----------+----------+----------+----
 * </pre>
 * {@code taken} is null, or {@link #BY_A_THREAD}, or the undoing that must come first. {@code prepared} is the undoing
 * that the hold may come to need. It is made before the hold is taken for the first time, and so before anything is
 * reserved: once there is something to undo, there may be no memory.
 */
final class Holds {

    /** Instead of a hold, if no other thread must be kept out. */
    static final int NONE = -1;

    /** Undoings of words that need no hold, and for which no memory is needed. */
    static final int SPARE = 64;

    /** Takes the place of the undoing while a thread has the hold. */
    private static final Undoing BY_A_THREAD = new Undoing(NONE);

    // Of 256 words that a batch reserves at one owner, about eight share one of 4,096 holds with another. If there are
    // many owners, the words of a batch are spread over them, so each has fewer holds. All of them take 2 MiB up to 256
    // owners, and 8 KiB for each owner beyond. What is prepared for those that were taken takes nine times as much.
    private static final int LOG_FEWEST = 10;
    private static final int LOG_MOST = 12;
    private static final int LOG_ALL = 18;

    /** 2^64 divided by the golden ratio: its multiples spread evenly over the high bits. */
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    private final int logOfOwner;
    private final int count;
    private final AtomicReferenceArray<@Nullable Undoing> places;

    Holds(int owners) {
        int logOfOwners = Integer.SIZE - Integer.numberOfLeadingZeros(owners - 1);
        this.logOfOwner = Math.clamp(LOG_ALL - logOfOwners, LOG_FEWEST, LOG_MOST);
        this.count = (owners << logOfOwner) + SPARE;
        this.places = new AtomicReferenceArray<>(2 * count);
        for (int spare = count - SPARE; spare < count; spare++) {
            places.set(preparedPlace(spare), new Undoing(spare));
        }
    }

    /** Returns one of the owner's holds. Words that are equally far apart, as buckets are, rarely share one. */
    int of(int owner, long offset) {
        return owner << logOfOwner | (int) (offset / Layouts.WORD * SPREAD >>> Long.SIZE - logOfOwner);
    }

    /** Returns the number of all holds. */
    int count() {
        return count;
    }

    /** Takes the hold. Returns false if a thread has it, or an undoing lies in it. */
    boolean take(int hold) {
        if (places.get(preparedPlace(hold)) == null) {
            places.compareAndSet(preparedPlace(hold), null, new Undoing(hold));
        }
        return places.compareAndSet(takenPlace(hold), null, BY_A_THREAD);
    }

    /** Takes a spare one. Returns {@link #NONE} if there is none. */
    int takeSpare() {
        for (int spare = count - SPARE; spare < count; spare++) {
            if (take(spare)) {
                return spare;
            }
        }
        return NONE;
    }

    void release(int hold) {
        places.set(takenPlace(hold), null);
    }

    /** Returns the undoing that lies in the hold, or null. */
    @Nullable Undoing undoing(int hold) {
        Undoing taken = places.get(takenPlace(hold));
        return taken == BY_A_THREAD ? null : taken;
    }

    /** Returns the undoing that the thread may put into the hold that it has. */
    Undoing prepared(int hold) {
        return Objects.requireNonNull(places.get(preparedPlace(hold)));
    }

    /** Puts the undoing into its hold, where other threads find it. Allocates nothing. */
    void put(Undoing undoing) {
        places.set(takenPlace(undoing.hold), undoing);
    }

    private static int takenPlace(int hold) {
        return 2 * hold;
    }

    private static int preparedPlace(int hold) {
        return 2 * hold + 1;
    }
}
