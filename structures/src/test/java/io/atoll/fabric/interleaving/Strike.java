package io.atoll.fabric.interleaving;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * An error that strikes a thread at one of its steps in code that was loaded by {@link Instrumented#struck}. There is
 * one at a time.
 */
public final class Strike implements AutoCloseable {

    private static volatile @Nullable Strike awaited;

    private final Predicate<String> threads;
    private final AtomicInteger left;

    /**
     * @param threads by their names, those that it may strike
     * @param step at which of their steps it does, from 1
     */
    public Strike(Predicate<String> threads, int step) {
        this.threads = threads;
        this.left = new AtomicInteger(step);
        awaited = this;
    }

    /** Returns whether it has struck. */
    public boolean isMade() {
        return left.get() <= 0;
    }

    @Override
    public void close() {
        awaited = null;
    }

    // --- what instrumented code calls ---

    /** Strikes here, if it is time. */
    public static void step() {
        Strike strike = awaited;
        if (strike != null && !strike.isMade() && strike.threads.test(Thread.currentThread().getName())
                && strike.left.decrementAndGet() == 0) {
            throw new OutOfMemoryError("struck");
        }
    }
}
