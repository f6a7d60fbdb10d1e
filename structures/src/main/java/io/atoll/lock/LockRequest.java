package io.atoll.lock;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A thread that holds a lock or waits for it.
 *
 * @param thread the beginning of its name
 * @param threadId its number in its process; 0 if it has not told
 * @param since when it has held it, or waited for it, to about a tenth of a second; by its machine's clock
 * @param age how long it has held it, or waited for it, to about two tenths of a second. Both ends are of its own machine's clock, so a reader's clock does not matter. While its process stands still, so does
 * the age
 * @param local whether it is one of the owner's threads
 * @param holds whether it holds the lock
 * @param token the fencing token of a holder; empty if it has ended while this looked, and of who waits
 * @param key the beginning of the text for which the lock is held, of at most 96 bytes: if the caller named a text, a number or a UUID, and has held the lock for more than a tenth of a second
 */
public record LockRequest(int rank, String thread, long threadId, Instant since, Duration age, boolean local,
        boolean holds, OptionalLong token, Optional<String> key) {

    /** How long it has held the lock; zero while it waits. */
    public Duration held() {
        return holds ? age : Duration.ZERO;
    }

    /** How long it has waited for the lock; zero once it holds it. */
    public Duration waited() {
        return holds ? Duration.ZERO : age;
    }
}
