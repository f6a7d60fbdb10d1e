package io.atoll;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** What operations take of the Java heap once the compiler is done with them. */
public final class AllocatedBytes {

    private static final int MOST_ROUNDS = 20;
    private static final long COMPILER_NANOS = TimeUnit.SECONDS.toNanos(2); // other tests keep it busy, too
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private AllocatedBytes() {}

    /**
     * Of the first round that takes nothing, else of the last one: what is interpreted, and what has just been compiled anew, takes what it does not later. A round is to do its
     * operations thousands of times.
     */
    public static long of(Runnable round) {
        return of(() -> round, Runnable::run);
    }

    /** As {@link #of(Runnable)}, of what is done to something that is made for each round. */
    public static <T> long of(Supplier<T> making, Consumer<T> round) {
        long bytes = Long.MAX_VALUE;
        long begun = System.nanoTime();
        for (int rounds = 0; bytes != 0
                && (rounds < MOST_ROUNDS || System.nanoTime() - begun < COMPILER_NANOS); rounds++) {
            T made = making.get();
            long before = THREADS.getCurrentThreadAllocatedBytes();
            round.accept(made);
            bytes = THREADS.getCurrentThreadAllocatedBytes() - before;
        }
        return bytes;
    }
}
