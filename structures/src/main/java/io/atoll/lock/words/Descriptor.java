package io.atoll.lock.words;

import io.atoll.memory.GlobalPointer;
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
 * Next, a {@link Tail} word, is written by the successor once, grant by the predecessor once, both plainly, and both by who repairs the queue, while nobody else does. All else is
 * written by the requester, and read by who repairs or looks on: the lock before its {@link Phase}. Since is when it began to wait, or to hold the lock, in milliseconds since 1970, to about a tenth of a second: a clock would cost
 * more than an uncontended lock. Of the thread's name there are 16 bytes.
 */
public final class Descriptor {

    /** See {@link #kept}. */
    public static final int MOST_KEPT = 64;

    private static final int NAME_WORDS = 2;

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
     * A line for the incarnation, descriptors of an even and of an odd one.
     *
     * @param shared how many any thread may claim
     */
    public static long tableBytes(int shared) {
        return Layouts.CACHE_LINE + 2L * (shared + kept(shared)) * SIZE;
    }

    /** How many there are besides, of which each is kept by a thread. A power of two. */
    public static int kept(int shared) {
        return Integer.highestOneBit(Math.min(shared, MOST_KEPT));
    }

    /** Where a lock lies, as one word. */
    public static long lock(int owner, long line) {
        return (long) owner << GlobalPointer.OFFSET_BITS | line;
    }

    /** In whose segment such a word says that it lies. */
    public static int owner(long lock) {
        return (int) (lock >>> GlobalPointer.OFFSET_BITS);
    }

    /** Where in that. */
    public static long line(long lock) {
        return lock & (1L << GlobalPointer.OFFSET_BITS) - 1;
    }
}
