package io.atoll.epoch;

import io.atoll.memory.GlobalPointer;
import io.atoll.memory.StackRoom;

/**
 * One thread's part in an epoch manager (Dewan and Jenkins, section II-C). While the token is pinned, no object is
 * freed to which the thread can have found a pointer since:
 * <pre>{@code
 * try (Token token = epochs.register()) {
 *     try (Pin pin = token.pin()) {
 *         ... unlink the node ...
 *         token.retire(node);
 *     }
 *     token.tryReclaim();
 * }
 * }</pre>
 * Only the thread that registered a token may use it, or the one that has {@linkplain #take taken} it; any other thread
 * is refused. Pins nest: the last unpin ends them. A manager accepts only its own tokens.
 */
public abstract class Token implements AutoCloseable {

    // changes only for tokens that are lent or passed on, and only while no thread uses them
    private Thread thread = Thread.currentThread();
    @SuppressWarnings("this-escape") // the pin keeps the token, but does not use it before the first pin
    private final Pin pin = new Pin(this);
    private int depth;
    private boolean registered = true;

    // --- what a manager implements for its tokens ---

    /** The first pin: announces the token before the thread loads anything under the pin. */
    protected abstract void enter();

    /** The last unpin: withdraws the announcement after the thread has loaded everything under the pin. */
    protected abstract void leave();

    /**
     * Takes an object that is to be freed.
     *
     * @param bytes the object's size, 0 if it is not known
     */
    protected abstract void add(long pointer, long bytes);

    /** Seals the bag and tries to reclaim. Returns how many objects that has freed. */
    protected abstract long reclaim();

    /** Seals the bag and frees the token's place in its table. */
    protected abstract void giveUp();

    /** Returns true if the manager ends the token, and not its caller. */
    protected abstract boolean isKept();

    // --- what the token's thread calls ---

    /**
     * From now on no object that this thread finds is freed. That ends when the thread has unpinned as often as it has
     * pinned. Wait-free, no verb.
     *
     * @throws IllegalStateException if the token belongs to another thread, or was unregistered; so does every other
     * operation
     */
    public final Pin pin() {
        StackRoom.require();
        return pinWithRoom();
    }

    /**
     * As {@link #pin}, for a caller that has asked for {@link StackRoom} already. If it fails, the thread is not
     * pinned.
     */
    final Pin pinWithRoom() {
        refuseUnlessUsable();
        if (depth == 0) {
            enter();
        }
        depth++;
        return pin;
    }

    /**
     * Undoes one pin. Plain writes of this thread to an object that other threads may retire must have arrived before.
     * So structures flush them, or let an atomic to the same rank follow. No verb; wait-free, but for one exception.
     * {@link EpochSettings#reclaimEvery()} may make it try to reclaim, now or, if the fabric fails, later.
     *
     * @throws IllegalStateException if the token is not pinned
     */
    public final void unpin() {
        refuseUnlessPinned();
        if (--depth == 0) {
            leave();
        }
    }

    /**
     * Ends the pin and begins another one. From now on no object is safe that this thread has found before. For an
     * operation whose own pin would keep the room that it needs from being freed. No verb; wait-free.
     *
     * @return false, and then nothing has changed, if the token is pinned more than once
     * @throws IllegalStateException if the token is not pinned
     */
    public final boolean renew() {
        refuseUnlessPinned();
        if (depth > 1) {
            return false;
        }
        enter();
        return true;
    }

    /**
     * Makes this the calling thread's token, for a token that was registered to be passed on. The caller sees to it
     * that one thread at a time uses it, and that each sees what the one before has done.
     */
    final void take() {
        thread = Thread.currentThread();
    }

    /** Returns true if the token is pinned. */
    public final boolean isPinned() {
        return depth > 0;
    }

    /**
     * Frees the object, of any rank, once no thread can be using it any more. The caller must have unlinked it by an
     * atomic that has returned: no thread finds it from now on. It must be retired only once. It comes from {@link
     * io.atoll.heap.Heap#allocate}, or is a run whose last {@value io.atoll.heap.Heap#LINK_BYTES} bytes are not used.
     *
     * <p>This needs no memory. As a rule a bag of {@value Bag#CAPACITY} pointers notes the object. Where there is no
     * room for a bag, the object's own last word notes it. Readers of the object do not see that word.
     *
     * <p>Cost: none. For each {@value Bag#CAPACITY} objects R, to read the epoch, and the stores into a list of this
     * rank. Without a bag 2 R + W. Lock-free.
     *
     * @throws IllegalStateException if the token is not pinned
     * @throws io.atoll.failure.RankUnreachableException without a bag, if the object's rank is not there; the object is
     * then lost
     */
    public final void retire(GlobalPointer object) {
        retire(object.toWord(), 0);
    }

    /**
     * As {@link #retire(GlobalPointer)}.
     *
     * @param pointer {@link GlobalPointer#toWord()}
     * @param bytes the object's size, 0 if it is not known; observers see how many bytes are in limbo
     */
    public final void retire(long pointer, long bytes) {
        refuseUnlessPinned();
        if (pointer == 0 || bytes < 0) {
            throw new IllegalArgumentException("an object: pointer=" + pointer + " bytes=" + bytes);
        }
        add(pointer, bytes);
    }

    /**
     * Seals this token's bag, so that its objects can be freed from the epoch after the next one on. Then does the same
     * as {@link EpochManager#tryReclaim()}. May be called while pinned, but then the epoch does not advance twice.
     *
     * @return how many objects this call has freed
     */
    public final long tryReclaim() {
        refuseUnlessUsable();
        return reclaim();
    }

    /**
     * Ends the token. The objects that it has retired are freed later. From now on another token may have its place in
     * the table.
     *
     * @throws IllegalStateException if the token is pinned
     * @throws io.atoll.failure.FabricException if the epoch of the world cannot be read; the token is still registered
     */
    public final void unregister() {
        refuseUnlessUsable();
        if (depth > 0) {
            throw new IllegalStateException("a token that is pinned is not unregistered: pins=" + depth);
        }
        giveUp();
        registered = false;
    }

    /**
     * As {@link #unregister()}; does nothing if the token is already unregistered. A token of {@link EpochManager#pin}
     * or {@link EpochManager#token} is not the caller's to unregister. Closing it undoes one pin, if it is pinned.
     */
    @Override
    public final void close() {
        if (isKept()) {
            closePin();
        } else if (registered) {
            unregister();
        }
    }

    private void closePin() {
        if (depth > 0) {
            unpin();
        }
    }

    protected final Thread thread() {
        return thread;
    }

    final void belongTo(Thread borrower) {
        thread = borrower;
    }

    /** Gives up the token in place of its thread, which has ended. */
    protected final void giveUpForTheDead() {
        registered = false;
        giveUp();
    }

    /** Refuses a token that is not pinned, or that belongs to another thread. */
    public final void refuseUnlessPinned() {
        refuseUnlessUsable();
        if (depth == 0) {
            throw new IllegalStateException("the token is not pinned: token=" + this);
        }
    }

    private void refuseUnlessUsable() {
        if (Thread.currentThread() != thread) {
            throw new IllegalStateException(
                    "a token belongs to the thread that registered it: thread=" + thread.getName() + " caller="
                            + Thread.currentThread().getName());
        }
        if (!registered) {
            throw new IllegalStateException("the token was unregistered: token=" + this);
        }
    }
}
