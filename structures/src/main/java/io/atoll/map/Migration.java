package io.atoll.map;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.world.Lease;
import io.atoll.world.Participant;

/**
 * How a block's buckets are moved to the next block, a few by each operation that comes by. The block is divided into stripes, each with a frontier up to which all buckets are
 * final, and a lease, without which nobody may move buckets of the stripe. Nobody waits for a lease. That of a rank that has died is taken over once the rank is fenced: then
 * nothing of it can arrive any more, and what it had copied is copied anew.
 *
 * <p>What a test overrides to break the protocol is not private.
 */
class Migration {

    /** Buckets that one operation moves, at most. */
    static final int BUCKETS_AT_ONCE = 16;

    private final Participant self;
    private final Endpoint endpoint;

    Migration(Participant self) {
        this.self = self;
        this.endpoint = self.endpoint();
    }

    /** Moves buckets of one stripe, if there is one that nobody is at. Returns whether all of the block is moved. */
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

    /** Frontiers and leases by turns. */
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

    /** Returns whether any bucket was made final. */
    private boolean take(int owner, long block, int stripe, long holder, long next, Mover mover) {
        if (!isFree(holder, owner)) {
            return false;
        }
        long offset = BlockHead.of(block) + BlockHead.stripe(stripe);
        // So what is in doubt when a connection breaks can be undone whoever has the lease by then.
        long lease = Lease.of(self.rank(), self.incarnation(), attempt());
        boolean done = false;
        try {
            boolean taken = endpoint.compareAndExchange(owner, offset + BlockHead.LEASE, holder, lease) == holder;
            boolean moved = taken && advance(owner, block, offset, stripe, next, mover);
            done = true;
            return moved;
        } finally {
            if (!done) {
                self.reservations()
                        .undo(owner, () -> endpoint.compareAndExchange(owner, offset + BlockHead.LEASE, lease,
                                Lease.NOBODY));
            }
        }
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
        // Last, in the order of the batch: whoever takes the lease then reads this frontier.
        batch.writeWord(owner, offset + BlockHead.LEASE, Lease.NOBODY);
        batch.complete();
        return frontier > begin;
    }

    /** Different for each attempt of this process, which may have opened the map more than once. */
    int attempt() {
        return self.reservations().nextAttempt();
    }

    boolean isFree(long lease, int owner) {
        return Lease.isFree(lease, owner, self.liveness());
    }
}
