package io.atoll.world;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Counts how many operations this process has begun on one structure. A thread counts in a stripe that its id selects,
 * by a plain load and store. That takes no atomic, no fence, and no cache line that a thread of another stripe writes.
 * <pre>
 *             stripe 0                stripe 1                stripe 2
 *   +---------+-------+---------------+-------+---------------+-------+-----
 *   | 8 words | count |    7 words    | count |    7 words    | count |  ...
 *   +---------+-------+---------------+-------+---------------+-------+-----
 *                     |- 64 bytes from count to count: never in one line -|
 * </pre>
 * {@value #STRIPES} stripes take 4 KiB a structure, however many threads there are.
 *
 * <p>Threads whose ids are {@value #STRIPES} apart share a stripe. If two of them count in the same nanosecond, one
 * count may be lost. A thread that is stopped between its load and its store undoes what others of its stripe count
 * meanwhile. A count that was {@linkplain #count() told} once is never taken back. These are statistics.
 */
public final class OperationCounter {

    static final int STRIPES = 64; // a power of two

    private static final int STRIDE = 8;
    private static final int FIRST = STRIDE; // after the array's header, which all threads read

    private final String structure;
    private final long[] cells = new long[FIRST + STRIPES * STRIDE];
    private final AtomicLong told = new AtomicLong();

    OperationCounter(String structure) {
        this.structure = structure;
    }

    public String structure() {
        return structure;
    }

    /**
     * Returns the cells in which threads count, by {@link #add(long[], long)}. For callers that count again and again.
     */
    long[] cells() {
        return cells;
    }

    /**
     * Counts operations of the calling thread, in as few instructions as possible: a get takes tens of nanoseconds.
     */
    static void add(long[] cells, long operations) {
        cells[((int) Thread.currentThread().threadId() & STRIPES - 1) * STRIDE + FIRST] += operations;
    }

    /**
     * Returns how many operations there were since this process has opened its world, never fewer than it returned
     * before. Counts of other threads are seen a little late. Allocates nothing.
     */
    public long count() {
        long sum = 0;
        for (int stripe = 0; stripe < STRIPES; stripe++) {
            sum += cells[stripe * STRIDE + FIRST];
        }
        return told.accumulateAndGet(sum, Math::max);
    }
}
