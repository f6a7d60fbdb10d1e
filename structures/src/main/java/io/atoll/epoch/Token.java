package io.atoll.epoch;

import io.atoll.memory.GlobalPointer;
import io.atoll.memory.StackRoom;

/**
 * One thread's part in an epoch manager (Dewan and Jenkins, section II-C). While it is pinned, no object is freed to which the thread can have found a pointer
 * since:
 * <pre>{@code
 * try (Token token = epochs.register()) {
 *     try (Pin pin = token.pin()) {
 *         ... unlink the node ...
 *         token.retire(node);
 *     }
 *     token.tryReclaim();
 * }
 * }</pre>
 * For the thread that registered it, alone; another one is refused. Pins nest: the last one to be undone counts. A manager takes no other tokens than its own.
 */
public abstract class Token implements AutoCloseable {

    private Thread thread = Thread.currentThread(); // changes only of tokens that are lent, and only while nobody uses them
    @SuppressWarnings("this-escape") // kept, and not used before somebody pins
    private final Pin pin = new Pin(this);
    private int depth;
    private boolean registered = true;

    // --- what makes it a token of its manager ---

    /** The first pin: announces it before anything is loaded under it. */
    protected abstract void enter();

    /** The last unpin: withdraws what was announced after everything was loaded under it. */
    protected abstract void leave();

    /** An object to be freed, of so many bytes if they are known, else 0. */
    protected abstract void add(long pointer, long bytes);

    /** Lets go of what was added, and tries to reclaim. Returns how many objects that has freed. */
    protected abstract long reclaim();

    /** Lets go of what was added, and of its place. */
    protected abstract void giveUp();

    // --- what its thread does ---

    /**
     * From now on, until it is unpinned as often, nothing is freed that this thread finds. Wait-free, no verb.
     *
     * @throws IllegalStateException for another thread's token, or one that was unregistered; as every operation
     */
    public final Pin pin() {
        StackRoom.require();
        return pinWithRoom();
    }

    /** As {@link #pin}, for a caller that has asked for {@link StackRoom}. If it fails, nothing counts as pinned. */
    final Pin pinWithRoom() {
        refuseUnlessUsable();
        if (depth == 0) {
            enter();
        }
        depth++;
        return pin;
    }

    /**
     * Undoes one pin. What this thread wrote by plain writes to an object that others may retire must have arrived: structures flush it, or let an atomic to the same
     * rank follow. No verb; wait-free, except that {@link EpochSettings#reclaimEvery()} may let it try to reclaim, now or, if the fabric fails, later.
     *
     * @throws IllegalStateException if it is not pinned
     */
    public final void unpin() {
        refuseUnlessPinned();
        if (--depth == 0) {
            leave();
        }
    }

    /**
     * Ends the pin and begins another one: from now on nothing that this thread has found before is safe. For an operation that would otherwise keep from being freed what it
     * needs the room of. No verb; wait-free.
     *
     * @return false, and then nothing has changed, if it is pinned more than once
     * @throws IllegalStateException if it is not pinned
     */
    public final boolean renew() {
        refuseUnlessPinned();
        if (depth > 1) {
            return false;
        }
        enter();
        return true;
    }

    /** Whether it is pinned. */
    public final boolean isPinned() {
        return depth > 0;
    }

    /**
     * Frees the object, of any rank, when nobody can be using it any more. It must have been unlinked, by an atomic that has returned, so that nobody finds it from
     * now on; and it is retired once. It comes from {@link io.atoll.heap.Heap#allocate}, or is a run of which the last {@value io.atoll.heap.Heap#LINK_BYTES} bytes are not used.
     *
     * <p>This needs no memory. As a rule a bag of {@value Bag#CAPACITY} pointers notes the object. Where there is no room for a bag the object is noted by its own last word, which its
     * readers do not see.
     *
     * <p>Cost: nothing; R for each {@value Bag#CAPACITY} objects, to learn the epoch, and the stores of a list that is this rank's own. Without a bag 2 R + W. Lock-free.
     *
     * @throws IllegalStateException if it is not pinned
     * @throws io.atoll.failure.RankUnreachableException without a bag, when the object's rank is not there; the object is lost then
     */
    public final void retire(GlobalPointer object) {
        retire(object.toWord(), 0);
    }

    /**
     * As {@link #retire(GlobalPointer)}.
     *
     * @param pointer {@link GlobalPointer#toWord()}
     * @param bytes of the object, for those who want to know how much is in limbo; 0 if it is not known
     */
    public final void retire(long pointer, long bytes) {
        refuseUnlessPinned();
        if (pointer == 0 || bytes < 0) {
            throw new IllegalArgumentException("an object: pointer=" + pointer + " bytes=" + bytes);
        }
        add(pointer, bytes);
    }

    /**
     * Lets what this token has retired so far be freed from the epoch after the next one on, then as {@link EpochManager#tryReclaim()}. May be called pinned, but
     * then the epoch does not advance twice.
     *
     * @return how many objects this call has freed
     */
    public final long tryReclaim() {
        refuseUnlessUsable();
        return reclaim();
    }

    /**
     * Ends it. What it has retired is freed later. Others may have its place in the table from now on.
     *
     * @throws IllegalStateException if it is pinned
     * @throws io.atoll.failure.FabricException when the epoch of the world cannot be read; it is registered still
     */
    public final void unregister() {
        refuseUnlessUsable();
        if (depth > 0) {
            throw new IllegalStateException("a token that is pinned is not unregistered: pins=" + depth);
        }
        giveUp();
        registered = false;
    }

    /** As {@link #unregister()}; does nothing for one that is unregistered. */
    @Override
    public final void close() {
        if (registered) {
            unregister();
        }
    }

    protected final Thread thread() {
        return thread;
    }

    final void belongTo(Thread borrower) {
        thread = borrower;
    }

    /** In the place of its thread, which has ended. */
    protected final void giveUpForTheDead() {
        registered = false;
        giveUp();
    }

    /** Refuses a token that is not pinned, or another thread's. */
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
