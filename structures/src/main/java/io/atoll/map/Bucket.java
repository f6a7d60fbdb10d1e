package io.atoll.map;

import io.atoll.memory.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;

/**
 * One bucket, as it lies in the owner's segment. It has two places for the value. An update is written beside the
 * living value, and one write of the state makes it the living one.
 * <pre>
 *       0         8         8 + key     8 + key + value     8 + key + 2 value
 *       +---------+---------+-----------+-------------------+
 *       |  state  |   key   |  place 0  |      place 1      |     then room, so that a bucket
 *       +---------+---------+-----------+-------------------+     lies in as few cache lines as it can
 *
 *   state:   FREE --(1)--> RESERVED --(3)--> READY --(1)--> RESERVED --(3)--> READY      RESERVED --undo--> as before
 *              |             |                 |\-(8)--> RESERVED, FOUND --(9), (3)--> READY
 *              |             |                 \--remove--> TOMBSTONE --(1)--> RESERVED
 *              |             \--name--> RESERVED, as if it had been a TOMBSTONE
 *              \--move--> CLOSED        READY, TOMBSTONE --move--> MOVED
 *
 *    63          48 47     32 31                4 3      2 1    0
 *   +--------------+---------+-------------------+--------+------+     rank, incarnation, origin:
 *   | incarnation  |  rank   |      version      | origin | kind |     while RESERVED, else 0
 *   +--------------+---------+-------------------+--------+------+     CLOSED, MOVED: FREE with an origin
 *                                                                      FOUND: READY, reserved by (8)
 * </pre>
 * The steps of a writer ({@code BucketWriter}) and of a reader ({@code BucketReader}):
 * <ul>
 * <li>(1) reserve: compareAndExchange by the thread that inserts, changes or revives the entry. Until it publishes, it
 * alone writes the bucket;
 * <li>(2) write: the key and place 0 of a new entry, else the place that is not living;
 * <li>(3) publish: the write of the state, after (2);
 * <li>(4) read the state;
 * <li>(5) read the entry;
 * <li>(6) read the state again: if it is as at (4), no writer has touched the place that was read.
 * </ul>
 * Where the owner decides guards, one batch makes the whole change of an entry ({@code BucketSearcher}). Its steps:
 * <ul>
 * <li>(7) find: the owner looks at buckets, from the home's group on. It loads the state (4) and the key of each, until
 * one is READY and has the key. If the caller wants the former value, (5) follows;
 * <li>(8) reserve the bucket that was found, if its state still is what (7) has seen. Or remove the entry;
 * <li>(2) write the place that is not living. The state that (8) has found tells the owner which place that is;
 * <li>(9) publish: an addition to the state, since the caller has not seen the state;
 * <li>(1), (2) and (3) of a new entry at the home, if that is FREE;
 * <li>(4), (5) and (6) of the home. If nothing was changed, the search goes on from there.
 * </ul>
 * One batch never both changes the bucket that (7) finds and inserts at the home. If (7) finds the key, no bucket on
 * the key's path is FREE. A bucket may become FREE again, but no search has passed such a bucket. After (8) the state
 * says FOUND: a writer that undoes (8) knows neither the bucket nor the version.
 *
 * <p>If a function computes the value, the batch has no (2) and no (9). If the home is FREE, the batch reserves and
 * names it. The bucket stays reserved while the function runs ({@code BucketComputer}). Then (2) and (3) follow, a
 * removal, or an undoing.
 *
 * <p>Other steps of the state:
 * <ul>
 * <li>remove: compareAndExchange by the remover;
 * <li>undo: by a thread that finds the holder dead, or by the holder, if it leaves the entry as it is;
 * <li>name: by an inserter that writes the key alone. A function is still to say if there will be a value. Meanwhile
 * others can look for their own keys without waiting for it;
 * <li>move: compareAndExchange by a thread that moves buckets to another block; of a READY one once it is copied. A
 * bucket that is MOVED or CLOSED is final: its key is in the next block, or will be.
 * </ul>
 *
 * <p>The version's low bit names the living place. The version grows by one with every change. So a reader whose two
 * looks at the state agree has read one value whole. The version wraps after 2^28 changes: a reader must not be paused
 * for exactly that many.
 */
final class Bucket {

    // Kinds.
    public static final long FREE = 0; // zeroed memory is an empty map
    public static final long RESERVED = 1;
    public static final long READY = 2;
    public static final long TOMBSTONE = 3;

    /** The origin of a READY bucket that was reserved where a search has found it. */
    private static final long FOUND = RESERVED;

    /** The state of a bucket that has a key and never had a value. */
    public static final long NAMED = TOMBSTONE;

    static final long KIND_MASK = 0b11;
    private static final int ORIGIN_SHIFT = 2;
    private static final int VERSION_SHIFT = 4;
    /** The number of the bit of a state that names the living place: the lowest one of the version. */
    static final int PLACE_SHIFT = VERSION_SHIFT;
    private static final long VERSION_MASK = (1L << 28) - 1;
    static final long VERSION_BITS = VERSION_MASK << VERSION_SHIFT;
    private static final long PLACE_BIT = 1L << PLACE_SHIFT;
    /** The versions that are not the last one, to which one can be added. */
    static final long LAST_BUT_ONE_VERSION = VERSION_BITS - PLACE_BIT;
    private static final int RANK_SHIFT = 32;
    private static final int INCARNATION_SHIFT = 48;
    private static final long SHORT_MASK = 0xFFFF;

