package io.atoll.failure;

import java.time.Duration;

/**
 * A wait ended with the operation timeout, without the event that it waited for. The rank is the one that should have
 * acted.
 */
public final class FabricTimeoutException extends FabricException {

    private static final long serialVersionUID = 1L;

    /**
     * @param reason a sentence without facts: which rank does not go on, and what to look at; the advice to raise the
     * timeout follows
     * @param facts as {@code key=value}; may be empty
     * @param timeout that has passed
     */
    public FabricTimeoutException(String reason, String facts, Duration timeout, String verb, int rank, long offset) {
        super(reason + ", or raise the operation timeout (atoll.world.operation-timeout)",
                (facts.isEmpty() ? "" : facts + " ") + "timeoutMillis=" + timeout.toMillis(), verb, rank, offset);
    }
}
