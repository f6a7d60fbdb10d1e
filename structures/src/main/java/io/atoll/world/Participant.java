package io.atoll.world;

import io.atoll.fabric.Endpoint;
import io.atoll.heap.Heap;
import io.atoll.heap.HeapArea;
import java.time.Duration;
import java.util.function.LongBinaryOperator;
import java.util.function.Supplier;

/** What a structure needs of the process that uses it: its verbs, who it is, and what it may rely on when others fail. */
public final class Participant {

    private final Endpoint endpoint;
    private final int incarnation;
    private final Liveness liveness;
    private final Reservations reservations;
    private final Heap heap;
    private final Directory directory;
    private final Barrier barrier;

    /**
     * @param incarnation of this rank, 1 to 65,535
     * @param operationTimeout how long an operation waits for another rank in the middle of one, which lives but does not go on
     * @param lostRanks ranks known to be gone, for those who wait for all
     */
    public Participant(Endpoint endpoint, int incarnation, Liveness liveness, Duration operationTimeout,
            Supplier<int[]> lostRanks) {
        SegmentLayout layout = SegmentLayout.of(endpoint.size(), endpoint.fabric().local().size());
        this.endpoint = endpoint;
        this.incarnation = incarnation;
        this.liveness = liveness;
        this.reservations = new Reservations(endpoint, liveness, operationTimeout);
        this.heap = new Heap(endpoint, new HeapArea(layout.heap(), layout.size()), incarnation);
        this.directory = new Directory(endpoint, heap, reservations, layout.directory(), incarnation);
        this.barrier = new Barrier(endpoint, layout.barrier(), lostRanks);
    }

    public Endpoint endpoint() {
        return endpoint;
    }

    public int rank() {
        return endpoint.rank();
    }

    /** Ranks of the world. */
    public int size() {
        return endpoint.size();
    }

    public int incarnation() {
        return incarnation;
    }

    public Liveness liveness() {
        return liveness;
    }

    public Heap heap() {
        return heap;
    }

    public Directory directory() {
        return directory;
    }

    /** For waits on what another rank is in the middle of. */
    public Reservations reservations() {
        return reservations;
    }

    /**
     * Waits until every rank has called this as often; everything written before, by any rank, is visible to all afterwards. Cost: ceil(log2
     * size) W.
     *
     * @throws io.atoll.failure.RankUnreachableException when a rank is lost meanwhile
     */
    public void barrier() throws InterruptedException {
        barrier.await();
    }

    /**
     * Combines the values of all ranks element by element, in the order of ranks; all have the result in the array. Every rank must call it, with as many
     * values. Cost: a barrier and size - 1 R in one batch for each 64 values.
     *
     * @throws io.atoll.failure.RankUnreachableException when a rank is lost meanwhile
     */
    public void allReduce(long[] values, LongBinaryOperator operator) throws InterruptedException {
        barrier.allReduce(values, operator);
    }
}
