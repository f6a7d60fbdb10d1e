package io.atoll.world;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.failure.SegmentFullException;
import io.atoll.heap.Heap;

/**
 * One rank's part of a structure while it is being created: an entry that is reserved, and a block for it. What a test overrides to break the protocol is
 * not private.
 */
class Creation {

    final int rank;
    final long entry;
    private final Endpoint endpoint;
    private final Heap heap;
    private final long reservation;
    private long offset;

    /** @param reservation the state of the entry meanwhile, different for each attempt of each process */
    Creation(Endpoint endpoint, Heap heap, int rank, long entry, long reservation) {
        this.endpoint = endpoint;
        this.heap = heap;
        this.rank = rank;
        this.entry = entry;
        this.reservation = reservation;
    }

    /** Where the block begins, 0 where there is none. */
    final long offset() {
        return offset;
    }

    final boolean reserveEntry() {
        return endpoint.compareAndExchange(rank, entry + DirectoryEntry.STATE, DirectoryEntry.FREE,
                reservation) == DirectoryEntry.FREE;
    }

    /** @throws SegmentFullException and the entry is still reserved */
    final void reserveBlock(long bytes) {
        offset = bytes == 0 ? 0 : heap.reserve(rank, bytes);
    }

    /** Writes everything but the state. */
    void describe(String name, String configuration, long bytes, long births) {
        Batch batch = endpoint.batch(rank);
        DirectoryEntry.encode(batch.buffer(DirectoryEntry.SIZE), name, configuration, offset, bytes, births);
        batch.write(rank, entry + DirectoryEntry.OFFSET, DirectoryEntry.OFFSET,
                DirectoryEntry.SIZE - DirectoryEntry.OFFSET);
        batch.complete();
    }

    void publish() {
        makeReady();
        // Only now: the block of an entry that is not ready must remain one that can be taken back. Whoever repairs after a death in
        // between commits it first.
        commit();
    }

    final void makeReady() {
        // (1) after describe has completed: whoever acquires READY, in Directory (2), sees the rest of the entry.
        endpoint.writeWord(rank, entry + DirectoryEntry.STATE, DirectoryEntry.READY);
        endpoint.flush(rank);
    }

    final void commit() {
        if (offset != 0) {
            heap.commit(rank, offset);
        }
    }

    /** Block first: an entry that is free again stands for nothing. Does nothing to what has been published, or was lost with its segment. */
    void undo() {
        if (endpoint.readWord(rank, entry + DirectoryEntry.STATE) == reservation) {
            freeBlock();
            freeEntry();
        }
    }

    /** Once only: if the fabric fails it may be free already, and next time somebody else's. */
    final void freeBlock() {
        long block = offset;
        offset = 0;
        if (block != 0) {
            heap.free(rank, block);
        }
    }

    final void freeEntry() {
        endpoint.compareAndExchange(rank, entry + DirectoryEntry.STATE, reservation, DirectoryEntry.FREE);
    }
}
