package io.atoll.world;

import io.atoll.world.Reservations.Keeper;
import io.atoll.world.Reservations.Undo;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** An undoing that may have to wait. It stays where it is until it has succeeded: putting it back would need memory. */
final class Undoing {

    final int hold;
    final AtomicBoolean isBeingDone = new AtomicBoolean();
    // Written before the undoing is put where other threads find it, and while none of them may do it.
    int owner;
    @Nullable Runnable action;
    @Nullable Undo ofWord;
    @Nullable Keeper ofKept;
    long offset;
    long reserved;
    volatile boolean isDone;
    volatile boolean isPut; // into its hold, where other threads find it
    long[] words = {}; // of the thread that has the hold

    Undoing(int hold) {
        this.hold = hold;
    }

    Undoing of(int segment, Runnable what) {
        owner = segment;
        action = what;
        ofWord = null;
        ofKept = null;
        isDone = false;
        return this;
    }

    Undoing of(int segment, long word, long value, Undo what) {
        owner = segment;
        offset = word;
        reserved = value;
        ofWord = what;
        ofKept = null;
        action = null;
        isDone = false;
        return this;
    }

    Undoing of(Keeper kept, long value, Undo what) {
        of(kept.word().rank(), kept.word().offset(), value, what);
        ofKept = kept;
        return this;
    }
}
