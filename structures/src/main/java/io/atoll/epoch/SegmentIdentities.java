package io.atoll.epoch;

import io.atoll.fabric.Endpoint;
import io.atoll.memory.LocalMemory;
import io.atoll.world.Participant;

/**
 * Tells each rank's segment from another one that the rank has had before: a segment that was lost is made anew, and what this rank has retired of the lost one
 * must not be freed in the new one, where something else may lie in its place. Who first asks gives a segment its identity: its own rank and incarnation, and
 * how often it has gone on with another segment, which
 * nobody has had before. This rank notes what it has met in its own segment.
 */
final class SegmentIdentities {

    private static final int RANK_BITS = 16;
    private static final int RENEWAL_SHIFT = 2 * RANK_BITS;

    private final long own; // this rank's block
    private final LocalMemory memory;
    private Endpoint endpoint; // of the one thread, as the blocks
    private long[] blocks;
    private final int tokens;
    private long given; // to the next segment that nobody has asked

    /** @param blocks an {@link EpochBlock} at each rank */
    public SegmentIdentities(Participant self, long[] blocks, int tokens) {
        this.own = blocks[self.rank()];
        this.memory = self.endpoint().fabric().local();
        this.endpoint = self.endpoint();
        this.blocks = blocks;
        this.tokens = tokens;
        this.given = (long) self.incarnation() << RANK_BITS | self.rank();
    }

    /** From now on the blocks are those. */
    public void reachBy(Endpoint renewed, long[] renewedBlocks) {
        endpoint = renewed;
        blocks = renewedBlocks;
        // It may have asked the lost segment first, too, and is the same process still.
        given += 1L << RENEWAL_SHIFT;
    }

    /** Whether it is the segment that was met before, or the first of that rank to be met. Cost: R, and A for who first asks. */
    public boolean isAsMet(int rank) {
        long found = identity(rank);
        long known = memory.getAcquire(met(rank));
        if (known == 0) {
            memory.setRelease(met(rank), found);
        }
        return known == 0 || known == found;
    }

    /** From now on the present segment is the one that was met. Cost: as {@link #isAsMet}. */
    public void meet(int rank) {
        memory.setRelease(met(rank), identity(rank));
    }

    private long identity(int rank) {
        long word = blocks[rank] + EpochBlock.IDENTITY;
        long found = endpoint.readWord(rank, word);
        if (found != 0) {
            return found;
        }
        long witness = endpoint.compareAndExchange(rank, word, 0, given);
        return witness == 0 ? given : witness;
    }

    private long met(int owner) {
        return own + EpochBlock.owner(tokens, owner) + EpochBlock.MET;
    }
}
