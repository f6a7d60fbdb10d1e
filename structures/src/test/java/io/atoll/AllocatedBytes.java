package io.atoll;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Measures what operations take from the Java heap once they are compiled. */
public final class AllocatedBytes {

    private static final int MOST_ROUNDS = 20;
    // Other tests keep the compiler busy, too.
    private static final long COMPILER_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private AllocatedBytes() {}

    /**
     * Returns the bytes of the first round that takes nothing, or those of the last round. Interpreted and newly
     * compiled code takes memory that it does not take later. A round should do its operations thousands of times.
     */
    public static long of(Runnable round) {
        return of(() -> round, Runnable::run);
    }

    /** Like {@link #of(Runnable)}, with a new object for each round. */
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
