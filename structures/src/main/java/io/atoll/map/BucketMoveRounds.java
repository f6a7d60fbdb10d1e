package io.atoll.map;

import io.atoll.fabric.Batch;
import io.atoll.map.BucketTable.Change;
import io.atoll.world.Reservations;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Moves {@link Bucket}s of another rank together. What was read is kept outside of the batch's buffer: an application's
 * hash functions may use maps.
 */
final class BucketMoveRounds extends MoveRounds {

    private final BucketMover mover;
    private final BucketTable table;
    private final BucketReader reader;
    private final Bucket bucket;
    private final MemorySegment entries; // the buckets as they were read
    private final SeveralKeys<Integer> keys;

    BucketMoveRounds(BucketMover mover, int owner, long block, long begin, int count, long next) {
        super(mover.table.participant(), mover.table.blocks, owner, block, begin, count, next,
                mover.table.reader.bucket.size);
        this.mover = mover;
        this.table = mover.table;
        this.reader = table.reader;
        this.bucket = reader.bucket;
        this.entries = MemorySegment.ofArray(new long[Math.toIntExact(count * bucket.size / Long.BYTES)]);
        int[] owners = new int[count];
        Arrays.fill(owners, owner);
        this.keys = new SeveralKeys<>(IntStream.range(0, count).boxed().toList(), new long[count], owners,
                this::placeKey);
    }

    private void placeKey(int place, Batch batch) {
        MemorySegment.copy(entries, place * bucket.size + bucket.key, batch.buffer(reader.span), BucketReader.KEY,
                bucket.keyBytes);
    }

    @Override
    void look(Batch batch, long offset) {
        reader.readBuckets(batch, owner, offset, count);
        MemorySegment.copy(batch.buffer(), reader.read, entries, 0, entries.byteSize());
        for (int place = 0; place < count; place++) {
            states[place] = batch.word(reader.read + place * bucket.size);
        }
        for (int place = 0; place < count; place++) {
            if (Bucket.hasKey(states[place])) {
                keys.hashes()[place] = reader.hashing.hashOf(entries, place * bucket.size + bucket.key);
            }
        }
    }

    @Override
    BulkSearch search() {
        return new BucketBulkSearch(reader, keys, BucketBulkSearch.Reach.of(reader, owner), false);
    }

    @Override
    long position() {
        return reader.read;
    }

    @Override
    boolean isFinal(long state) {
        return Bucket.isFinal(state);
    }

    @Override
    boolean isReserved(long state) {
        return BucketMover.isReserved(state);
    }

    @Override
    boolean isSettled(long offset, long reserved) {
        return table.writer.isSettled(owner, offset, reserved);
    }

    @Override
    boolean isFree(long state) {
        return state == Bucket.FREE;
    }

    @Override
    boolean isLiving(long state) {
        return Bucket.isLiving(state);
    }

    @Override
    boolean replaces(int place, long before) {
        return mover.replaces(before, isLiving(states[place]));
    }

    @Override
    boolean isWritten(int place, long before) {
        return isLiving(states[place]);
    }

    @Override
    long exchanged(int place, long before) {
        return isLiving(states[place]) ? table.writer.reserved(before) : Bucket.removed(before);
    }

    @Override
    void write(Batch batch, int place, long target, long before) {
        long from = place * bucket.size;
        long position = reader.read + from;
        MemorySegment buffer = batch.buffer();
        MemorySegment.copy(entries, from + bucket.key, buffer, position + bucket.key, bucket.keyBytes);
        MemorySegment.copy(entries, from + bucket.place(states[place]), buffer, position + bucket.value,
                bucket.valueBytes);
        table.writer.write(batch, owner, target, before, position);
    }

    @Override
    Reservations.Undo undoing() {
        return table.writer.undoing;
    }

    @Override
    int close(Batch batch, long offset) {
        return batch.compareAndExchange(owner, offset, Bucket.FREE, Bucket.CLOSED);
    }

    @Override
    int seal(Batch batch, long offset, long state) {
        return mover.seal(batch, owner, offset, state);
    }

    @Override
    long counted(int place, long before) {
        return BucketTable.counted(before,
                isLiving(states[place]) ? Change.Outcome.STORE : Change.Outcome.REMOVE);
    }
}
