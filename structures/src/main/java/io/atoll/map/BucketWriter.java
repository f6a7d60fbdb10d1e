package io.atoll.map;

import io.atoll.epoch.Token;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.failure.Aftermath;
import io.atoll.failure.FabricException;
import io.atoll.map.BucketTable.Change;
import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import io.atoll.world.Participant;
import io.atoll.world.Reservations;
import io.atoll.world.Reservations.Keeper;
import io.atoll.world.Reservations.Undone;
import io.atoll.world.WaitReason;
import org.jspecify.annotations.Nullable;

/**
 * Reserves a {@link Bucket} (1), writes it (2) and publishes what it has written (3). If a rank dies in the middle, a
 * thread that waits for it repairs what it has reserved. A rank that lives and cannot go on undoes that itself.
 */
class BucketWriter {

    /** In place of an exchange that guards writes, while none of them was added. */
    static final int NOTHING_WRITTEN = -1;

    final String name;
    final Participant participant;
    final Reservations.Undo undoing = this::undo; // made before it is needed, when there may be no memory
    private final Reservations.Undo undoingName = this::undoNameless;

    final BucketReader reader;
    private final Endpoint endpoint;
    private final Bucket bucket;

    BucketWriter(String name, Participant participant, BucketReader reader) {
        this.name = name;
        this.participant = participant;
        this.reader = reader;
        this.endpoint = reader.endpoint;
        this.bucket = reader.bucket;
    }

    /** Returns this writer for the only thread that uses this rank's entries. */
    final BucketWriter alone() {
        return new BucketWriter(name, participant, reader.alone());
    }

    // --- (1) reserve ---

    /**
     * Puts the entry into the bucket if its state still is this one, which is FREE or has the key. Returns the state
     * that it found.
     *
     * @param change is told if an error has struck and nothing was stored. If something was stored, the method returns
     * as if no error had struck
     */
    final long exchange(Batch batch, int owner, long offset, long state, @Nullable Change change) {
        if (isComputed(owner, offset)) {
            return reserved(Bucket.NAMED);
        }
        if (!endpoint.executesAtOnce(owner)) {
            return exchangeInOneBatch(batch, owner, offset, state, change);
        }
        // No hold: no verb to a near owner is in doubt. One that was asked for now would be taken if the owner has just
        // stopped being near, and a failure of (1) would leave it behind.
        long reservation = reserved(state);
        boolean reserved = false;
        try {
            long witness = endpoint.compareAndExchange(owner, offset, state, reservation); // (1)
            if (witness == state) {
                reserved = true;
                publish(batch, owner, offset, state, BucketReader.WRITTEN);
                batch.complete();
            }
            return witness;
        } catch (VirtualMachineError | LinkageError error) {
            Undone undone = reserved
                    ? participant.reservations().undo(owner, offset, reservation, undoing)
                    : Undone.NOW;
            return afterError(error, undone, state, change);
        } catch (Throwable failure) {
            if (reserved) {
                participant.reservations().undo(owner, offset, reservation, undoing);
            }
            throw failure;
        }
    }

    /**
     * As {@link #exchange}, where verbs cross a network: (1) guards (2) and (3). A batch may fail after any part of it
     * took effect, so what it may have reserved is undone.
     */
    private long exchangeInOneBatch(Batch batch, int owner, long offset, long state, @Nullable Change change) {
        long reservation = reserved(state);
        int hold = participant.reservations().hold(owner, offset);
        if (hold == Reservations.NOT_HELD) {
            return reserved(Bucket.NAMED);
        }
        int guard = NOTHING_WRITTEN;
        try {
            int exchange = batch.compareAndExchange(owner, offset, state, reservation); // (1)
            batch.guard(exchange);
            guard = exchange;
            write(batch, owner, offset, state, BucketReader.WRITTEN);
            batch.complete();
            long witness = batch.result(exchange);
            participant.reservations().release(hold);
            return witness;
        } catch (VirtualMachineError | LinkageError error) {
            Undone undone = participant.reservations().undo(hold, owner, offset, reservation, undoing);
            return afterError(error, undone(undone, batch, guard), state, change);
        } catch (Throwable failure) {
            participant.reservations().undo(hold, owner, offset, reservation, undoing);
            throw failure;
        }
    }

    /**
     * Returns what is known of an entry that was written under a guard, when an error has struck its batch and its
     * reservation was undone. The word was not reserved any more if the entry is stored, and also if it never was
     * reserved. The answer of the exchange tells which. It arrives before that of the undoing, unless the connection
     * has broken in between. Then nobody knows.
     *
     * @param guard the index of the exchange, or {@link #NOTHING_WRITTEN}
     */
    static Undone undone(Undone undone, Batch batch, int guard) {
        if (guard == NOTHING_WRITTEN) {
            return Undone.NOW;
        }
        if (undone != Undone.BEFORE || batch.answered(guard) && batch.succeeded(guard)) {
            return undone;
        }
        return batch.answered(guard) ? Undone.NOW : Undone.LATER;
    }

