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
 * How a FREE bucket becomes a new key's, and what is done where whoever has begun with that does not go on. Buckets never become FREE again: what a dead inserter has reserved becomes VOID, which everyone
 * passes, since its key may be in it already, and were it FREE again, that key could be read together with the value of the next.
 *
 * <p>What a test overrides to break the protocol, or to stand still in the middle of it, is not private.
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

    /** Puts the entry into the bucket if that is FREE; returns what it was. */
    final long occupy(int owner, long bucket, long key, long value) {
        int hold = participant.reservations().hold(owner, bucket);
        boolean reserved = !endpoint.executesAtOnce(owner); // may be, then, whatever becomes of the exchange
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
            // (1) after the key: pairs with the second look in written (2). An exchange: a load of what the caller does next could overtake a store, and two who
            // insert could miss each other's key. A fence behind a store takes three times as long.
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

    /** Whether a reserved bucket is not any more, because who had reserved it has died. */
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
