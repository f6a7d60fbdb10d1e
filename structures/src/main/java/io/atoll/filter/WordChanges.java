package io.atoll.filter;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.function.LongUnaryOperator;

/**
 * Changes many words together, each of them atomically. The compare-and-exchanges of all are posted in one batch. If
 * other threads have changed some words meanwhile, those are posted again. Lock-free.
 */
final class WordChanges {

    /** The number of words that are changed together. */
    static final int MOST = Batch.ATOMICS;

    /**
     * @param index chosen by the caller
     * @param found what was there when it was last seen
     */
    private record Pending(int index, int rank, long offset, LongUnaryOperator change, long found) {

        long changed() {
            return change.applyAsLong(found);
        }

        Pending onceMore(long witness) {
            return new Pending(index, rank, offset, change, witness);
        }
    }

    private final Endpoint endpoint;
    private List<Pending> pending = new ArrayList<>(MOST);

    WordChanges(Endpoint endpoint) {
        this.endpoint = endpoint;
    }

    /**
     * Adds a change. At most {@link #MOST} are added until they are completed.
     *
     * @param found what was read there before; nothing is to be done if the change leaves it as it is
     */
    void add(int index, int rank, long offset, LongUnaryOperator change, long found) {
        addIfAny(new Pending(index, rank, offset, change, found), pending);
    }

    private static void addIfAny(Pending one, List<Pending> pending) {
        if (one.changed() != one.found) {
            pending.add(one);
        }
    }

    boolean isFull() {
        return pending.size() == MOST;
    }

    /**
     * Returns when every word is as its change leaves it. Before that, tells {@code changed} the index of each word
     * that took an exchange. Uses the thread's batch. Cost: A for each word, in one round trip if no other thread
     * changes them.
     */
    void complete(IntConsumer changed) {
        while (!pending.isEmpty()) {
            exchange(changed);
        }
    }

    private void exchange(IntConsumer changed) {
        Batch batch = endpoint.batch();
        int[] results = pending.stream()
                .mapToInt(one -> batch.compareAndExchange(one.rank, one.offset, one.found, one.changed()))
                .toArray();
        batch.complete();
        List<Pending> rest = new ArrayList<>();
        for (int place = 0; place < results.length; place++) {
            Pending one = pending.get(place);
            long witness = batch.result(results[place]);
            if (witness == one.found) {
                changed.accept(one.index);
            } else {
                addIfAny(one.onceMore(witness), rest);
            }
        }
        pending = rest;
    }
}
