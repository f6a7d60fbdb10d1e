package io.atoll.lock;

import io.atoll.memory.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;

/**
 * One request for a lock: a cache line in the requester's own segment. So each waiter waits for a word of its own
 * (ALock, algorithm 1).
 * <pre>
 *       0        8        16       24       32              40        48       64
 *       +--------+--------+--------+--------+---------------+---------+--------+
 *       |  lock  |  phase |  next  |  grant |  predecessor  |  since  | thread |
 *       +--------+--------+--------+--------+---------------+---------+--------+
 * </pre>
 * The lock word names the lock in one life of its owner's segment, see {@link #lock}. Next is a {@link Tail} word. The
 * successor writes next once, and the predecessor writes grant once, both by plain writes. A rank that repairs the
 * queue also writes both, while no other thread does.
 *
 * <p>The requester writes all other words. It writes the lock before its {@link Phase}. A rank that repairs the queue
 * or looks on reads them. Since is the time when the requester began to wait or to hold the lock. It counts
 * milliseconds since 1970, to about a tenth of a second. Asking a clock would cost more than an uncontended lock. The
 * thread's name has 16 bytes.
 */
final class Descriptor {

    /** The largest number of descriptors that threads keep. See {@link #kept}. */
    public static final int MOST_KEPT = 64;

    private static final int NAME_WORDS = 2;
    private static final int INDEX_BITS = 48;

    private static final StructLayout LAYOUT = MemoryLayout.structLayout( //
            Layouts.word("lock"), //
            Layouts.word("phase"), //
            Layouts.word("next"), //
            Layouts.word("grant"), //
            Layouts.word("predecessor"), //
            Layouts.word("since"), //
            Layouts.words("thread", NAME_WORDS));

    public static final long LOCK = Layouts.offsetOf(LAYOUT, "lock");
    public static final long PHASE = Layouts.offsetOf(LAYOUT, "phase");
    public static final long NEXT = Layouts.offsetOf(LAYOUT, "next");
    public static final long GRANT = Layouts.offsetOf(LAYOUT, "grant");
    public static final long PREDECESSOR = Layouts.offsetOf(LAYOUT, "predecessor");
    public static final long SINCE = Layouts.offsetOf(LAYOUT, "since");
    public static final long THREAD = Layouts.offsetOf(LAYOUT, "thread");
    public static final long SIZE = LAYOUT.byteSize();

    /** Bytes of a thread's name. */
    public static final int NAME_BYTES = NAME_WORDS * (int) Layouts.WORD;

    private Descriptor() {}

    /**
     * Returns the number of bytes before the descriptors of a rank: a word for its incarnation, one for its time, and
     * one for each rank.
     *
     * @param maxSize the largest number of ranks that may ever be in the world
     */
    public static long headBytes(int maxSize) {
        return Layouts.roundUp((2 + maxSize) * Layouts.WORD, Layouts.CACHE_LINE);
    }

    /**
     * Returns the offset of the {@linkplain Note notes}. They follow the head, the descriptors of an even incarnation
     * and those of an odd one.
     *
     * @param maxSize the largest number of ranks that may ever be in the world
     * @param shared the number of descriptors that any thread may claim
     */
    public static long notes(int maxSize, int shared) {
        return headBytes(maxSize) + 2L * (shared + kept(shared)) * SIZE;
    }

    /** Returns the offset of the {@linkplain Demand demands} of all ranks. They follow the notes. */
    public static long demands(int maxSize, int shared) {
        return notes(maxSize, shared) + (shared + kept(shared)) * Note.SIZE;
    }

    /** Returns the number of bytes of the head, descriptors, notes and demands together. */
    public static long tableBytes(int maxSize, int shared) {
        return demands(maxSize, shared) + Layouts.roundUp(maxSize * Demand.SIZE, Layouts.CACHE_LINE);
    }

    /**
     * Returns how many descriptors exist besides the shared ones. Each of them is kept by one thread. A power of two.
     */
    public static int kept(int shared) {
        return Integer.highestOneBit(Math.min(shared, MOST_KEPT));
    }

    /**
     * Returns a lock as one word. If a lock was lost, the lock in its place has the same index but another word.
     *
     * @param born the incarnation of the lock's owner in which the segment that holds the lock was made
     * @param index of the lock in its table
     */
    public static long lock(int born, long index) {
        return (long) born << INDEX_BITS | index;
    }

    /** Returns the incarnation of the owner in which the lock's segment was made. */
    public static int born(long lock) {
        return (int) (lock >>> INDEX_BITS);
    }

    /** Returns the index of the lock in its table. */
    public static long index(long lock) {
        return lock & (1L << INDEX_BITS) - 1;
    }
}
