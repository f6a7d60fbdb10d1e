package io.atoll.map;

import io.atoll.fabric.Batch;
import io.atoll.world.Reservations;

/** Moves {@link LongBucket}s of another rank together. */
final class LongMoveRounds extends MoveRounds {

    private final LongMover mover;
    private final LongTable table;
    private final long[] keys;

    LongMoveRounds(LongMover mover, int owner, long block, long begin, int count, long next) {
        super(mover.table.writer.participant, mover.table.blocks, owner, block, begin, count, next, LongBucket.SIZE);
        this.mover = mover;
        this.table = mover.table;
        this.keys = new long[count];
    }

    @Override
    void look(Batch batch, long offset) {
        batch.read(owner, offset, 0, count * LongBucket.SIZE);
        batch.complete();
        for (int place = 0; place < count; place++) {
            states[place] = batch.word(place * LongBucket.SIZE + LongBucket.VALUE); // (4)
            keys[place] = batch.word(place * LongBucket.SIZE + LongBucket.KEY); // (5)
        }
        for (int place = 0; place < count; place++) {
            if (LongBucket.hasKey(states[place]) && !isFinal(states[place])) {
                keys[place] = table.reader.written(owner, offset + place * LongBucket.SIZE, keys[place]);
            }
        }
    }

    @Override
    BulkSearch search() {
        return new LongBulkSearch(table.reader, keys);
    }

    @Override
    long position() {
        return 0;
    }

    @Override
    boolean isFinal(long word) {
        return LongBucket.isFinal(word);
    }

    @Override
    boolean isReserved(long word) {
        return LongBucket.isReserved(word);
    }

    @Override
    boolean isSettled(long bucket, long reserved) {
        return table.writer.isSettled(owner, bucket, reserved);
    }

    @Override
    boolean isFree(long word) {
        return word == LongBucket.FREE;
    }

    @Override
    boolean isLiving(long word) {
        return LongBucket.isPresent(word);
    }

    private long copy(int place) {
        return isLiving(states[place]) ? states[place] : LongBucket.ABSENT;
    }

    @Override
    boolean replaces(int place, long before) {
        return mover.replaces(before, copy(place));
    }

    @Override
    boolean isWritten(int place, long before) {
        return isFree(before);
    }

    @Override
    long exchanged(int place, long before) {
        return isFree(before) ? table.writer.ownReservation : copy(place);
    }

    @Override
    void write(Batch batch, int place, long target, long before) {
        table.writer.write(batch, place * LongBucket.SIZE, owner, target, keys[place],
                LongBucket.value(states[place]));
    }

    @Override
    Reservations.Undo undoing() {
        return table.writer.undoing;
    }

    @Override
    int close(Batch batch, long bucket) {
        return batch.compareAndExchange(owner, bucket, LongBucket.FREE, LongBucket.CLOSED);
    }

    @Override
    int seal(Batch batch, long bucket, long word) {
        return mover.seal(batch, owner, bucket, word);
    }

    @Override
    long counted(int place, long before) {
        if (isFree(before)) {
            return Blocks.ADDED;
        }
        if (isLiving(before) == isLiving(states[place])) {
            return 0;
        }
        return isLiving(before) ? Blocks.REMOVED : Blocks.REVIVED;
    }
}
