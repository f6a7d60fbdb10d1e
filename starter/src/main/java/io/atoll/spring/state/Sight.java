package io.atoll.spring.state;

import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What was seen last of one thing. One caller looks, which may take long. Those who come meanwhile are shown what was
 * seen before, and wait for the look only if nothing was. Any thread may use it.
 */
public final class Sight<T> {

    /** @param atNanos when the look was over */
    public record Seen<T>(T what, long atNanos) {

        public Duration age() {
            return Duration.ofNanos(System.nanoTime() - atNanos);
        }
    }

    private final ReentrantLock looking = new ReentrantLock();
    private volatile @Nullable Seen<T> last; // written under the lock

    /**
     * Returns what was seen last, and looks before if that is too old.
     *
     * @param kept for how long nobody looks again
     */
    public T look(Duration kept, Supplier<T> look) {
        Seen<T> seen = last;
        if (isRecent(seen, kept)) {
            return seen.what();
        }
        if (seen == null) {
            looking.lock();
        } else if (!looking.tryLock()) {
            return seen.what();
        }
        try {
            seen = last;
            if (!isRecent(seen, kept)) {
                seen = new Seen<>(look.get(), System.nanoTime());
                last = seen;
            }
            return seen.what();
        } finally {
            looking.unlock();
        }
    }

    /** What was seen last, however long ago; null if nothing was. */
    public @Nullable Seen<T> last() {
        return last;
    }

    private static boolean isRecent(@Nullable Seen<?> seen, Duration kept) {
        return seen != null && seen.age().compareTo(kept) < 0;
    }
}
