package io.atoll.map;

import io.atoll.epoch.Token;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.failure.Aftermath;
import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import io.atoll.world.Participant;
import io.atoll.world.Reservations;
import io.atoll.world.Reservations.Undone;
import io.atoll.world.WaitReason;

/**
 * Gives a FREE {@link LongBucket} to a new key: reserves it (1), writes the key (2) and publishes it (3). Repairs it if
 * the inserter does not go on. Buckets never become FREE again. What a dead inserter has reserved becomes VOID, which
 * every operation passes, since its key may be in it already. If the bucket were FREE again, that key could be read
 * together with the value of the next one.
 */
class LongWriter {

    final String name;
    final Participant participant;
    final long ownReservation;
    final Reservations.Undo undoing = this::undo; // made before it is needed, when there may be no memory

    final LongReader reader;
    private final Endpoint endpoint;

    LongWriter(String name, Participant participant, LongReader reader) {
        this.name = name;
        this.participant = participant;
        this.reader = reader;
        this.endpoint = reader.endpoint;
        this.ownReservation = LongBucket.reserved(participant.rank(), participant.incarnation());
    }

    /** Returns this writer for the only thread that uses this rank's entries. */
    final LongWriter alone() {
        return new LongWriter(name, participant, reader.alone());
    }

    /** Puts the entry into the bucket if that is FREE. Returns the word that it found. */
    final long occupy(int owner, long bucket, long key, long value) {
        if (!endpoint.executesAtOnce(owner)) {
            return occupyInOneBatch(endpoint.batch(owner), participant.reservations().hold(owner, bucket), owner,
                    bucket, key, value, false);
        }
        // No hold: no verb to a near owner is in doubt. One that was asked for now would be taken if the owner has just
        // stopped being near, and a failure of (1) would leave it behind.
        boolean reserved = false;
        try {
            long witness = endpoint.compareAndExchange(owner, bucket, LongBucket.FREE, ownReservation); // (1)
            if (witness == LongBucket.FREE) {
                reserved = true;
                publish(owner, bucket, key, value);
            }
            return witness;
        } catch (VirtualMachineError | LinkageError error) {
            if (reserved && participant.reservations()
                    .undo(owner, bucket, ownReservation, undoing) == Undone.BEFORE) {
                Aftermath.warn("an entry is stored", error);
                return LongBucket.FREE;
            }
            throw error;
        } catch (Throwable failure) {
            if (reserved) {
                participant.reservations().undo(owner, bucket, ownReservation, undoing);
            }
            throw failure;
        }
    }

    /**
     * As {@link #occupy}, where verbs cross a network: (1) guards (2) and (3). A batch may fail after any part of it
     * took effect, so what it may have reserved is undone.
     *
     * @param batch which may have verbs already: they come first
     * @param hold of the bucket, which ends here
     * @param readsLine true if the bucket's line is {@linkplain LongReader#addLine read} in the end
     */
    final long occupyInOneBatch(Batch batch, int hold, int owner, long bucket, long key, long value,
            boolean readsLine) {
        int guard = BucketWriter.NOTHING_WRITTEN;
        try {
            int exchange = batch.compareAndExchange(owner, bucket, LongBucket.FREE, ownReservation); // (1)
            batch.guard(exchange);
            guard = exchange;
            write(batch, Layouts.CACHE_LINE, owner, bucket, key, value);
            batch.unguard();
            if (readsLine) {
                reader.addLine(batch, owner, bucket);
            }
            batch.complete();
            long witness = batch.result(exchange);
            participant.reservations().release(hold);
            return witness;
        } catch (VirtualMachineError | LinkageError error) {
            Undone undone = participant.reservations().undo(hold, owner, bucket, ownReservation, undoing);
            if (BucketWriter.undone(undone, batch, guard) == Undone.BEFORE) {
                Aftermath.warn("an entry is stored", error);
                return LongBucket.FREE;
            }
            throw error;
        } catch (Throwable failure) {
            participant.reservations().undo(hold, owner, bucket, ownReservation, undoing);
            throw failure;
        }
    }

    /**
     * Writes the key to a bucket that this thread has reserved, and publishes it with its value. Nothing else makes a
     * new key visible.
     *
     * <p>A reader that sees the value at (4) sees the key at (5), because (3) comes after (2): by the order of stores
     * in mapped memory, by the order of verbs in a batch, or because both arrive in one write. Where one read may bring
     * the value and an older key, the reader reads the key again ({@link LongReader#written}).
     *
     * <p>The value in mapped memory is exchanged. A load of what the caller does next could overtake a store, so two
     * inserters could miss each other's key. A fence behind a store takes three times as long.
     */
    void publish(int owner, long bucket, long key, long value) {
        LocalMemory mapped = endpoint.mapped(owner);
        if (mapped != null) {
            mapped.setRelease(bucket + LongBucket.KEY, key); // (2)
            mapped.getAndSet(bucket + LongBucket.VALUE, LongBucket.present(value)); // (3)
            return;
        }
        Batch batch = endpoint.batch(owner);
        write(batch, 0, owner, bucket, key, value);
        batch.complete();
    }

    /** As {@link #publish}, by a batch that is still to be completed. It uses one bucket of its buffer. */
    void write(Batch batch, long position, int owner, long bucket, long key, long value) {
        long present = LongBucket.present(value);
        if (reader.arrivesWhole(owner)) {
            batch.setWord(position + LongBucket.VALUE, present);
            batch.setWord(position + LongBucket.KEY, key);
            batch.write(owner, bucket, position, LongBucket.SIZE); // (2) and (3)
        } else {
            batch.writeWord(owner, bucket + LongBucket.KEY, key); // (2)
            batch.writeWord(owner, bucket + LongBucket.VALUE, present); // (3)
        }
    }

    /** Notes that a key was inserted, and returns true. */
    final boolean counted(int owner, long first, long bucket, long hash) {
        reader.blocks.note(owner, first, bucket, hash, Blocks.ADDED);
        return true;
    }

    final void settle(int owner, long bucket, long reserved) {
        participant.reservations()
                .awaitSettled(owner, bucket, reserved, LongBucket.rank(reserved), LongBucket.incarnation(reserved),
                        () -> repair(owner, bucket, reserved), new WaitReason("insert into", name));
    }

    /** Returns true if a reserved bucket is not reserved any more, because its holder has died. */
    final boolean isSettled(int owner, long bucket, long reserved) {
        return participant.reservations()
                .isRepaired(owner, LongBucket.rank(reserved), LongBucket.incarnation(reserved),
                        () -> repair(owner, bucket, reserved), new WaitReason("move", name));
    }

    /**
     * Undoes a reservation of this process, now or long after the operation has ended. By then the bucket may have gone
     * away with its {@linkplain Blocks#isPresent block}: another word in its place may look as if it were reserved.
     */
    private boolean undo(int owner, long bucket, long reserved) {
        Token token = reader.blocks.beginToUndo(owner);
        try {
            return reader.blocks.contain(owner, bucket, LongBucket.SIZE) && repair(owner, bucket, reserved);
        } finally {
            Blocks.endUndoing(token);
        }
    }

    private boolean repair(int owner, long bucket, long reserved) {
        return endpoint.compareAndExchange(owner, bucket, reserved, repaired()) == reserved;
    }

    long repaired() {
        return LongBucket.VOID;
    }
}
