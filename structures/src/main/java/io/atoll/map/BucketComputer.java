package io.atoll.map;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.failure.CodecException;
import io.atoll.failure.FabricException;
import io.atoll.map.BucketSearcher.Attempt;
import io.atoll.map.BucketTable.Change;
import io.atoll.map.BucketTable.Change.Outcome;
import io.atoll.memory.GlobalPointer;
import io.atoll.world.Reservations;
import io.atoll.world.Reservations.Keeper;
import io.atoll.world.Reservations.Undone;
import org.jspecify.annotations.Nullable;

/**
 * Lets a change compute what becomes of an entry, once, while no other thread can change it. The {@link Bucket} is
 * reserved and has its key. The thread keeps it without a hold: the function may take long, and may change other
 * entries.
 *
 * <p>Where the owner decides, one batch looks for the key, reserves its bucket and brings the value. It reserves the
 * home, with the key in it, if that is FREE:
 * <ul>
 * <li>(7), (5) and (8) where the key is found: the value is the one that was there when (8) took effect;
 * <li>(1) and the naming of a bucket at the home. Or (1), (2) and (3), if a new key needs no function.
 * </ul>
 * Elsewhere the entry is looked at first, and then reserved by (1).
 */
final class BucketComputer {

    private final BucketTable table;
    private final BucketSearcher searcher;
    private final BucketWriter writer;
    private final Endpoint endpoint;
    private final Reservations reservations;

    /**
     * A bucket that this thread keeps, or is about to.
     *
     * @param before the state before it was reserved
     * @param reserved the state now
     * @param living the position of its value in the buffer, or {@link BucketReader#NONE}
     */
    private record Kept(Keeper keeper, long before, long reserved, long living) {

        private int owner() {
            return keeper.word().rank();
        }

        private long offset() {
            return keeper.word().offset();
        }
    }

    BucketComputer(BucketTable table) {
        this.table = table;
        this.searcher = table.searcher;
        this.writer = table.writer;
        this.endpoint = table.endpoint;
        this.reservations = writer.participant.reservations();
    }

    // --- reserved where the owner finds the key ---

    /** Makes the change if the owner can find the key, or take its home. The batch has the key in its buffer. */
    Attempt attempt(Batch batch, Change change) {
        if (!searcher.isFor(change.owner) || stores(change) && !isPlaced(batch, change)) {
            return Attempt.NOT_MADE;
        }
        long home = searcher.home(change);
        // A value that is left as it is needs no hold. So threads that look for one do not wait for each other.
        int hold = change.unseen(true) == Outcome.KEEP
                ? reservations.tryHold(change.owner, home)
                : reservations.hold(change.owner, home);
        if (!Reservations.keepsOut(hold)) {
            return Attempt.NOT_MADE;
        }
        return attempt(batch, change, home, hold, reservations.words(hold, searcher.words()));
    }

    /** Returns true if a new key's value is known. */
    private static boolean stores(Change change) {
        return change.unseen(false) == Outcome.STORE;
    }

    /** Returns false if the value cannot be encoded. That matters only if the key turns out to be new. */
    private static boolean isPlaced(Batch batch, Change change) {
        try {
            change.placeValue(batch);
            return true;
        } catch (CodecException perhapsLater) {
            return false;
        }
    }

    /** As the other one, once this thread holds the home, which ends here. */
    private Attempt attempt(Batch batch, Change change, long home, int hold, long[] words) {
        Kept kept = null;
        try {
            searcher.addStorage(batch, change);
            searcher.complete(batch, change);
            kept = found(batch, change);
            if (kept == null) {
                reservations.release(hold);
            } else {
                reservations.keep(hold, kept.keeper);
            }
        } catch (VirtualMachineError | LinkageError error) {
            Undone undone = searcher.undo(hold, words, home, batch, change);
            int guard = stores(change) ? change.inserted : BucketWriter.NOTHING_WRITTEN;
            BucketWriter.afterError(error, BucketWriter.undone(undone, batch, guard), Bucket.FREE, change);
        } catch (Throwable failure) {
            searcher.undo(hold, words, home, batch, change);
            throw failure;
        }
        if (kept == null) {
            return searcher.concluded(batch, change);
        }
        compute(batch, change, kept);
        return kept.before == Bucket.FREE ? Attempt.INSERTED : Attempt.CHANGED;
    }

