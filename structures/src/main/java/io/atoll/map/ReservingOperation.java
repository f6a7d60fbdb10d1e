package io.atoll.map;

import io.atoll.completion.Operation;
import io.atoll.epoch.EpochManager;
import io.atoll.epoch.Token;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.world.Reservations;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An asynchronous operation on one key of a map. It does by rounds what the map's table does by verbs one after the
 * other, and the numbers are those of the table's bucket:
 * <pre>
 *   SEARCH   lets the owner find the key's bucket and change it, or insert the key at its home; then reads as LOOK
 *   LOOK     reads (4, 5, 6) until the key's bucket is known, or the one that it is to take
 *   CHANGE   changes the word that says what becomes of the entry, by one atomic
 *   RESERVE  reserves the bucket (1); where the owner decides, writes it (2, 3) in the same round
 *   WRITE    writes the reserved bucket (2, 3)
 *
 *   SEARCH ----------------------------------> done
 *      \-----> LOOK -----> CHANGE ------------> done       CHANGE, RESERVE ----> LOOK, if another caller was faster
 *               \--------> RESERVE -----------> done
 *                              \---> WRITE ---> done
 * </pre>
 *
 * <p>It begins with SEARCH where the owner decides what a batch guards. It begins anew, with LOOK, if another caller
 * was faster. The synchronous operation does it if that happens again and again, or if the block is being replaced. It
 * also does so if there is no bucket for the key.
 *
 * <p>It holds what it may reserve, without waiting for the hold. If a round fails, it undoes what that may have left.
 *
 * @param <T> the type of the result
 */
abstract class ReservingOperation<T> extends Operation<T> {

    private static final int[] ONE = {0};
    private static final int MOST_REFUSALS = 4;

    private enum Phase {
        SEARCH, LOOK, CHANGE, RESERVE, WRITE
    }

    private final Endpoint endpoint;
    private final Blocks blocks;
    private final Reservations reservations;
    private final Supplier<T> whole;
    final BulkSearch search; // for the key alone
    final int owner;
    // Asked once: a round is taken as it was added.
    private final boolean isDecidedByOwner;
    private Phase phase = Phase.LOOK;
    long first; // the block in which the key is looked for first
    private long offset; // of the bucket
    private long expected; // the word of the bucket that is to be reserved
    private int atomic; // the index of the round's atomic
    private int hold = Reservations.NOT_HELD;
    private int refusals;
    private long count; // what is to be counted, or 0

    /**
     * @param search for the key alone
     * @param whole does the whole operation
     */
    ReservingOperation(Endpoint endpoint, Blocks blocks, Reservations reservations, BulkSearch search,
            Supplier<T> whole) {
        this.endpoint = endpoint;
        this.blocks = blocks;
        this.reservations = reservations;
        this.search = search;
        this.whole = whole;
        this.owner = search.owner(0);
        this.isDecidedByOwner = endpoint.decidesAtOwner(owner);
    }

    // --- what depends on the map ---

    /** Returns true if it begins with SEARCH, where the owner decides. */
    abstract boolean searches();

    /**
     * Adds what SEARCH does before it reads, and leaves the batch without a guard. Returns the position behind what
     * that uses of the buffer: the same one if it could add nothing. Then LOOK takes its place.
     */
    abstract long addSearch(Batch batch, long position);

    /** Returns how many results SEARCH has in a batch at most. */
    abstract int searchAtomics();

    /** Takes the answers of SEARCH. {@link #looked} follows if it has had no effect. */
    abstract Step searched(Batch batch);

    /**
     * Says what follows when the key was looked for.
     *
     * @param found as {@link BulkSearch#advance} returns it, but not {@link BucketReader#BEHIND}
     * @param word of the bucket that was found, or that is to be taken
     */
    abstract Step decide(Batch batch, long found, long word);

    /** Adds the atomic of CHANGE. Returns its index. */
    abstract int addChange(Batch batch, long bucket);

    /** Says what follows when the atomic of CHANGE has found this word. */
    abstract Step changed(long bucket, long witness);

    /** Returns what reserves a bucket that has this word. */
    abstract long reservation(long word);

    /** Adds what writes a bucket that is reserved, and had this word (2, 3). */
    abstract void addWrite(Batch batch, long bucket, long word, long position);

    /** Returns what is to be counted when a bucket is written that had this word, or 0. */
    abstract long counted(long word);

    /** Returns what undoes a reservation. */
    abstract Reservations.Undo undoing();

    // --- rounds ---

    @Override
    protected final Endpoint endpoint() {
        return endpoint;
    }

    @Override
    protected final int owner() {
        return owner;
    }

    @Override
    protected final @Nullable EpochManager epochs() {
        return blocks.epochs();
    }

    @Override
    protected final int atomics() {
        return phase == Phase.SEARCH ? searchAtomics() : 1;
    }

    @Override
    protected Step begin() {
        first = blocks.firstAtRest(owner);
        if (first == Block.NONE) {
            return Step.ALONE;
        }
        search.begin(0, first);
        return next(isDecidedByOwner && searches() ? Phase.SEARCH : Phase.LOOK);
    }

