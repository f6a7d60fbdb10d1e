package io.atoll.map;

import io.atoll.fabric.Batch;
import io.atoll.map.BucketTable.Change;
import java.lang.foreign.MemorySegment;

/** Inserts an entry as it stands in a message. It stands in a bucket in the same way: the value behind the key. */
final class EncodedInsertion extends Change {

    private final MemorySegment message;
    private final long position;
    private final long keyBytes;
    private final long bytes;

    EncodedInsertion(MemorySegment message, long position, long keyBytes, long bytes, int owner, long first,
            long hash) {
        super(owner, first, hash);
        this.message = message;
        this.position = position;
        this.keyBytes = keyBytes;
        this.bytes = bytes;
    }

    @Override
    Outcome decide(Batch batch, long living) {
        return living == BucketReader.NONE ? Outcome.STORE : Outcome.KEEP;
    }

    @Override
    void placeKey(Batch batch) {
        MemorySegment.copy(message, position, batch.buffer(BucketReader.KEY + bytes), BucketReader.KEY, keyBytes);
    }

    @Override
    void placeValue(Batch batch) {
        long behindKey = BucketReader.KEY + keyBytes;
        MemorySegment.copy(message, position + keyBytes, batch.buffer(BucketReader.KEY + bytes), behindKey,
                bytes - keyBytes);
    }
}
