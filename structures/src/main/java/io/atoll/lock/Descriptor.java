package io.atoll.lock;

import io.atoll.memory.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;

/**
 * One request for a lock, in the requester's own segment, so that it waits for a word of its own (ALock, algorithm 1): a cache line.
 * <pre>
 *       0        8        16       24       32              40        48       64
 *       +--------+--------+--------+--------+---------------+---------+--------+
 *       |  lock  |  phase |  next  |  grant |  predecessor  |  since  | thread |
 *       +--------+--------+--------+--------+---------------+---------+--------+
 * </pre>
 * A lock's word names it in one life of its owner's segment, see {@link #lock}. Next, a {@link Tail} word, is written by the successor once, grant by the predecessor once, both plainly, and both by who repairs the queue, while nobody else does. All else is
 * written by the requester, and read by who repairs or looks on: the lock before its {@link Phase}. Since is when it began to wait, or to hold the lock, in milliseconds since 1970, to about a tenth of a second: a clock would cost
 * more than an uncontended lock. Of the thread's name there are 16 bytes.
 */
public final class Descriptor {

    /** See {@link #kept}. */
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

    /** Of a thread's name. */
    public static final int NAME_BYTES = NAME_WORDS * (int) Layouts.WORD;

    private Descriptor() {}

    /**
     * Bytes before the descriptors of a rank: a word for its incarnation, one for its time, and one for each rank that may ever be in the world.
     *
     * @param maxSize how many those are
     */
    public static long headBytes(int maxSize) {
        return Layouts.roundUp((2 + maxSize) * Layouts.WORD, Layouts.CACHE_LINE);
    }

    /**
     * Where {@linkplain Note notes} begin: behind the head, descriptors of an even incarnation and of an odd one.
     *
     * @param maxSize ranks that may ever be in the world
     * @param shared how many any thread may claim
     */
    public static long notes(int maxSize, int shared) {
        return headBytes(maxSize) + 2L * (shared + kept(shared)) * SIZE;
    }

    /** Where {@linkplain Demand demands} of all ranks begin: behind the notes. */
    public static long demands(int maxSize, int shared) {
        return notes(maxSize, shared) + (shared + kept(shared)) * Note.SIZE;
    }

    /** All of that. */
    public static long tableBytes(int maxSize, int shared) {
        return demands(maxSize, shared) + Layouts.roundUp(maxSize * Demand.SIZE, Layouts.CACHE_LINE);
    }

    /** How many there are besides, of which each is kept by a thread. A power of two. */
    public static int kept(int shared) {
        return Integer.highestOneBit(Math.min(shared, MOST_KEPT));
    }

    /**
     * A lock as one word. The one that has taken the place of a lost lock has the same index, and is another lock.
     *
     * @param born in which incarnation of its owner the segment was made in which it lies
     * @param index in its table
     */
    public static long lock(int born, long index) {
        return (long) born << INDEX_BITS | index;
    }

    /** In which incarnation of its owner that segment was made. */
    public static int born(long lock) {
        return (int) (lock >>> INDEX_BITS);
    }

    /** Of the lock in its table. */
    public static long index(long lock) {
        return lock & (1L << INDEX_BITS) - 1;
    }
}
