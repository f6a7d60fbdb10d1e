package io.atoll.world;

import io.atoll.fabric.Backoff;
import io.atoll.fabric.Endpoint;
import io.atoll.failure.FabricException;
import io.atoll.failure.FabricTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * Words that a rank has reserved for itself while it is in the middle of an operation: how others wait for them, what they do when that rank
 * is dead, and what the rank itself does when it cannot go on.
 */
public final class Reservations {

    /** After so many looks, and each as many more, the holder's life is doubted: that costs a system call or more. */
    private static final int LOOKS_BEFORE_DOUBT = 32;

    private final Endpoint endpoint;
    private final Liveness liveness;
    private final Duration timeout;
    private final Waits waits;
    private final ControlPath controlPath;
    private final LongAdder repairs = new LongAdder();
    private final Queue<Undoing> undoings = new ConcurrentLinkedQueue<>();
    private final AtomicIntegerArray returns; // how often each owner has come back

    private record Undoing(int owner, Runnable action) {}

    Reservations(Endpoint endpoint, Liveness liveness, Duration timeout, Waits waits) {
        this(endpoint, liveness, timeout, waits, ControlPath.UNOBSERVED);
    }

    Reservations(Endpoint endpoint, Liveness liveness, Duration timeout, Waits waits, ControlPath controlPath) {
        this.controlPath = controlPath;
        this.endpoint = endpoint;
        this.liveness = liveness;
        this.timeout = timeout;
        this.waits = waits;
        this.returns = new AtomicIntegerArray(endpoint.size());
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
        try (Waits.Waiting _ = waits.begin(doing, holder)) {
            while (endpoint.readWord(owner, offset) == reserved) {
                boolean inTime = backoff.pause();
                boolean doubt = backoff.attempts() % LOOKS_BEFORE_DOUBT == 0 || !inTime;
                if (doubt && liveness.isFenced(holder, incarnation, owner)) {
                    repair(repair, doing);
                } else if (!inTime) {
                    throw new FabricTimeoutException(
                            "a rank is in the middle of an operation and does not go on: doing=" + doing + " holder="
                                    + holder + " timeoutMillis=" + timeout.toMillis(),
                            "read", owner, offset);
                }
            }
        }
    }

    /** How long an operation waits for a rank that lives and does not go on. */
    public Duration timeout() {
        return timeout;
    }

    private void repair(Runnable repair, String doing) {
        controlPath.run(ControlPath.Step.REPAIR, doing, () -> {
            repair.run();
            repairs.increment();
            return true;
        });
    }

    /** How often this process has repaired what a dead rank had left in the middle of an operation, others at the same time included. */
    public long repairs() {
        return repairs.sum();
    }

    /**
     * Undoes what this process has reserved and cannot finish: at once, or, if the owner of the segment has gone away, as soon as it is back. Nobody else
     * can: this process lives.
     *
     * @param owner whose segment it lies in
     * @param action may be called again after it has failed
     */
    public void undo(int owner, Runnable action) {
        undoings.add(new Undoing(owner, action));
        tryAll(owner);
    }

    /** Undoes what could not be undone before: for whoever learns that the owner is back. */
    public void retry(int owner) {
        returns.incrementAndGet(owner);
        tryAll(owner);
    }

    /** Until nobody has said meanwhile that the owner is back: an attempt that was under way may have failed just before. */
    private void tryAll(int owner) {
        int returned;
        do {
            returned = returns.get(owner);
            for (Undoing undoing : List.copyOf(undoings)) {
                if (undoing.owner() == owner && undoings.remove(undoing)) {
                    attempt(undoing);
                }
            }
        } while (returns.get(owner) != returned);
    }

    private void attempt(Undoing undoing) {
        try {
            undoing.action().run();
        } catch (FabricException notYet) {
            undoings.add(undoing);
        }
    }
}
