package io.atoll.fabric.trace;

import io.atoll.fabric.Verb;
import io.atoll.fabric.Verb.Kind;

/**
 * Counts the verbs that cross the fabric to one rank. The thread's id chooses the stripe in which the thread counts, by
 * plain loads and stores. Threads of two stripes never write to the same cache line.
 * <pre>
 *             stripe 0                                                     stripe 1
 *   +---------+-------+--------+---------+---------+------+---------+-----+-------
 *   | 8 words | reads | writes | atomics | flushes | bytes read,    | none| reads ...
 *   |         |       |        |         |         |      written   |     |
 *   +---------+-------+--------+---------+---------+------+---------+-----+-------
 *             |------------------------- 64 bytes ------------------------|
 * </pre>
 * A counter takes 4 KiB, however many threads there are. If two threads of one stripe count in the same nanosecond, one
 * of the two counts may be lost: these are statistics.
 */
final class PeerCounter {

    private static final int STRIPES = 64; // a power of two
    private static final int STRIDE = 8; // a cache line
    private static final int FIRST = STRIDE; // behind the array's header, which all threads read

    // The verbs of each kind come first, in the order of Verb.Kind.
    private static final int BYTES_READ = Kind.values().length;
    private static final int BYTES_WRITTEN = BYTES_READ + 1;

    /** Spreads ranks over the interval of samples: from one rank to the next by about its golden section. */
    private static final int PHASE = 633;

    private final int rank;
    private final long[] cells = new long[FIRST + STRIPES * STRIDE];

    PeerCounter(int rank) {
        this.rank = rank;
    }

    /** Returns the cells in which threads count, by {@link #count}. */
    long[] cells() {
        return cells;
    }

    /**
     * Counts a verb of the calling thread. Returns true if the verb is to be timed. That is one verb of a stripe and
     * kind in {@link VerbCounts#SAMPLE_INTERVAL}. Each rank has its turn at another count. Otherwise no verb would be
     * timed until each of hundreds of ranks had used a whole interval.
     */
    static boolean count(long[] cells, int rank, Verb verb, long bytes) {
        int stripe = FIRST + ((int) Thread.currentThread().threadId() & STRIPES - 1) * STRIDE;
        Kind kind = verb.kind();
        // Not a switch, which takes a nanosecond more.
        if (kind == Kind.READ) {
            cells[stripe + BYTES_READ] += bytes;
        } else if (kind == Kind.WRITE) {
            cells[stripe + BYTES_WRITTEN] += bytes;
        }
        return (++cells[stripe + kind.ordinal()] + rank * PHASE) % VerbCounts.SAMPLE_INTERVAL == 0;
    }

    /** Returns what was counted. Counts of other threads are seen a little late. */
    VerbCounts.PeerTraffic traffic() {
        return new VerbCounts.PeerTraffic(rank, sum(Kind.READ.ordinal()), sum(Kind.WRITE.ordinal()),
                sum(Kind.ATOMIC.ordinal()), sum(BYTES_READ), sum(BYTES_WRITTEN));
    }

    private long sum(int counter) {
        long sum = 0;
        for (int stripe = 0; stripe < STRIPES; stripe++) {
            sum += cells[FIRST + stripe * STRIDE + counter];
        }
        return sum;
    }
}
