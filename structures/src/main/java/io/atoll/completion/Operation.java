package io.atoll.completion;

import io.atoll.epoch.EpochManager;
import io.atoll.epoch.SharedPins;
import io.atoll.fabric.Batch;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An operation of a structure in rounds. In a round the operation adds verbs to a batch, which it shares with other
 * operations. It takes the answers when the batch has completed. No thread need wait in between. The verbs of all its
 * rounds go to one rank.
 * <pre>
 *                  +------- AGAIN -------+
 *                  v                     |
 *   begin ------> add ---- answers ----> take ------ DONE --------------------> complete
 *     |                                  |  +------- AFTERWARDS -> afterwards -> complete
 *     +------------- ALONE --------------+---------- ALONE ------> alone ------> complete
 * </pre>
 *
 * <p>Three methods may wait, for another caller or for one verb after the other, and a virtual thread calls them.
 * {@link #alone} is the whole synchronous operation, in place of rounds that have had no effect. {@link #afterwards} is
 * what is left to do after the effect. {@link #undo} follows a failure. All other methods never wait. One thread at a
 * time calls them, and it sees what the one before has done.
 *
 * @param <T> the type of the result
 */
public abstract non-sealed class Operation<T> extends Submission<T> {

    /** What follows a round. */
    public enum Step {
        /** Another round. */
        AGAIN,
        /** The operation has its result. */
        DONE,
        /** It has its result; {@link Operation#afterwards} is to be called before others learn it. */
        AFTERWARDS,
        /** The rounds have had no effect, and {@link Operation#alone} takes their place. */
        ALONE
    }

    private @Nullable SharedPins pins; // which have pinned it
    private SharedPins.@Nullable Shared pin;
    private Step step = Step.AGAIN;
    private boolean hasBegun;

    // --- what a structure says ---

    /** Returns the rank to which the verbs of all rounds go. */
    protected abstract int owner();

    /** Returns the manager under whose pin the rounds run, or null if they need none. */
    protected abstract @Nullable EpochManager epochs();

    /**
     * Returns how many bytes at the beginning of the buffer {@link #take} may overwrite. No verb uses them, and all
     * operations of a batch share them.
     */
    protected long scratchBytes() {
        return 0;
    }

    /** Returns how many bytes of the buffer a round uses at most; whole words. */
    protected abstract long bytes();

    /** Returns how many atomics a round has at most. */
    protected abstract int atomics();

    /** Is called once, under the pin. Returns AGAIN if the first round follows, otherwise ALONE. */
    protected abstract Step begin();

    /**
     * Adds the verbs of the next round. If one of them is guarded, unguards the batch again.
     *
     * @param position in the buffer from which on the round may use it
     */
    protected abstract void add(Batch batch, long position);

    /** Takes the answers, and says what follows. */
    protected abstract Step take(Batch batch, long position);

    /** Returns the result, once a round has said DONE or AFTERWARDS. */
    protected abstract @Nullable T result();

    /** Does the whole operation, and waits as often as it must. */
    protected abstract @Nullable T alone();

    /** Does what follows an effect. May wait. Its failure is that of the operation. */
    protected void afterwards() {
        throw new AssertionError("nothing is left to do: operation=" + this);
    }

    /** Returns true if a round that has failed, or may have failed, has left something for {@link #undo} to do. */
    protected boolean isInDoubt() {
        return false;
    }

    /** Undoes what a failed round may have left, or ends what it has begun. May wait. */
    protected void undo() {
        throw new AssertionError("nothing is in doubt: operation=" + this);
    }

    // --- what becomes of it ---

    /** Says what follows, after a call that may fail. */
    final Step step() {
        return step;
    }

    /** Begins, unless it has begun. Returns true if a round follows. */
    final boolean begins(@Nullable SharedPins shared) {
        if (!hasBegun) {
            hasBegun = true;
            try {
                pins = shared;
                pin = shared == null ? null : shared.begin();
                step = begin();
            } catch (Throwable notBegun) {
                fail(notBegun);
            }
        }
        return step == Step.AGAIN;
    }

    final boolean isPinned() {
        return pin != null;
    }

    final void unpin() {
        SharedPins.Shared ended = Objects.requireNonNull(pin);
        pin = null;
        Objects.requireNonNull(pins).end(ended);
    }

    /** Takes the answers of a round. */
    final void arrived(Batch batch, long position) {
        try {
            step = take(batch, position);
            if (step == Step.DONE || step == Step.AFTERWARDS) {
                succeedWith(result());
            }
        } catch (Throwable refused) {
            fail(refused);
        }
    }

    /** Ends with a failure. What is in doubt is undone afterwards. Allocates nothing: memory may be what is missing. */
    final void fail(Throwable reason) {
        failWith(reason);
        step = isInDoubt() ? Step.AFTERWARDS : Step.DONE;
    }

    /** Does what may wait. */
    final void goOn() {
        try {
            if (step == Step.ALONE) {
                succeedWith(alone());
            } else if (failure() != null) {
                undo();
            } else {
                afterwards();
            }
        } catch (Throwable thrown) {
            Throwable before = failure();
            if (before == null) {
                failWith(thrown);
            } else if (before != thrown) {
                add(thrown, before);
            }
        }
        step = Step.DONE;
    }

    private static void add(Throwable suppressed, Throwable failure) {
        try {
            failure.addSuppressed(suppressed);
        } catch (VirtualMachineError noMemory) {
            // The failure itself is told in any case.
        }
    }

    // --- what it was submitted for ---

    /** Returns how many submissions it carries out and has not handed over. */
    int requests() {
        return 1;
    }

    // These allocate nothing: an operation must not be lost between two places.

    /** Hands over the submissions that have ended before it. */
    void handAnswered(Submissions<Submission<?>> done) {}

    /** Says that {@link #alone} follows. */
    void goAlone(Submissions<Operation<?>> mayWait) {
        mayWait.add(this);
    }

    /**
     * Hands over what was submitted, when it has ended.
     *
     * @param mayWait receives an operation that has waited for the end of this one
     */
    void hand(Submissions<Submission<?>> done, Submissions<Operation<?>> mayWait) {
        done.add(this);
    }
}
