package io.atoll.fabric.trace;

import io.atoll.fabric.Verb;

/**
 * Counts the verbs that cross the fabric to one rank. A thread counts in a stripe that its id names, by plain loads and
 * stores, so threads of two stripes never write to the same cache line.
 * <pre>
 *             stripe 0                                                     stripe 1
 *   +---------+-------+--------+---------+---------+------+---------+-----+-------
 *   | 8 words | reads | writes | atomics | flushes | bytes read,    | none| reads ...
 *   |         |       |        |         |         |      written   |     |
 *   +---------+-------+--------+---------+---------+------+---------+-----+-------
 *             |------------------------- 64 bytes ------------------------|
 * </pre>
 * It takes 4 KiB, however many threads there are. Of two counts that threads of one stripe make in the same nanosecond
 * one may be lost: these are statistics.
 */
final class PeerCounter {

    private static final int STRIPES = 64; // a power of two
    private static final int STRIDE = 8; // a cache line
    private static final int FIRST = STRIDE; // behind the array's header, which all threads read

    private static final int READS = 0;
    private static final int WRITES = 1;
    private static final int ATOMICS = 2;
    private static final int FLUSHES = 3;
    private static final int BYTES_READ = 4;
    private static final int BYTES_WRITTEN = 5;

    /** Spreads ranks over an interval of samples, about its golden section from one to the next. */
    private static final int PHASE = 633;

    private final int rank;
    private final long[] cells = new long[FIRST + STRIPES * STRIDE];

    PeerCounter(int rank) {
        this.rank = rank;
    }

    /** Where threads count, by {@link #count}. */
    long[] cells() {
        return cells;
    }

    /**
     * Counts a verb of the calling thread. Returns whether it is one that is to be timed: of each {@link
     * VerbCounts#SAMPLE_INTERVAL} of the stripe and kind one. Each rank has its turn at another count. Else nothing would be
     * timed until each of hundreds of ranks had a whole interval.
     */
    static boolean count(long[] cells, int rank, Verb verb, long bytes) {
        int stripe = FIRST + ((int) Thread.currentThread().threadId() & STRIPES - 1) * STRIDE;
        int kind = switch (verb) {
            case READ -> {
                cells[stripe + BYTES_READ] += bytes;
                yield READS;
            }
            case WRITE -> {
                cells[stripe + BYTES_WRITTEN] += bytes;
                yield WRITES;
            }
            case COMPARE_AND_EXCHANGE, GET_AND_SET, GET_AND_ADD, GET_AND_BITWISE_OR -> ATOMICS;
            case FLUSH -> FLUSHES;
        };
        return (++cells[stripe + kind] + rank * PHASE) % VerbCounts.SAMPLE_INTERVAL == 0;
    }

    /** What was counted. What other threads have counted is seen a little late. */
    PeerTraffic traffic() {
        return new PeerTraffic(rank, sum(READS), sum(WRITES), sum(ATOMICS), sum(BYTES_READ), sum(BYTES_WRITTEN));
    }

    private long sum(int counter) {
        long sum = 0;
        for (int stripe = 0; stripe < STRIPES; stripe++) {
            sum += cells[FIRST + stripe * STRIDE + counter];
        }
        return sum;
    }
}
