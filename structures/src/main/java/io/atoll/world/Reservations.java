package io.atoll.world;

import io.atoll.fabric.Backoff;
import io.atoll.fabric.Endpoint;
import io.atoll.failure.FabricTimeoutException;
import java.time.Duration;

/** How to wait for a word that another rank has reserved, and what to do when that rank does not come back. */
public final class Reservations {

    /** After so many looks, and each as many more, the holder's life is doubted: that costs a system call or more. */
    private static final int LOOKS_BEFORE_DOUBT = 32;

    private final Endpoint endpoint;
    private final Liveness liveness;
    private final Duration timeout;

    Reservations(Endpoint endpoint, Liveness liveness, Duration timeout) {
        this.endpoint = endpoint;
        this.liveness = liveness;
        this.timeout = timeout;
    }

    /**
     * Returns when the word is no longer what it is. Cost: R for each look.
     *
     * @param owner whose segment the word lies in
     * @param reserved the word as its holder has left it
     * @param repair changes the word when its holder is dead and fenced; several may call it at once
     * @param doing what the holder is in the middle of, for messages
     * @throws FabricTimeoutException when the holder lives and does not go on
     */
    public void awaitSettled(int owner, long offset, long reserved, int holder, int incarnation, Runnable repair,
            String doing) {
        Backoff backoff = new Backoff(endpoint.clock(), timeout);
        while (endpoint.readWord(owner, offset) == reserved) {
            boolean inTime = backoff.pause();
            boolean doubt = backoff.attempts() % LOOKS_BEFORE_DOUBT == 0 || !inTime;
            if (doubt && liveness.isFenced(holder, incarnation, owner)) {
                repair.run();
            } else if (!inTime) {
                throw new FabricTimeoutException("a rank is in the middle of an operation and does not go on: doing="
                        + doing + " holder=" + holder
                        + " timeoutMillis=" + timeout.toMillis(), "read", owner, offset);
            }
        }
    }
}
