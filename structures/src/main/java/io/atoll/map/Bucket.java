package io.atoll.map;

import io.atoll.memory.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;

/**
 * One bucket, as it lies in the owner's segment. It has two places for the value: an update is written
 * beside the living value, and one write of the state makes it the living one.
 * <pre>
 *       0         8         8 + key     8 + key + value     8 + key + 2 value
 *       +---------+---------+-----------+-------------------+
 *       |  state  |   key   |  place 0  |      place 1      |     then room up to a size that never straddles cache lines in vain
 *       +---------+---------+-----------+-------------------+
 *
 *   state:   FREE --(1)--> RESERVED --(2)--> READY --(3)--> RESERVED --(2)--> READY       RESERVED --(5)--> what it was
 *              |             |                 \--(4)--> TOMBSTONE --(3)--> RESERVED
 *              |             \--(6)--> RESERVED, as if it had been a TOMBSTONE
 *              \--(7)--> CLOSED         READY, TOMBSTONE --(7)--> MOVED
 *
 *    63          48 47     32 31                4 3      2 1    0
 *   +--------------+---------+-------------------+--------+------+
 *   | incarnation  |  rank   |      version      | origin | kind |     rank, incarnation, origin: while RESERVED, else 0
 *   +--------------+---------+-------------------+--------+------+     CLOSED, MOVED: FREE with an origin
 * </pre>
 * (1) compareAndExchange by the inserter of a new key, who then alone writes the key and place 0; (2) its last write, after the value; (3)
 * compareAndExchange by whoever changes or revives the entry, who then alone writes the place that is not living; (4) compareAndExchange by the remover; (5)
 * by whoever finds the holder dead, or by the holder, who leaves the entry as it is; (6) by an inserter who writes the key alone, since a function
 * is still to say whether there will be a value: meanwhile others need not wait for it to look for their own keys; (7) compareAndExchange by whoever moves buckets to
 * another block, of a READY one when it is copied. What is MOVED or CLOSED is final: its key is in the next block, or will be.
 *
 * <p>The version's low bit names the living place. The version grows by one with every change, so a reader whose two looks at the state agree has
 * read one value whole. It wraps after 2^28 changes: a reader must not be paused for exactly that many.
 */
final class Bucket {

    // Kinds.
    public static final long FREE = 0; // zeroed memory is an empty map
    public static final long RESERVED = 1;
    public static final long READY = 2;
    public static final long TOMBSTONE = 3;

    /** The state of a bucket that has a key, and never had a value. */
    public static final long NAMED = TOMBSTONE;

    private static final long KIND_MASK = 0b11;
    private static final int ORIGIN_SHIFT = 2;
    private static final int VERSION_SHIFT = 4;
    private static final long VERSION_MASK = (1L << 28) - 1;
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

    /** Where the value lies that a state's version names. */
    public long place(long state) {
        return value + (version(state) & 1) * valueBytes;
    }

    public static long kind(long state) {
        return state & KIND_MASK;
    }

    /** What a reserved bucket was before: FREE, READY or TOMBSTONE. */
    public static long origin(long reserved) {
        return reserved >>> ORIGIN_SHIFT & KIND_MASK;
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

    public static long settled(long kind, long version) {
        return (version & VERSION_MASK) << VERSION_SHIFT | kind;
    }

    /** The state when the value of a {@code living} one is gone. */
    public static long removed(long living) {
        return settled(TOMBSTONE, version(living) + 1);
    }

    /** The state of a bucket that was {@code before} and is reserved now. */
    public static long reserved(long before, int rank, int incarnation) {
        return (long) incarnation << INCARNATION_SHIFT | (long) rank << RANK_SHIFT | version(before) << VERSION_SHIFT
                | kind(before) << ORIGIN_SHIFT | RESERVED;
    }

    /** The state before the reservation. Nothing is lost: the living place was not touched, and a bucket that is FREE again has not been passed by anybody. */
    public static long undone(long reserved) {
        return settled(origin(reserved), version(reserved));
    }

    /** Whether the key is there: it was written before the state became what it is, or has been. */
    public static boolean hasKey(long state) {
        return kind(state) == READY || kind(state) == TOMBSTONE || kind(state) == RESERVED && origin(state) != FREE
                || state == MOVED;
    }

    /** Whether nothing will ever be found here, nor put. */
    public static boolean isFinal(long state) {
        return state == MOVED || state == CLOSED;
    }

    /** Whether it is reserved for a key that nobody knows yet. */
    public static boolean isNameless(long state) {
        return kind(state) == RESERVED && origin(state) == FREE;
    }

    /** Whether the key has a value, in {@link #place}: also while another is being written beside it. */
    public static boolean isLiving(long state) {
        return kind(state) == READY || kind(state) == RESERVED && origin(state) == READY;
    }
}