    /** Returns the bucket that the batch has reserved for a function, or null. */
    private @Nullable Kept found(Batch batch, Change change) {
        Attempt attempt = searcher.outcome(batch, change);
        boolean isNew = attempt == Attempt.INSERTED;
        if (!attempt.isDone() || change.unseen(!isNew) != Outcome.COMPUTE) {
            return null;
        }
        Keeper keeper = keeper(change, searcher.offset(batch, change, attempt));
        if (isNew) {
            return new Kept(keeper, Bucket.FREE, writer.reserved(Bucket.NAMED), BucketReader.NONE);
        }
        long before = batch.result(change.found);
        return new Kept(keeper, before, before + searcher.reservation, searcher.living(batch, change));
    }

    // --- reserved where this thread has seen the entry ---

    /**
     * Makes the change if the bucket still is in this state. Returns the state that it found: another one if nothing
     * was done.
     */
    long compute(Batch batch, Change change, long offset, long state, long living) {
        long reserved = writer.reserved(state == Bucket.FREE ? Bucket.NAMED : state);
        var kept = new Kept(keeper(change, offset), state, reserved, living);
        long witness = writer.reserve(batch, kept.keeper, state, change.hash);
        if (witness == state) {
            compute(batch, change, kept);
        }
        return witness;
    }

    private static Keeper keeper(Change change, long offset) {
        return new Keeper(new GlobalPointer(change.owner, offset));
    }

    // --- computing ---

    /**
     * Computes what becomes of a bucket that this thread keeps. Nothing that could fail comes between keeping it and
     * the {@code try}. There is room on the stack, since the operation has {@linkplain Blocks#beginToChange asked}.
     */
    private void compute(Batch batch, Change change, Kept kept) {
        Outcome outcome;
        try {
            outcome = change.compute(batch, kept.living);
            conclude(kept, outcome, change);
        } catch (Throwable failure) {
            reservations.withdraw(kept.keeper, kept.reserved, writer.undoing); // unless it is kept no more
            countKept(change, kept, failure);
            throw failure;
        }
        table.count(change, kept.offset(), BucketTable.counted(kept.before, outcome));
    }

    private void conclude(Kept kept, Outcome outcome, Change change) {
        int owner = kept.owner();
        long offset = kept.offset();
        long reserved = kept.reserved;
        long state = Bucket.undone(reserved);
        int hold = reservations.resume(kept.keeper);
        boolean isWriting = false;
        try {
            switch (outcome) {
                case STORE -> {
                    // Asked for anew: the function may have used this thread's batch, and left verbs in it that failed.
                    // The bucket has its key by now, so the value is all that is placed.
                    Batch batch = endpoint.batch(owner);
                    change.offers(offset, state);
                    change.placeValue(batch);
                    isWriting = true;
                    writer.publish(batch, owner, offset, state, BucketReader.WRITTEN);
                    batch.complete();
                }
                case REMOVE -> endpoint.compareAndExchange(owner, offset, reserved, Bucket.removed(state));
                default -> writer.repair(owner, offset, reserved);
            }
            reservations.release(hold);
        } catch (VirtualMachineError | LinkageError error) {
            Undone undone = reservations.undo(hold, owner, offset, reserved, writer.undoing);
            // A removal writes one word, so it is done if the bucket is not reserved any more.
            BucketWriter.afterError(error, isWriting || outcome == Outcome.REMOVE ? undone : Undone.NOW, state, change);
        } catch (Throwable failure) {
            reservations.undo(hold, owner, offset, reserved, writer.undoing);
            throw failure;
        }
    }

    /**
     * Counts a bucket that was taken for a key. It is the key's from now on, whatever has become of the function, so it
     * counts as taken.
     */
    private void countKept(Change change, Kept kept, Throwable failure) {
        try {
            table.count(change, kept.offset(), BucketTable.counted(kept.before, Outcome.KEEP));
        } catch (FabricException uncounted) {
            failure.addSuppressed(uncounted);
        }
    }
}
