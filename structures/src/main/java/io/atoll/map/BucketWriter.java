package io.atoll.map;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.failure.Aftermath;
import io.atoll.memory.GlobalPointer;
import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import io.atoll.world.Doing;
import io.atoll.world.Participant;
import io.atoll.world.Reservations;
import io.atoll.world.Reservations.Undone;
import org.jspecify.annotations.Nullable;

/**
 * Reserves a bucket, writes it, and gives it back. If a rank dies in the middle, a thread that waits for it repairs
 * what it has reserved. A rank that lives and cannot go on undoes that itself.
 */
abstract class BucketWriter extends BucketSearch {

    final String name;
    final Participant participant;
    final Reservations.Undo undoing = this::repair; // made before it is needed, when there may be no memory
    private final Reservations.Undo undoingName = this::repairNameless;

    BucketWriter(String name, Participant participant, Endpoint endpoint, Bucket bucket, Blocks blocks,
            Hashing hashing) {
        super(endpoint, bucket, blocks, hashing);
        this.name = name;
        this.participant = participant;
    }

    // --- reserving ---

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
        long reservation = reserved(state);
        int hold = participant.reservations().hold(owner, offset);
        // a verb may fail after it took effect: assume that it is reserved
        boolean reserved = !endpoint.executesAtOnce(owner);
        boolean isWriting = false;
        try {
            long witness = endpoint.compareAndExchange(owner, offset, state, reservation);
            if (witness == state) {
                reserved = true;
                isWriting = true;
                write(batch, owner, offset, state);
            }
            participant.reservations().release(hold);
            return witness;
        } catch (VirtualMachineError | LinkageError error) {
            Undone undone = reserved
                    ? participant.reservations().undo(hold, owner, offset, reservation, undoing)
                    : Undone.NOW;
            return afterError(error, isWriting ? undone : Undone.NOW, state, change);
        } catch (Throwable failure) {
            if (reserved) {
                participant.reservations().undo(hold, owner, offset, reservation, undoing);
            }
            throw failure;
        }
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
            fill(mapped, offset, key, value);
            return true;
        } catch (Throwable failure) {
            participant.reservations().undo(owner, offset, reservation, undoing);
            throw failure;
        }
    }

    /**
     * Reserves the bucket, with the key in it. So an operation that looks for another key need not wait for the
     * function. The function may be in such an operation itself.
     */
    final long reserve(Batch batch, GlobalPointer word, long state) {
        int owner = word.rank();
        long offset = word.offset();
        if (isComputed(owner, offset)) {
            return reserved(Bucket.NAMED);
        }
        int hold = participant.reservations().hold(owner, offset);
        boolean reserved = !endpoint.executesAtOnce(owner);
        try {
            long witness = endpoint.compareAndExchange(owner, offset, state, reserved(state));
            if (witness != state) {
                participant.reservations().release(hold);
                return witness;
            }
            reserved = true;
            if (state == Bucket.FREE) {
                writeFirst(batch, owner, offset, reserved(Bucket.NAMED), WRITTEN, bucket.keyBytes);
                batch.complete();
            }
            participant.reservations().keep(hold, word);
            return witness;
        } catch (Throwable failure) {
            if (reserved) {
                participant.reservations()
                        .forget(hold, word, reserved(state), state == Bucket.FREE ? undoingName : undoing);
            }
            throw failure;
        }
    }

    /**
     * Undoes the reservation of a bucket that was FREE, and may have its key by now. A moment after it is undone, the
     * bucket may be another thread's: then it must not be undone again.
     */
    private boolean repairNameless(int owner, long offset, long reserved) {
        return endpoint.compareAndExchange(owner, offset, reserved, undone(reserved)) == reserved
                || repair(owner, offset, reserved(Bucket.NAMED));
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

    // --- writing ---

    private void write(Batch batch, int owner, long offset, long state) {
        if (state == Bucket.FREE) {
            fill(batch, owner, offset);
        } else {
            update(batch, owner, offset, state);
        }
    }

    protected void fill(Batch batch, int owner, long offset) {
        LocalMemory mapped = endpoint.mapped(owner);
        if (mapped != null) {
            mapped.store(offset + bucket.key, batch.buffer(span), KEY, bucket.keyBytes + bucket.valueBytes);
            // (1) likewise. This is an exchange: a load of what the caller does next could overtake a store. A fence
            // behind a store takes longer.
            mapped.getAndSet(offset, Bucket.settled(Bucket.READY, 0));
            return;
        }
        store(batch, owner, offset, Bucket.FREE, WRITTEN);
        batch.complete();
    }

    protected void fill(LocalMemory mapped, long offset, long key, long value) {
        mapped.setRelease(offset + bucket.key, key);
        mapped.setRelease(offset + bucket.value, value);
        mapped.getAndSet(offset, Bucket.settled(Bucket.READY, 0)); // (1) likewise
    }

    protected void update(Batch batch, int owner, long offset, long state) {
        store(batch, owner, offset, state, WRITTEN);
        batch.complete();
    }

    /**
     * Adds the verbs to the batch that write an entry to a reserved bucket.
     *
     * @param position of the entry in the buffer, as it is to stand in a bucket
     */
    final void store(Batch batch, int owner, long offset, long state, long position) {
        if (state == Bucket.FREE) {
            writeFirst(batch, owner, offset, Bucket.settled(Bucket.READY, 0), position,
                    bucket.keyBytes + bucket.valueBytes);
            return;
        }
        long changed = Bucket.settled(Bucket.READY, Bucket.version(state) + 1);
        batch.write(owner, offset + target(state, changed), position + bucket.value, bucket.valueBytes);
        // (2) after the value, in the order of the batch: pairs with the reads of the state in readBucket (3), (4).
        batch.writeWord(owner, offset, changed);
    }

    /** Writes what follows the state, and the state after it. */
    private void writeFirst(Batch batch, int owner, long offset, long state, long position, long bytes) {
        if (whole(owner)) {
            batch.setWord(position, state);
            batch.write(owner, offset, position, Layouts.WORD + bytes);
        } else {
            batch.write(owner, offset + bucket.key, position + bucket.key, bytes);
            // (1) after key and value, in the order of the batch: pairs with the first read of the state in readBucket
            // (3).
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
                        Bucket.incarnation(reserved), () -> repair(owner, offset, reserved), new Doing("change", name));
    }

    /** Returns true if a reserved bucket is not reserved any more, because its holder has died. Never waits. */
    final boolean isSettled(int owner, long offset, long reserved) {
        return participant.reservations()
                .isRepaired(owner, Bucket.rank(reserved), Bucket.incarnation(reserved),
                        () -> repair(owner, offset, reserved), new Doing("move", name));
    }

    final boolean repair(int owner, long offset, long reserved) {
        return endpoint.compareAndExchange(owner, offset, reserved, undone(reserved)) == reserved;
    }

    long undone(long reserved) {
        return Bucket.undone(reserved);
    }
}
