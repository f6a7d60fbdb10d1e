package io.atoll.codec.kryo;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * {@link ObjectGraphs} that threads of this process use in turn. Making one takes longer than some hundred uses, so
 * they are kept. A process may have 10,000 virtual threads, so no thread keeps one: the pool has room for at least two
 * for each processor. A thread that finds none makes one. When that one comes back and the pool is full, it is dropped.
 * No thread waits.
 */
final class GraphPool {

    private final Supplier<ObjectGraphs> making;
    private final AtomicReferenceArray<@Nullable ObjectGraphs> idle; // its length is a power of two

    GraphPool(Supplier<ObjectGraphs> making) {
        this(making, 2 * Runtime.getRuntime().availableProcessors());
    }

    GraphPool(Supplier<ObjectGraphs> making, int atLeast) {
        this.making = making;
        this.idle = new AtomicReferenceArray<>(Integer.highestOneBit(Math.max(1, 2 * atLeast - 1)));
    }

    /** Runs the action with an object that no other thread uses meanwhile. */
    <T extends @Nullable Object> T with(Function<ObjectGraphs, T> action) {
        ObjectGraphs graphs = take();
        try {
            T result = action.apply(graphs);
            giveBack(graphs);
            return result;
        } catch (RuntimeException failure) {
            giveBack(graphs); // Kryo has forgotten the graph
            throw failure;
        }
        // After an error, such as a full stack, it may still know half a graph: it is dropped.
    }

    private ObjectGraphs take() {
        int first = firstPlace();
        for (int probe = 0; probe < idle.length(); probe++) {
            int place = first + probe & idle.length() - 1;
            ObjectGraphs found = idle.get(place) == null ? null : idle.getAndSet(place, null);
            if (found != null) {
                return found;
            }
        }
        return making.get();
    }

    private void giveBack(ObjectGraphs graphs) {
        int first = firstPlace();
        for (int probe = 0; probe < idle.length(); probe++) {
            int place = first + probe & idle.length() - 1;
            if (idle.get(place) == null && idle.compareAndSet(place, null, graphs)) {
                return;
            }
        }
    }

    /** Differs between threads, so that they seldom meet. */
    private static int firstPlace() {
        return (int) Thread.currentThread().threadId();
    }

    /** Returns how many it keeps now. */
    int size() {
        int size = 0;
        for (int place = 0; place < idle.length(); place++) {
            size += idle.get(place) == null ? 0 : 1;
        }
        return size;
    }
}
