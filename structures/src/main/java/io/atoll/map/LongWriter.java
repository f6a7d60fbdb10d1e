package io.atoll.map;

import io.atoll.codec.KeyHash;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.failure.Aftermath;
import io.atoll.memory.LocalMemory;
import io.atoll.world.Doing;
import io.atoll.world.Participant;
import io.atoll.world.Reservations;
import io.atoll.world.Reservations.Undone;

/**
 * Makes a FREE bucket a new key's, and repairs it if the inserter does not go on. Buckets never become FREE again. What
 * a dead inserter has reserved becomes VOID, which every operation passes, since its key may be in it already. If the
 * bucket were FREE again, that key could be read together with the value of the next one.
 */
abstract class LongWriter extends LongSearch {

    final String name;
    final Participant participant;
    private final long ownReservation;
    private final Reservations.Undo undoing = this::repair; // made before it is needed, when there may be no memory

    LongWriter(String name, Participant participant, Endpoint endpoint, Blocks blocks, KeyHash hashing) {
        super(endpoint, blocks, hashing);
        this.name = name;
        this.participant = participant;
        this.ownReservation = LongBucket.reserved(participant.rank(), participant.incarnation());
    }

    /** Puts the entry into the bucket if that is FREE. Returns the word that it found. */
    final long occupy(int owner, long bucket, long key, long value) {
        int hold = participant.reservations().hold(owner, bucket);
        // a verb may fail after it took effect: assume that it is reserved
        boolean reserved = !endpoint.executesAtOnce(owner);
        boolean isWriting = false;
        try {
            long witness = endpoint.compareAndExchange(owner, bucket, LongBucket.FREE, ownReservation);
            if (witness == LongBucket.FREE) {
                reserved = true;
                isWriting = true;
                fill(owner, bucket, key, value);
            }
            participant.reservations().release(hold);
            return witness;
        } catch (VirtualMachineError | LinkageError error) {
            if (reserved && participant.reservations()
                    .undo(hold, owner, bucket, ownReservation, undoing) == Undone.BEFORE && isWriting) {
                Aftermath.warn("an entry is stored", error);
                return LongBucket.FREE;
            }
            throw error;
        } catch (Throwable failure) {
            if (reserved) {
                participant.reservations().undo(hold, owner, bucket, ownReservation, undoing);
            }
            throw failure;
        }
    }

    void fill(int owner, long bucket, long key, long value) {
        LocalMemory mapped = endpoint.mapped(owner);
        if (mapped != null) {
            mapped.setRelease(bucket + LongBucket.KEY, key);
            // (1) after the key: pairs with the second look in written (2). This is an exchange: a load of what the
            // caller does next could overtake a store. Then two inserters could miss each other's key. A fence behind a
            // store takes three times as long.
            mapped.getAndSet(bucket + LongBucket.VALUE, LongBucket.present(value));
            return;
        }
        Batch batch = endpoint.batch(owner);
        if (arrivesWhole(owner)) {
            batch.setWord(LongBucket.VALUE, LongBucket.present(value));
            batch.setWord(LongBucket.KEY, key);
            batch.write(owner, bucket, 0, LongBucket.SIZE);
        } else {
            batch.writeWord(owner, bucket + LongBucket.KEY, key);
            // (1) likewise, in the order of the batch.
            batch.writeWord(owner, bucket + LongBucket.VALUE, LongBucket.present(value));
        }
        batch.complete();
    }

    final void settle(int owner, long bucket, long reserved) {
        participant.reservations()
                .awaitSettled(owner, bucket, reserved, LongBucket.rank(reserved), LongBucket.incarnation(reserved),
                        () -> repair(owner, bucket, reserved), new Doing("insert into", name));
    }

    /** Returns true if a reserved bucket is not reserved any more, because its holder has died. */
    final boolean isSettled(int owner, long bucket, long reserved) {
        return participant.reservations()
                .isRepaired(owner, LongBucket.rank(reserved), LongBucket.incarnation(reserved),
                        () -> repair(owner, bucket, reserved), new Doing("move", name));
    }

    private boolean repair(int owner, long bucket, long reserved) {
        return endpoint.compareAndExchange(owner, bucket, reserved, repaired()) == reserved;
    }

    long repaired() {
        return LongBucket.VOID;
    }
}
