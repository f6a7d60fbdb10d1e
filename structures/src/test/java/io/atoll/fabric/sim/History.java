package io.atoll.fabric.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The calls of operations: which thread called what and when, and the results. {@link Linearizability} judges them. The
 * threads of a simulation fill it, or real threads.
 *
 * @param <O> operation with its arguments
 * @param <R> result
 */
public final class History<O, R> {

    /**
     * The end of an operation that never ended: its rank was killed, or it failed and may or may not have taken effect.
     */
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

    /** Makes a history of real threads. */
    public History() {
        simulation = null;
    }

    public History(Simulation simulation) {
        this.simulation = simulation;
    }

    /**
     * Calls the body and records its result. If the body throws, the exception is passed on, and the operation stays
     * pending.
     */
    public R call(O operation, Supplier<R> body) {
        return callAll(List.of(operation), () -> List.of(body.get())).getFirst();
    }

    /** As {@link #call}, for a body that does several operations, each at a moment of its own. */
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

    /** Returns the calls in the order in which they were called. */
    public synchronized List<Call<O, R>> calls() {
        return List.copyOf(calls);
    }
}
