package io.atoll.map;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.world.Lease;
import io.atoll.world.Participant;
import io.atoll.world.Reservations;

/**
 * Moves a block's buckets to the next block; each operation that comes by moves a few. The block is divided into
 * stripes. Each stripe has a frontier, up to which all buckets are final, and a lease. Only the holder of the lease may
 * move buckets of the stripe, and no thread waits for a lease. The lease of a rank that has died is taken over once
 * that rank is fenced. From then on nothing of that rank can arrive any more, and what it had copied is copied anew.
 */
class Migration {

    /** Buckets that one operation moves, at most. */
    static final int BUCKETS_AT_ONCE = 16;

    private final Participant self;
    private final Endpoint endpoint;
    private final Reservations.Undo undoing = this::undo; // made before it is needed, when there may be no memory

    Migration(Participant self) {
        this.self = self;
        this.endpoint = self.endpoint();
    }

    /**
     * Moves buckets of one stripe, if there is one that no other thread is at. Returns true if all of the block is
     * moved.
     */
    boolean help(int owner, long block, long next, Mover mover) {
        long length = Block.buckets(block) / BlockHead.STRIPES;
        long[] stripes = read(owner, block);
        int done = 0;
        for (int turn = 0; turn < BlockHead.STRIPES; turn++) {
            int stripe = (self.rank() + turn) % BlockHead.STRIPES;
            if (stripes[2 * stripe] >= length) {
                done++;
            } else if (take(owner, block, stripe, stripes[2 * stripe + 1], next, mover)) {
                return areMoved(read(owner, block), length);
            }
        }
        return done == BlockHead.STRIPES;
    }

    private static boolean areMoved(long[] stripes, long length) {
        boolean moved = true;
        for (int at = 0; at < stripes.length; at += 2) {
            moved &= stripes[at] >= length;
        }
        return moved;
    }

    /** Returns frontiers and leases, by turns. */
    private long[] read(int owner, long block) {
        Batch batch = endpoint.batch(owner);
        batch.read(owner, BlockHead.of(block), 0, BlockHead.BYTES);
        batch.complete();
        long[] stripes = new long[2 * BlockHead.STRIPES];
        for (int stripe = 0; stripe < BlockHead.STRIPES; stripe++) {
            stripes[2 * stripe] = batch.word(BlockHead.stripe(stripe) + BlockHead.FRONTIER);
            stripes[2 * stripe + 1] = batch.word(BlockHead.stripe(stripe) + BlockHead.LEASE);
        }
        return stripes;
    }

    // --- one stripe ---

    /** Returns true if any bucket was made final. */
    private boolean take(int owner, long block, int stripe, long holder, long next, Mover mover) {
        if (!isFree(holder, owner)) {
            return false;
        }
        long offset = BlockHead.of(block) + BlockHead.stripe(stripe);
        // Each attempt has its own lease. So an attempt in doubt after a connection broke can be undone, whichever
        // thread has the lease by then.
        long lease = Lease.of(self.rank(), self.incarnation(), attempt());
        boolean done = false;
        try {
            boolean taken = endpoint.compareAndExchange(owner, offset + BlockHead.LEASE, holder, lease) == holder;
            boolean moved = taken && advance(owner, block, offset, stripe, next, mover);
            done = true;
            return moved;
        } finally {
            if (!done) {
                self.reservations().undo(owner, offset + BlockHead.LEASE, lease, undoing);
            }
        }
    }

    /** No other attempt has the same lease. If the block has gone away, no reservation in its memory looks like it. */
    private boolean undo(int owner, long place, long lease) {
        return endpoint.compareAndExchange(owner, place, lease, Lease.NOBODY) == lease;
    }

    private boolean advance(int owner, long block, long offset, int stripe, long next, Mover mover) {
        long length = Block.buckets(block) / BlockHead.STRIPES;
        long begin = endpoint.readWord(owner, offset + BlockHead.FRONTIER);
        long end = Math.min(length, begin + BUCKETS_AT_ONCE);
        long frontier = begin;
        while (frontier < end && mover.move(owner, block, stripe * length + frontier, next)) {
            frontier++;
        }
        Batch batch = endpoint.batch(owner);
        batch.writeWord(owner, offset + BlockHead.FRONTIER, frontier);
        // Last, in the order of the batch: the thread that takes the lease next reads this frontier.
        batch.writeWord(owner, offset + BlockHead.LEASE, Lease.NOBODY);
        batch.complete();
        return frontier > begin;
    }

    /** Returns a number that differs for each attempt of this process, which may have opened the map more than once. */
    int attempt() {
        return self.reservations().nextAttempt();
    }

    boolean isFree(long lease, int owner) {
        return Lease.isFree(lease, owner, self.liveness());
    }
}