    public static final long CLOSED = RESERVED << ORIGIN_SHIFT | FREE;
    public static final long MOVED = TOMBSTONE << ORIGIN_SHIFT | FREE;

    private final StructLayout layout;

    public final long keyBytes;
    public final long valueBytes;
    public final long state;
    public final long key;
    /** The first place of the value. */
    public final long value;
    public final long size;

    public Bucket(long keyBytes, long valueBytes) {
        this.keyBytes = keyBytes;
        this.valueBytes = valueBytes;
        this.layout = MemoryLayout.structLayout( //
                Layouts.word("state"), //
                Layouts.words("key", keyBytes / Layouts.WORD), //
                Layouts.words("place0", valueBytes / Layouts.WORD), //
                Layouts.words("place1", valueBytes / Layouts.WORD));
        this.state = Layouts.offsetOf(layout, "state");
        this.key = Layouts.offsetOf(layout, "key");
        this.value = Layouts.offsetOf(layout, "place0");
        this.size = Layouts.spaced(layout.byteSize());
    }

    /** Returns where the value lies that a state's version names. */
    public long place(long state) {
        return value + (version(state) & 1) * valueBytes;
    }

    public static long kind(long state) {
        return state & KIND_MASK;
    }

    /** Returns what a reserved bucket was before: FREE, READY or TOMBSTONE. */
    public static long origin(long reserved) {
        long origin = reserved >>> ORIGIN_SHIFT & KIND_MASK;
        return origin == FOUND ? READY : origin;
    }

    public static long version(long state) {
        return state >>> VERSION_SHIFT & VERSION_MASK;
    }

    public static int rank(long reserved) {
        return (int) (reserved >>> RANK_SHIFT & SHORT_MASK);
    }

    public static int incarnation(long reserved) {
        return (int) (reserved >>> INCARNATION_SHIFT & SHORT_MASK);
    }

    /** Returns the state of a bucket that no thread has reserved. */
    public static long settled(long kind, long version) {
        return (version & VERSION_MASK) << VERSION_SHIFT | kind;
    }

    /** Returns the state after the value of a {@code living} bucket was removed. */
    public static long removed(long living) {
        return settled(TOMBSTONE, version(living) + 1);
    }

    /** Returns the state of a bucket that was {@code before} and is reserved now. */
    public static long reserved(long before, int rank, int incarnation) {
        return (long) incarnation << INCARNATION_SHIFT | (long) rank << RANK_SHIFT | version(before) << VERSION_SHIFT
                | kind(before) << ORIGIN_SHIFT | RESERVED;
    }

    /** Returns what reserves a READY bucket of any version if it is added to the state (8). */
    static long reservation(int rank, int incarnation) {
        return reservedFound(rank, incarnation) - READY;
    }

    /** Returns what publishes the next version if it is added to a state that was reserved by addition (9). */
    static long publication(int rank, int incarnation) {
        return PLACE_BIT - reservation(rank, incarnation);
    }

    /** Returns what removes the value of a READY bucket of any version if it is added to the state. */
    static long removal() {
        return removed(READY) - READY;
    }

    /** Returns true if this rank has reserved the bucket by addition (8). */
    static boolean isFoundBy(int rank, int incarnation, long state) {
        return (state & ~VERSION_BITS) == reservedFound(rank, incarnation);
    }

    private static long reservedFound(int rank, int incarnation) {
        return (long) incarnation << INCARNATION_SHIFT | (long) rank << RANK_SHIFT | FOUND << ORIGIN_SHIFT | RESERVED;
    }

    /**
     * Returns the state before the reservation. Nothing is lost by going back to it. The living place was not touched,
     * and no search has passed a bucket that becomes FREE again.
     */
    public static long undone(long reserved) {
        return settled(origin(reserved), version(reserved));
    }

    /**
     * Returns true if the bucket has a key. The key was written before the state became this one, or an earlier one.
     */
    public static boolean hasKey(long state) {
        return kind(state) == READY || kind(state) == TOMBSTONE || kind(state) == RESERVED && origin(state) != FREE
                || state == MOVED;
    }

    /** Returns true if no key will ever be found here, nor put here. */
    public static boolean isFinal(long state) {
        return state == MOVED || state == CLOSED;
    }

    /** Returns true if the bucket is reserved for a key that no other thread knows yet. */
    public static boolean isNameless(long state) {
        return kind(state) == RESERVED && origin(state) == FREE;
    }

    /**
     * Returns true if the key has a value, in {@link #place}. It still has while another value is being written beside
     * it.
     */
    public static boolean isLiving(long state) {
        return kind(state) == READY || kind(state) == RESERVED && origin(state) == READY;
    }
}