    /** Returns the state if the entry was stored, though the error has struck. Else throws the error. */
    static <E extends Error> long afterError(E error, Undone undone, long state, @Nullable Change change) throws E {
        if (undone == Undone.BEFORE) {
            Aftermath.warn("an entry is stored", error);
            return state;
        }
        if (undone == Undone.NOW && change != null) {
            change.refused();
        }
        throw error;
    }

    /**
     * As {@link #exchange}, for a FREE bucket in a segment that is mapped, with an entry of two words. Returns false if
     * the bucket was not FREE; a bucket that a thread keeps is not FREE either. It takes no hold, and no operation does
     * if verbs are executed at once.
     */
    final boolean occupy(LocalMemory mapped, int owner, long offset, long key, long value) {
        long reservation = reserved(Bucket.FREE);
        if (endpoint.compareAndExchange(owner, offset, Bucket.FREE, reservation) != Bucket.FREE) {
            return false;
        }
        try {
            publish(mapped, offset, key, value);
            return true;
        } catch (Throwable failure) {
            participant.reservations().undo(owner, offset, reservation, undoing);
            throw failure;
        }
    }

    /**
     * Reserves the bucket, with the key in it. So an operation that looks for another key need not wait for the
     * function. The function may be in such an operation itself.
     *
     * @param hash of the key
     */
    final long reserve(Batch batch, Keeper keeper, long state, long hash) {
        int owner = keeper.word().rank();
        long offset = keeper.word().offset();
        if (isComputed(owner, offset)) {
            return reserved(Bucket.NAMED);
        }
        int hold = participant.reservations().hold(owner, offset);
        if (hold == Reservations.NOT_HELD) {
            return reserved(Bucket.NAMED);
        }
        boolean reserved = Reservations.keepsOut(hold); // a failure leaves in doubt what needs a hold
        if (reserved) {
            participant.reservations().words(hold, 1)[0] = hash; // for undoingName
        }
        try {
            long witness = endpoint.compareAndExchange(owner, offset, state, reserved(state));
            if (witness != state) {
                participant.reservations().release(hold);
                return witness;
            }
            reserved = true;
            if (state == Bucket.FREE) {
                name(batch, owner, offset, BucketReader.WRITTEN);
                batch.complete();
            }
            participant.reservations().keep(hold, keeper);
            return witness;
        } catch (Throwable failure) {
            if (reserved && state == Bucket.FREE) {
                participant.reservations().forget(hold, keeper, hold, undoingName);
            } else if (reserved) {
                participant.reservations().forget(hold, keeper, reserved(state), undoing);
            }
            throw failure;
        }
    }

    /**
     * Undoes the reservation of a bucket that was FREE, and may have its key by now. A moment after it is undone, the
     * bucket may be another thread's: then it must not be undone again.
     *
     * @param hold has the key's hash among its words, if others are kept out by it
     */
    private boolean undoNameless(int owner, long offset, long hold) {
        return undo(owner, offset, reserved(Bucket.FREE)) || undoNamed(owner, offset, (int) hold);
    }

    private boolean undoNamed(int owner, long offset, int hold) {
        if (!Reservations.keepsOut(hold)) {
            return undo(owner, offset, reserved(Bucket.NAMED));
        }
        Blocks blocks = reader.blocks;
        Token token = blocks.beginToUndo(owner);
        try {
            return blocks.contain(owner, offset, bucket.size) && repairNamed(owner, blocks.first(owner), offset,
                    participant.reservations().words(hold, 1)[0]);
        } finally {
            Blocks.endUndoing(token);
        }
    }

    /** As {@link #repair}, for a bucket that has its key and no value. It is the key's for good, so it is counted. */
    final boolean repairNamed(int owner, long first, long offset, long hash) {
        boolean wasNamed = repair(owner, offset, reserved(Bucket.NAMED));
        if (wasNamed) {
            countNamed(owner, first, offset, hash);
        }
        return wasNamed;
    }

    /** Lets no block grow, since the thread may be in the middle of another operation. The next key does that. */
    private void countNamed(int owner, long first, long offset, long hash) {
        try {
            long block = reader.blocks.counting(owner, first, offset, hash);
            if (block != Block.NONE) {
                endpoint.getAndAdd(owner, BlockHead.of(block) + BlockHead.COUNTS, Blocks.CLAIMED);
            }
        } catch (FabricException | VirtualMachineError | LinkageError uncounted) {
            Aftermath.warn("a bucket is not counted", uncounted); // to try again would undo nothing, and count twice
        }
    }

    /**
     * Undoes a reservation of this process, now or long after the operation has ended. By then the bucket may have gone
     * away with its {@linkplain Blocks#isPresent block}: another word in its place may look as if it were reserved.
     */
    private boolean undo(int owner, long offset, long reserved) {
        Token token = reader.blocks.beginToUndo(owner);
        try {
            return reader.blocks.contain(owner, offset, bucket.size) && repair(owner, offset, reserved);
        } finally {
            Blocks.endUndoing(token);
        }
    }

