package io.atoll.fabric.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Who called what when, and what came back: what {@link Linearizability} judges. Filled by the threads of a simulation, or by real ones.
 *
 * @param <O> operation with its arguments
 * @param <R> result
 */
public final class History<O, R> {

    /** When an operation ended that never did: its rank was killed, or it failed and may have taken effect or not. */
    public static final long NEVER = Long.MAX_VALUE;

    /**
     * One operation.
     *
     * @param called before it began, on the history's own count of events
     * @param returned after it ended, or {@link #NEVER}
     * @param result null if it never ended
     */
    public record Call<O, R>(String thread, O operation, long called, long returned, @Nullable R result) {

        public boolean isPending() {
            return returned == NEVER;
        }

        @Override
        public String toString() {
            return "%4d..%-4s %s: %s -> %s".formatted(called, isPending() ? "" : returned, thread, operation,
                    isPending() ? "pending" : result);
        }
    }

    private final @Nullable Simulation simulation;
    private final List<Call<O, R>> calls = new ArrayList<>();
    private long events;

    /** Of real threads. */
    public History() {
        simulation = null;
    }

    public History(Simulation simulation) {
        this.simulation = simulation;
    }

    /** Calls the body and writes down what it returns. What it throws is passed on, and the operation stays pending. */
    public R call(O operation, Supplier<R> body) {
        return callAll(List.of(operation), () -> List.of(body.get())).getFirst();
    }

    /** As {@link #call}, of a body that does several operations, each at a moment of its own. */
    public List<R> callAll(List<O> operations, Supplier<List<R>> body) {
        if (simulation != null) {
            simulation.begin();
        }
        int[] indices = operations.stream().mapToInt(this::begin).toArray();
        List<R> results = body.get();
        if (simulation != null) {
            simulation.end();
        }
        for (int place = 0; place < indices.length; place++) {
            end(indices[place], results.get(place));
        }
        return results;
    }

    private synchronized int begin(O operation) {
        calls.add(new Call<>(Thread.currentThread().getName(), operation, events++, NEVER, null));
        return calls.size() - 1;
    }

    private synchronized void end(int index, R result) {
        Call<O, R> call = calls.get(index);
        calls.set(index, new Call<>(call.thread(), call.operation(), call.called(), events++, result));
    }

    /** In the order in which they were called. */
    public synchronized List<Call<O, R>> calls() {
        return List.copyOf(calls);
    }
}
