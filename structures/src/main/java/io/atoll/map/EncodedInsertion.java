package io.atoll.map;

import io.atoll.fabric.Batch;
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
    protected Outcome decide(Batch batch, long living) {
        return living == BucketTable.NONE ? Outcome.STORE : Outcome.KEEP;
    }

    @Override
    protected void placeKey(Batch batch) {
        MemorySegment.copy(message, position, batch.buffer(BucketTable.KEY + bytes), BucketTable.KEY, keyBytes);
    }

    @Override
    protected void place(Batch batch) {
        MemorySegment.copy(message, position, batch.buffer(BucketTable.KEY + bytes), BucketTable.KEY, bytes);
    }
}
