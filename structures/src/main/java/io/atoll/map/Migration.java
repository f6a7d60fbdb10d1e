package io.atoll.map;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.memory.Layouts;
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

    private static final long[] NOTHING_MOVED = {};

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
            } else {
                long[] after = take(owner, block, stripe, stripes[2 * stripe + 1], next, mover);
                if (after.length > 0) {
                    return areMoved(after, length);
                }
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
        addHead(batch, owner, block);
        batch.complete();
        return stripes(batch);
    }

    private static void addHead(Batch batch, int owner, long block) {
        batch.read(owner, BlockHead.of(block), 0, BlockHead.BYTES);
    }

    private static long[] stripes(Batch batch) {
        long[] stripes = new long[2 * BlockHead.STRIPES];
        for (int stripe = 0; stripe < BlockHead.STRIPES; stripe++) {
            stripes[2 * stripe] = batch.word(BlockHead.stripe(stripe) + BlockHead.FRONTIER);
            stripes[2 * stripe + 1] = batch.word(BlockHead.stripe(stripe) + BlockHead.LEASE);
        }
        return stripes;
    }

    // --- one stripe ---

    /** Returns all frontiers and leases as they are then; none if no bucket was made final. */
    private long[] take(int owner, long block, int stripe, long holder, long next, Mover mover) {
        if (!isFree(holder, owner)) {
            return NOTHING_MOVED;
        }
        long offset = BlockHead.of(block) + BlockHead.stripe(stripe);
        // Each attempt has its own lease. So an attempt in doubt after a connection broke can be undone, whichever
        // thread has the lease by then.
        long lease = Lease.of(self.rank(), self.incarnation(), attempt());
        boolean done = false;
        try {
            Batch batch = endpoint.batch(owner);
            int taking = batch.compareAndExchange(owner, offset + BlockHead.LEASE, holder, lease);
            // Behind it: no other thread moves the frontier any more.
            batch.read(owner, offset + BlockHead.FRONTIER, 0, Layouts.WORD);
            batch.complete();
            long[] after = batch.succeeded(taking)
                    ? advance(owner, block, stripe, batch.word(0), next, mover)
                    : NOTHING_MOVED;
            done = true;
            return after;
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

    /** As {@link #take}, once the lease is taken. */
    private long[] advance(int owner, long block, int stripe, long begin, long next, Mover mover) {
        long length = Block.buckets(block) / BlockHead.STRIPES;
        int count = (int) Math.min(BUCKETS_AT_ONCE, length - begin);
        int moved = move(owner, block, stripe * length + begin, count, next, mover);
        long offset = BlockHead.of(block) + BlockHead.stripe(stripe);
        Batch batch = endpoint.batch(owner);
        batch.writeWord(owner, offset + BlockHead.FRONTIER, begin + moved);
        // Behind it, in the order of the batch: the thread that takes the lease next reads this frontier.
        batch.writeWord(owner, offset + BlockHead.LEASE, Lease.NOBODY);
        addHead(batch, owner, block);
        batch.complete();
        return moved > 0 ? stripes(batch) : NOTHING_MOVED;
    }

    /** Returns how many buckets are final, from this one on. */
    private int move(int owner, long block, long begin, int count, long next, Mover mover) {
        if (count > 0 && !mover.executesAtOnce(owner)) {
            return mover.moveTogether(owner, block, begin, (int) Math.min(count, Block.contiguous(block, begin)), next);
        }
        int moved = 0;
        while (moved < count && mover.move(owner, block, begin + moved, next)) {
            moved++;
        }
        return moved;
    }

    /** Returns a number that differs for each attempt of this process, which may have opened the map more than once. */
    int attempt() {
        return self.reservations().nextAttempt();
    }

    boolean isFree(long lease, int owner) {
        return Lease.isFree(lease, owner, self.liveness());
    }
}
