package io.atoll.epoch;

import java.util.ArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Pins of operations that begin in one thread and end in another. Operations that begin one after the other share a
 * token: {@value #OPERATIONS} of them. So a token is pinned only as long as it takes them to end. The epoch of the
 * world advances although there is always an operation under way.
 * <pre>
 *   operations  1 ... 64 | 65 ... 128 | 129 ...       token a is unpinned when 1 to 64 have ended
 *   token           a    |     b      |    c
 * </pre>
 *
 * <p>At most {@value #MOST_TOKENS} tokens are pinned. If that many are, further operations share the last one, which is
 * then pinned longer. For one thread at a time; each must see what the one before has done.
 */
public final class SharedPins {

    private static final int OPERATIONS = 64;
    private static final int MOST_TOKENS = 8;

    /** The name by which snapshots and failures report the tokens. */
    public static final String NAME = "asynchronous operations";

    /** Operations that are pinned together. */
    public static final class Shared {

        private final Token token;
        private int begun;
        private int underWay;

        private Shared(Token token) {
            this.token = token;
        }
    }

    private final EpochManager epochs;
    private final ArrayList<Shared> pinned = new ArrayList<>(); // the last one takes the next operation
    private @Nullable Shared idle; // not pinned

    public SharedPins(EpochManager epochs) {
        this.epochs = epochs;
    }

    /**
     * Pins an operation: what it finds from now on is not freed before its {@link #end}. No verb. Waits while all
     * tokens of this rank are registered.
     */
    public Shared begin() {
        Shared last = pinned.isEmpty() ? null : pinned.getLast();
        if (last == null || !isOfThisLife(last) || last.begun >= OPERATIONS && pinned.size() < MOST_TOKENS) {
            last = pin();
        }
        last.begun++;
        last.underWay++;
        return last;
    }

    private Shared pin() {
        // It stays idle until it is pinned: there may be no room for that.
        Shared shared = idle != null && isOfThisLife(idle) ? idle : new Shared(epochs.registerToPassOn(NAME));
        idle = shared;
        shared.token.take();
        pinned.ensureCapacity(pinned.size() + 1); // or there may be no memory when it is pinned
        shared.token.pin();
        shared.begun = 0;
        pinned.add(shared);
        idle = null;
        return shared;
    }

    /** Ends the pin of one operation. */
    public void end(Shared shared) {
        if (--shared.underWay > 0) {
            return;
        }
        pinned.remove(shared);
        if (!isOfThisLife(shared)) {
            return; // its place ended with the former life, and may be another token's by now
        }
        try {
            // No lambda: there may be no memory, and the epoch would wait for this token for ever.
            shared.token.take();
            shared.token.unpin();
            if (idle == null || !isOfThisLife(idle)) {
                idle = shared;
            } else {
                shared.token.unregister();
            }
        } catch (IllegalStateException left) {
            throwUnlessLeft(left);
        }
    }

    /** If this process leaves its world meanwhile, its tokens end with it. */
    private void throwUnlessLeft(IllegalStateException failure) {
        if (!epochs.isClosed()) {
            throw failure;
        }
    }

    /** Returns false if this process has left its world, or joined it again since: such a token protects nothing. */
    private boolean isOfThisLife(Shared shared) {
        return epochs.knows(shared.token) && !epochs.isClosed();
    }

    /** Returns true if no operation is pinned. */
    public boolean isEmpty() {
        return pinned.isEmpty();
    }

    /** Gives back the token that is kept for the next operation. The next one registers another. */
    public void close() {
        Shared last = idle;
        idle = null;
        if (last != null && isOfThisLife(last)) {
            try {
                last.token.take();
                last.token.unregister();
            } catch (IllegalStateException left) {
                throwUnlessLeft(left);
            }
        }
    }
}
