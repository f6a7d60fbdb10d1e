package io.atoll.lock.observation;

import java.time.Instant;

/**
 * A thread that holds a lock or waits for it.
 *
 * @param thread the beginning of its name
 * @param since when it has held it, or waited for it, to about a tenth of a second; by its machine's clock
 * @param local whether it is one of the owner's threads
 */
public record LockRequest(int rank, String thread, Instant since, boolean local) {}
