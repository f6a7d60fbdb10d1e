package io.atoll.world;

import io.atoll.fabric.Backoff;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;
import java.util.function.LongBinaryOperator;
import java.util.function.Supplier;

/**
 * Where all ranks wait for all, by dissemination: in round k a rank tells the one 2^k further on and waits to be told by the one 2^k before. After
 * ceil(log2 size) rounds each knows, through others, of all.
 * <pre>
 *       0              64               64 + 16 * 64        64 + 16 * 64 + 2 * 512
 *       +--------------+------//--------+-------------------+
 *       |  generation  |  told, one     |  contributions    |
 *       |  (own)       |  line a round  |  even, odd        |
 *       +--------------+------//--------+-------------------+
 * </pre>
 * Generations only grow. A rank whose barrier failed because another was lost enters the same generation again, and
 * telling twice does no harm.
 */
final class Barrier {

    private static final int LOOKS_BEFORE_DOUBT = 16;
    private static final int[] NONE = {};

    private static final int ROUNDS = 16; // for 65,536 ranks

    /** Longs that one exchange of contributions carries. */
    static final int VALUES = 64;

    private static final StructLayout LAYOUT = MemoryLayout.structLayout( //
            Layouts.word("generation"), // the last barrier that this rank has passed; written by it alone
            Layouts.padToCacheLine(Layouts.WORD), //
            Layouts.words("told", ROUNDS * Layouts.CACHE_LINE / Layouts.WORD), // round k: the generation in which the rank 2^k before has entered it
            Layouts.words("contributions", 2 * VALUES)); // of the last two reductions, by the parity of their generation

    static final long GENERATION = Layouts.offsetOf(LAYOUT, "generation");
    static final long TOLD = Layouts.offsetOf(LAYOUT, "told");
    static final long CONTRIBUTIONS = Layouts.offsetOf(LAYOUT, "contributions");
    static final long AREA_BYTES = LAYOUT.byteSize();

    private final Endpoint endpoint;
    private final long area;
    private final Supplier<int[]> lostRanks;
    private long generation = -1; // of the last barrier passed, -1 until it was looked up

    /** @param lostRanks the ranks that are known to be gone, so that nobody waits for them */
    Barrier(Endpoint endpoint, long area, Supplier<int[]> lostRanks) {
        this.endpoint = endpoint;
        this.area = area;
        this.lostRanks = lostRanks;
    }

    /**
     * Returns when every rank has called it as often. Everything that any rank wrote before is visible to all afterwards. Cost: ceil(log2 size)
     * W. Threads of one rank take turns.
     */
    synchronized void await() throws InterruptedException {
        pass(nextGeneration());
    }

    /**
     * Combines the ranks' values element by element, in the order of ranks, and leaves the same result with all. Cost: a barrier and size - 1 R in one
     * batch, for each {@value #VALUES} values. If it fails, it has failed for the whole world, or will on the next.
     */
    synchronized void allReduce(long[] values, LongBinaryOperator operator) throws InterruptedException {
        for (int from = 0; from < values.length; from += VALUES) {
            reduce(values, from, Math.min(VALUES, values.length - from), operator);
        }
    }

    private void reduce(long[] values, int from, int count, LongBinaryOperator operator) throws InterruptedException {
        long next = nextGeneration();
        // Of the other parity than the reduction before, whose values others may still be reading. The one before that they
        // have all read: they have entered a barrier since.
        long contributions = area + CONTRIBUTIONS + (next & 1) * VALUES * Layouts.WORD;
        for (int at = 0; at < count; at++) {
            endpoint.writeWord(endpoint.rank(), contributions + at * Layouts.WORD, values[from + at]);
        }
        pass(next);
        long[][] all = contributions(contributions, count);
        for (int at = 0; at < count; at++) {
            long result = all[0][at];
            for (int rank = 1; rank < all.length; rank++) {
                result = operator.applyAsLong(result, all[rank][at]);
            }
            values[from + at] = result;
        }
    }

    private long[][] contributions(long offset, int count) {
        long[][] all = new long[endpoint.size()][count];
        int ranksInBatch = (int) (Batch.THREAD_BUFFER_BYTES / (count * Layouts.WORD));
        for (int first = 0; first < all.length; first += ranksInBatch) {
            int end = Math.min(all.length, first + ranksInBatch);
            Batch batch = endpoint.fabric().batch();
            for (int rank = first; rank < end; rank++) {
                batch.read(rank, offset, (rank - first) * count * Layouts.WORD, count * Layouts.WORD);
            }
            batch.complete();
            for (int rank = first; rank < end; rank++) {
                for (int at = 0; at < count; at++) {
                    all[rank][at] = batch.word(((long) (rank - first) * count + at) * Layouts.WORD);
                }
            }
        }
        return all;
    }

    private void pass(long next) throws InterruptedException {
        // (1) flush: what this rank wrote has arrived before anyone is told that it has entered.
        endpoint.flush();
        int size = endpoint.size();
        for (int round = 0, distance = 1; distance < size; round++, distance *= 2) {
            long told = area + TOLD + round * Layouts.CACHE_LINE;
            endpoint.writeWord((endpoint.rank() + distance) % size, told, next);
            endpoint.flush((endpoint.rank() + distance) % size);
            awaitTold(told, next, Math.floorMod(endpoint.rank() - distance, size));
        }
        endpoint.writeWord(endpoint.rank(), area + GENERATION, next);
        generation = next;
    }

    private void awaitTold(long told, long next, int teller) throws InterruptedException {
        Backoff backoff = new Backoff(endpoint.clock(), Backoff.UNBOUNDED);
        // (2) acquire: pairs with the write in pass, behind the flush (1) of every rank that the teller speaks for.
        while (endpoint.readWord(endpoint.rank(), told) < next) {
            int[] lost = backoff.attempts() % LOOKS_BEFORE_DOUBT == 0 ? lostRanks.get() : NONE;
            if (lost.length > 0) {
                throw new RankUnreachableException(
                        "a rank was lost while others wait for it in a barrier: waitingFor=" + teller, "barrier",
                        lost[0], told);
            }
            if (Thread.interrupted()) {
                throw new InterruptedException("interrupted in a barrier");
            }
            backoff.pause();
        }
    }

    /**
     * One above the highest that any rank has passed: a rank that was started anew goes on where the others are, whether or not its segment has
     * survived.
     */
    private long nextGeneration() {
        if (generation < 0) {
            long highest = 0;
            for (int rank = 0; rank < endpoint.size(); rank++) {
                highest = Math.max(highest, endpoint.readWord(rank, area + GENERATION));
            }
            generation = highest;
        }
        return generation + 1;
    }
}
