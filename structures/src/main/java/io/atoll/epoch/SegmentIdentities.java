package io.atoll.epoch;

import io.atoll.fabric.Endpoint;
import io.atoll.memory.LocalMemory;
import io.atoll.world.Participant;

/**
 * Tells each rank's segment from another one that the rank has had before. A lost segment is made anew. Objects that
 * this rank retired in the lost one must not be freed in the new one: other objects may lie in their place.
 *
 * <p>The first rank that asks for a segment's identity gives it one that no segment has had before. It is made of the
 * asking rank, its incarnation, and how often that process has gone on with another segment. In its own segment, this
 * rank notes the identities that it has met.
 */
final class SegmentIdentities {

    private static final int RANK_BITS = 16;
    private static final int RENEWAL_SHIFT = 2 * RANK_BITS;

    private final long own; // this rank's block
    private final LocalMemory memory;
    private Endpoint endpoint; // used by the one thread, as are the blocks
    private long[] blocks;
    private final int tokens;
    private long given; // to the next segment that has no identity yet

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
        // This process may have been the first to ask the lost segment, too, and is still the same process.
        given += 1L << RENEWAL_SHIFT;
    }

    /**
     * Returns true if it is the segment that was met before, or the first one of that rank. Cost: R, and A for the
     * first rank that asks.
     */
    public boolean isAsMet(int rank) {
        return isAsMet(rank, endpoint.readWord(rank, word(rank)));
    }

    /**
     * As {@link #isAsMet(int)}. Cost: A for the first rank that asks, otherwise none.
     *
     * @param read what {@link #readAll} has returned of that rank
     */
    boolean isAsMet(int rank, long read) {
        long found = identity(rank, read);
        long known = memory.getAcquire(met(rank));
        if (known == 0) {
            memory.setRelease(met(rank), found);
        }
        return known == 0 || known == found;
    }

    /** From now on the present segment is the one that was met. Cost: as {@link #isAsMet}. */
    public void meet(int rank) {
        memory.setRelease(met(rank), identity(rank, endpoint.readWord(rank, word(rank))));
    }

    /** Returns the identity of each rank's segment, 0 where it has none. Cost: R for each rank, in one round trip. */
    long[] readAll() {
        return endpoint.readWords(this::word);
    }

    private long word(int rank) {
        return blocks[rank] + EpochBlock.IDENTITY;
    }

    private long identity(int rank, long read) {
        if (read != 0) {
            return read;
        }
        long witness = endpoint.compareAndExchange(rank, word(rank), 0, given);
        return witness == 0 ? given : witness;
    }

    private long met(int owner) {
        return own + EpochBlock.owner(tokens, owner) + EpochBlock.MET;
    }
}
