package io.atoll.lock;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A thread that holds a lock or waits for it.
 *
 * @param thread the beginning of the thread's name
 * @param threadId the thread's number in its process; 0 if the thread has not told it
 * @param since when the hold or the wait began, to about a tenth of a second, by the clock of the thread's machine
 * @param age how long the thread has held the lock or waited for it, to about two tenths of a second. Both ends come
 * from its own machine's clock, so a reader's clock does not matter. The age stands still while the process does
 * @param local true if the thread is one of the owner's threads
 * @param holds true if the thread holds the lock
 * @param token the fencing token of a holder. Empty for a waiter, and if the hold has ended during the look
 * @param key the beginning of the text for which the lock is held, at most 96 bytes. Present only if the caller named a
 * text, a number or a UUID. The caller must also have held the lock for more than a tenth of a second
 */
public record LockRequest(int rank, String thread, long threadId, Instant since, Duration age, boolean local,
        boolean holds, OptionalLong token, Optional<String> key) {

    /** Returns how long the thread has held the lock; zero while it waits. */
    public Duration held() {
        return holds ? age : Duration.ZERO;
    }

    /** Returns how long the thread has waited for the lock; zero once it holds the lock. */
    public Duration waited() {
        return holds ? Duration.ZERO : age;
    }
}