    /**
     * Returns true if a thread of this process asks a function about the bucket's entry. Such a bucket is reserved and
     * has a key. It must not be waited for before its key is known.
     */
    private boolean isComputed(int owner, long offset) {
        return participant.reservations().isKept(owner, offset);
    }

    final long reserved(long state) {
        return Bucket.reserved(state, participant.rank(), participant.incarnation());
    }

    // --- (2) write and (3) publish ---

    /**
     * Writes an entry to a bucket that this thread has reserved, and publishes it. Nothing else writes READY. A batch
     * is still to be completed.
     *
     * <p>A reader that sees READY at (4) sees the key and the value of this entry at (5), because (3) comes after (2):
     * by the order of stores in mapped memory, by the order of verbs in a batch, or because both arrive in one write.
     * An update writes beside the living value. A reader that began before the last change may be reading there. It
     * sees at (6) that the state has moved.
     *
     * <p>The state of a new entry in mapped memory is exchanged. A load of what the caller does next could overtake a
     * store, so two inserters could miss each other's key. A fence behind a store takes longer.
     *
     * @param before the state that was reserved
     * @param position of the entry in the buffer, as it is to stand in a bucket
     */
    void publish(Batch batch, int owner, long offset, long before, long position) {
        LocalMemory mapped = before == Bucket.FREE ? endpoint.mapped(owner) : null;
        if (mapped != null) {
            mapped.store(offset + bucket.key, batch.buffer(reader.span), position + bucket.key,
                    bucket.keyBytes + bucket.valueBytes); // (2)
            mapped.getAndSet(offset, Bucket.settled(Bucket.READY, 0)); // (3)
        } else {
            write(batch, owner, offset, before, position);
        }
    }

    /** As {@link #publish}, by verbs of the batch alone, so that an exchange in the batch can guard them. */
    void write(Batch batch, int owner, long offset, long before, long position) {
        boolean isNew = before == Bucket.FREE;
        long ready = Bucket.settled(Bucket.READY, isNew ? 0 : Bucket.version(before) + 1);
        if (isNew) {
            writeBefore(ready, batch, owner, offset, position, bucket.keyBytes + bucket.valueBytes); // (2), (3)
        } else {
            batch.write(owner, offset + target(before, ready), position + bucket.value, bucket.valueBytes); // (2)
            batch.writeWord(owner, offset, ready); // (3)
        }
    }

    /** As the other one, for a new entry of two words in mapped memory: no buffer is needed. */
    void publish(LocalMemory mapped, long offset, long key, long value) {
        mapped.setRelease(offset + bucket.key, key); // (2)
        mapped.setRelease(offset + bucket.value, value); // (2)
        mapped.getAndSet(offset, Bucket.settled(Bucket.READY, 0)); // (3)
    }

    /** Adds the write of the key alone, to a bucket that was FREE and is reserved: see {@link #reserve}. */
    final void name(Batch batch, int owner, long offset, long position) {
        writeBefore(reserved(Bucket.NAMED), batch, owner, offset, position, bucket.keyBytes);
    }

    /** Writes what follows the state, and then the state. Both are one write if a bucket arrives whole. */
    private void writeBefore(long state, Batch batch, int owner, long offset, long position, long bytes) {
        if (reader.arrivesWhole(owner)) {
            batch.setWord(position, state);
            batch.write(owner, offset, position, Layouts.WORD + bytes);
        } else {
            batch.write(owner, offset + bucket.key, position + bucket.key, bytes);
            batch.writeWord(owner, offset, state);
        }
    }

    /** Returns where an update writes: beside the living value, so that a crash half-way leaves that value whole. */
    long target(long state, long changed) {
        return bucket.place(changed);
    }

    // --- what others have reserved ---

    final void settle(int owner, long offset, long reserved) {
        if (participant.reservations().isKeptByThisThread(owner, offset)) {
            throw new IllegalStateException(
                    "recursive update: a function must not change the entry that it is asked about: map=" + name);
        }
        participant.reservations()
                .awaitSettled(owner, offset, reserved, Bucket.rank(reserved),
                        Bucket.incarnation(reserved), () -> repair(owner, offset, reserved),
                        new WaitReason("change", name));
    }

    /** Returns true if a reserved bucket is not reserved any more, because its holder has died. Never waits. */
    final boolean isSettled(int owner, long offset, long reserved) {
        return participant.reservations()
                .isRepaired(owner, Bucket.rank(reserved), Bucket.incarnation(reserved),
                        () -> repair(owner, offset, reserved), new WaitReason("move", name));
    }

    final boolean repair(int owner, long offset, long reserved) {
        return endpoint.compareAndExchange(owner, offset, reserved, undone(reserved)) == reserved;
    }

    long undone(long reserved) {
        return Bucket.undone(reserved);
    }
}