    @Override
    protected final void add(Batch batch, long position) {
        switch (phase) {
            case SEARCH -> {
                long behind = addSearch(batch, position);
                phase = behind == position ? Phase.LOOK : Phase.SEARCH;
                search.read(batch, ONE, 1, behind);
            }
            case LOOK -> search.read(batch, ONE, 1, position);
            case CHANGE -> atomic = addChange(batch, offset);
            case RESERVE -> addReservation(batch, position, isDecidedByOwner);
            case WRITE -> addWrite(batch, offset, expected, position);
            default -> throw new AssertionError(phase);
        }
    }

    /** Adds (1), and what it guards: (2) and (3). */
    private void addReservation(Batch batch, long position, boolean writes) {
        atomic = batch.compareAndExchange(owner, offset, expected, reservation(expected)); // (1)
        if (writes) {
            batch.guard(atomic);
            addWrite(batch, offset, expected, position);
            batch.unguard();
        }
    }

    /** Adds (1) to (3) of a bucket that may have this word, unless another thread of this process holds it. */
    final void addInsertion(Batch batch, long bucket, long word, long position) {
        if (isHeld(bucket)) {
            offset = bucket;
            expected = word;
            addReservation(batch, position, true);
        }
    }

    @Override
    protected final Step take(Batch batch, long position) {
        return switch (phase) {
            case SEARCH -> searched(batch);
            case LOOK -> looked(batch);
            case CHANGE -> changed(offset, batch.result(atomic));
            case RESERVE -> reserved(batch.result(atomic));
            case WRITE -> stored();
        };
    }

    private Step next(Phase following) {
        phase = following;
        return Step.AGAIN;
    }

    /** Takes the answers of LOOK, or of what SEARCH has read. */
    final Step looked(Batch batch) {
        long found = search.advance(batch, 0);
        if (found == BucketReader.BEHIND) {
            return next(Phase.LOOK);
        }
        return decide(batch, found, search.state(0));
    }

    /** Lets CHANGE follow. */
    final Step change(long bucket) {
        offset = bucket;
        return next(Phase.CHANGE);
    }

    /** Lets RESERVE follow, of a bucket with this word, unless another thread of this process holds it. */
    final Step reserve(long bucket, long word) {
        offset = bucket;
        expected = word;
        return isHeld(bucket) ? next(Phase.RESERVE) : refused();
    }

    /** Looks for the key anew, since another caller was faster. */
    final Step refused() {
        if (refusals++ == MOST_REFUSALS) {
            return Step.ALONE;
        }
        search.begin(0, first);
        return next(Phase.LOOK);
    }

    private Step reserved(long witness) {
        if (witness != expected) {
            release();
            return refused();
        }
        return isDecidedByOwner ? stored() : next(Phase.WRITE);
    }

    /** Ends when the bucket that was reserved is written. */
    final Step stored() {
        release();
        return ends(offset, counted(expected));
    }

    /** Returns true if what {@link #addInsertion} has added took effect. Else what it held is released. */
    final boolean isInserted(Batch batch) {
        boolean isInserted = hold != Reservations.NOT_HELD && batch.succeeded(atomic);
        if (!isInserted) {
            release();
        }
        return isInserted;
    }

    /** Ends with a result. Counts what has become of a bucket, even if the operation fails from here on. */
    final Step ends(long bucket, long change) {
        offset = bucket;
        count = change != 0 && blocks.isCounted(owner, first, bucket, search.hash(0)) ? change : 0;
        return count == 0 ? Step.DONE : Step.AFTERWARDS;
    }

    @Override
    protected final T alone() {
        return whole.get();
    }

    /** Counts, which may begin to grow the block. */
    @Override
    protected final void afterwards() {
        Token token = blocks.beginToChange();
        try {
            blocks.note(owner, first, offset, search.hash(0), count);
        } finally {
            blocks.end(token);
        }
    }

    // --- what is reserved ---

    /** Takes the hold of a bucket. Returns false if another thread of this process has it. */
    final boolean isHeld(long bucket) {
        hold = reservations.tryHold(owner, bucket);
        return hold != Reservations.NOT_HELD;
    }

    /** As {@link #isHeld}. Also returns false if nobody is kept out, as where verbs begin to be executed at once. */
    final boolean isHeldFromOthers(long bucket) {
        boolean keepsOut = isHeld(bucket) && Reservations.keepsOut(hold);
        if (!keepsOut) {
            release();
        }
        return keepsOut;
    }

    /** Returns words of the hold. If there is no memory for them, the hold is given back. */
    final long[] words(int count) {
        int held = hold;
        hold = Reservations.NOT_HELD; // given back by the next call if that fails
        long[] words = reservations.words(held, count);
        hold = held;
        return words;
    }

    /** Gives the hold back, if there is one. */
    final void release() {
        if (hold != Reservations.NOT_HELD) {
            reservations.release(hold);
            hold = Reservations.NOT_HELD;
        }
    }

    @Override
    protected final boolean isInDoubt() {
        return hold != Reservations.NOT_HELD || count != 0;
    }

    @Override
    protected final void undo() {
        if (hold == Reservations.NOT_HELD) {
            afterwards();
            return;
        }
        int held = hold;
        hold = Reservations.NOT_HELD;
        undo(held);
    }

    /** Undoes what a round may have reserved under this hold, which ends. */
    void undo(int held) {
        reservations.undo(held, owner, offset, reservation(expected), undoing());
    }
}
