package io.atoll.map;

import io.atoll.epoch.Token;
import io.atoll.fabric.Batch;
import io.atoll.world.Reservations;
import org.jspecify.annotations.Nullable;

/** Stores values of several keys in {@link LongBucket}s of other ranks. A key that is there takes no third round. */
class LongBulkPut extends PutRounds {

    private final LongTable table;
    private final long[] keys;
    private final long[] values;

    /** @param keys none of an owner whose verbs are executed at once */
    LongBulkPut(LongTable table, long[] keys, long[] values, LostOwners lost) {
        super(table.writer.participant, table.blocks, new LongBulkSearch(table.reader, keys), lost, keys.length, 0,
                LongBucket.SIZE);
        this.table = table;
        this.keys = keys;
        this.values = values;
    }

    @Override
    long firstToChange(int owner, @Nullable Token token) {
        return table.firstToChange(owner, token);
    }

    @Override
    boolean isReserved(long word) {
        return LongBucket.isReserved(word);
    }

    @Override
    long exchanged(int key, long word) {
        return isWritten(word) ? table.writer.ownReservation : LongBucket.present(values[key]);
    }

    @Override
    boolean isWritten(long word) {
        return word == LongBucket.FREE;
    }

    @Override
    void write(Batch batch, int key, long bucket, long word, long position) {
        table.writer.write(batch, position, search.owner(key), bucket, keys[key], values[key]);
    }

    @Override
    BulkReplacement replacement() {
        return new LongBulkReplacement(table, search, keys, values);
    }

    @Override
    Reservations.Undo undoing() {
        return table.writer.undoing;
    }

    @Override
    long counted(long word) {
        return word == LongBucket.FREE ? Blocks.ADDED : LongBucket.isPresent(word) ? 0 : Blocks.REVIVED;
    }
}
