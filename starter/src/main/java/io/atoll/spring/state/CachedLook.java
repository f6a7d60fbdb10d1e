package io.atoll.spring.state;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The last result of looking at one thing. Only one caller looks at a time, which may take long. Callers that come
 * meanwhile get the previous result. They wait for the look only if there is none. Any thread may use it.
 */
public final class CachedLook<T> {

    /** @param atNanos when the look was over */
    public record Seen<T>(T what, long atNanos) {

        public Duration age() {
            return Duration.ofNanos(System.nanoTime() - atNanos);
        }
    }

    private final ReentrantLock looking = new ReentrantLock();
    private volatile @Nullable Seen<T> last; // written under the lock

    /** Returns the look at one of several things. */
    static <K, T> CachedLook<T> at(Map<K, CachedLook<T>> looks, K where) {
        return looks.computeIfAbsent(where, _ -> new CachedLook<>());
    }

    /**
     * Returns the last result. Looks again first if that result is too old.
     *
     * @param kept how long a result is reused before the next look
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

    /** Returns the last result, however old it is. Returns null if there is none. */
    public @Nullable Seen<T> last() {
        return last;
    }

    private static boolean isRecent(@Nullable Seen<?> seen, Duration kept) {
        return seen != null && seen.age().compareTo(kept) < 0;
    }
}
