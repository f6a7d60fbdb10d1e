package io.atoll.world;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.failure.SegmentFullException;
import io.atoll.heap.Heap;

/** One rank's part of a structure while it is being created: an entry that is reserved, and a block for it. */
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

    /** Returns the offset of the block, 0 if there is none. */
    final long offset() {
        return offset;
    }

    final boolean reserveEntry() {
        return endpoint.compareAndExchange(rank, entry + DirectoryEntry.STATE, DirectoryEntry.FREE,
                reservation) == DirectoryEntry.FREE;
    }

    /** @throws SegmentFullException if there is no room; the entry is still reserved */
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
        // Only now: the block of an entry that is not ready must remain one that can be taken back. If this rank dies
        // in between, the rank that repairs commits the block first.
        commit();
    }

    final void makeReady() {
        // (1) after describe has completed: a process that acquires READY, in Directory (2), sees the rest of the
        // entry.
        endpoint.writeWord(rank, entry + DirectoryEntry.STATE, DirectoryEntry.READY);
        endpoint.flush(rank);
    }

    final void commit() {
        if (offset != 0) {
            heap.commit(rank, offset);
        }
    }

    /**
     * Takes back block and entry. The block first: an entry that is free again stands for nothing. Does nothing if the
     * entry was published, or was lost with its segment.
     */
    void undo() {
        if (endpoint.readWord(rank, entry + DirectoryEntry.STATE) == reservation) {
            freeBlock();
            freeEntry();
        }
    }

    /**
     * Frees the block at most once: if the fabric fails it may be free already, and a second time it might belong to
     * another process.
     */
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
