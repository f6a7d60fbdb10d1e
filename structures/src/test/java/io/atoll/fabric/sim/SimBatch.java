package io.atoll.fabric.sim;

import io.atoll.fabric.BufferedBatch;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.MappedMemory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Verbs that are posted when the batch is completed, or, as the interface allows, as soon as they are added: the seed
 * decides. The buffer is read and written when a verb takes effect, not before. A misuse that other fabrics forgive is
 * refused.
 */
final class SimBatch extends BufferedBatch {

    private final SimFabric fabric;
    private final List<Posted> verbs = new ArrayList<>();
    private final List<Atomic> atomics = new ArrayList<>();
    private @Nullable Object order; // of its reads among themselves, if they may overtake each other
    private int posted;
    private boolean underWay; // posted and not completed: must not be touched
    private boolean completed;

    SimBatch(SimFabric fabric, long bufferBytes) {
        MemorySegment buffer = MemorySegment.ofArray(new long[Math.toIntExact(Math.ceilDiv(bufferBytes, Long.BYTES))]);
        super(buffer, new MappedMemory(buffer));
        this.fabric = fabric;
        this.order = newOrder();
    }

    /** The buffer has the size that was asked for. */
    @Override
    protected void grow() {}

    @Override
    public void setWord(long position, long value) {
        refuseWhileUnderWay();
        super.setWord(position, value);
    }

    @Override
    public void read(int rank, long offset, long position, long bytes) {
        add(fabric.transfer(true, rank, offset, presentBuffer(), position, bytes).unorderedAmong(order));
    }

    @Override
    public void write(int rank, long offset, long position, long bytes) {
        add(fabric.transfer(false, rank, offset, presentBuffer(), position, bytes));
    }

    @Override
    public void writeWord(int rank, long offset, long value) {
        MemorySegment word = MemorySegment.ofArray(new long[]{value});
        add(fabric.transfer(false, rank, offset, word, 0, Long.BYTES));
    }

    @Override
    public int compareAndExchange(int rank, long offset, long expected, long value) {
        return add(fabric.atomic("compareAndExchange", rank, offset, Atomic.exchange(expected, value)));
    }

    @Override
    public int getAndAdd(int rank, long offset, long delta) {
        return add(fabric.atomic("getAndAdd", rank, offset, Atomic.add(delta)));
    }

    private int add(Atomic verb) {
        add((Posted) verb);
        if (atomics.size() == ATOMICS) {
            throw new IllegalStateException("too many atomics in one batch: maximum=" + ATOMICS);
        }
        atomics.add(verb);
        return atomics.size() - 1;
    }

    private void add(Posted verb) {
        refuseWhileUnderWay();
        if (completed) {
            reset();
        }
        verbs.add(verb);
        if (fabric.scheduler().fate().chance(0.3)) {
            postAdded();
        }
    }

    private void refuseWhileUnderWay() {
        if (underWay) {
            throw new IllegalStateException("posted and not completed: verbs=" + verbs.size());
        }
    }

    /**
     * Empties the batch, for another use. Waits for verbs that were posted and never completed, since they still use
     * the buffer.
     */
    void reset() {
        refuseWhileUnderWay();
        await(verbs.subList(0, posted));
        verbs.clear();
        atomics.clear();
        order = newOrder();
        posted = 0;
        completed = false;
    }

    private @Nullable Object newOrder() {
        return fabric.guarantees().readsInOrder() ? null : new Object();
    }

    @Override
    public long result(int index) {
        if (!completed) {
            throw new IllegalStateException("results are there after complete: index=" + index);
        }
        return atomics.get(index).found();
    }

    private void postAdded() {
        while (posted < verbs.size()) {
            SimThread caller = fabric.caller();
            if (caller != null) {
                caller.errors().before(verbs.get(posted));
            }
            Posted verb = verbs.get(posted++);
            try {
                throwEarlierFailure(verb);
                fabric.post(caller, verb);
            } catch (RankUnreachableException failure) {
                verb.fail(failure); // told when the batch is completed
            }
        }
    }

    /** A batch does not go on by a new connection after verbs that the broken one has lost. */
    private void throwEarlierFailure(Posted next) {
        verbs.stream()
                .limit(posted - 1L)
                .filter(earlier -> earlier.target == next.target)
                .forEach(Posted::throwFailure);
    }

    @Override
    public void post() {
        if (!completed) {
            postAdded();
            underWay = true;
        }
    }

    @Override
    public boolean poll() {
        SimThread caller = fabric.caller();
        if (caller != null) {
            caller.errors().before("a poll");
            caller.takeStep();
        }
        if (!verbs.stream().allMatch(Posted::isDone)) {
            return false;
        }
        if (caller != null) {
            caller.earlyLoads().acquire();
        }
        finish();
        return true;
    }

    @Override
    public void complete() {
        if (!completed) {
            postAdded();
        }
        await(verbs);
        finish();
        fabric.strikeAfter(fabric.caller(), "a batch");
    }

    private void await(List<Posted> expected) {
        SimThread caller = fabric.caller();
        if (caller != null) {
            expected.forEach(caller::await);
        }
    }

    private void finish() {
        underWay = false;
        completed = true;
        verbs.forEach(Posted::throwFailure);
    }

    @Override
    public void close() {
        refuseWhileUnderWay();
    }
}
