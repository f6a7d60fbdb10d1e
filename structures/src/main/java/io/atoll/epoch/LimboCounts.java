package io.atoll.epoch;

import static io.atoll.epoch.EpochBlock.LISTS;

import io.atoll.memory.LocalMemory;

/**
 * Counts the objects and bytes of each owner in each of this rank's lists. The counts lie in the rank's own segment,
 * for observers, and are no part of the protocol. A death may leave them wrong; the next incarnation mends them.
 */
final class LimboCounts {

    private final LocalMemory memory;
    private final long block;
    private final int tokens;
    private final int owners;

    /**
     * @param block this rank's {@link EpochBlock}
     * @param tokens of the block
     * @param owners ranks that may own objects
     */
    LimboCounts(LocalMemory memory, long block, int tokens, int owners) {
        this.memory = memory;
        this.block = block;
        this.tokens = tokens;
        this.owners = owners;
    }

    /** Counts a bag before another thread can take it off its list. */
    void added(int list, BagEntries bag) {
        count(list, bag, 1);
    }

    void removed(int list, BagEntries bag) {
        count(list, bag, -1);
    }

    /** Takes two atomics for each owner, whatever the order of the objects. */
    private void count(int list, BagEntries bag, int sign) {
        long uncounted = (1L << bag.objects()) - 1; // a bit for each object
        while (uncounted != 0) {
            uncounted &= ~countOwner(list, bag, Long.numberOfTrailingZeros(uncounted), sign);
        }
    }

    /**
     * Counts all objects of one owner.
     *
     * @param first the first object of that owner
     * @return a bit for each object that was counted
     */
    private long countOwner(int list, BagEntries bag, int first, int sign) {
        int owner = bag.owner(first);
        long objects = 0;
        long bytes = 0;
        for (int index = first; index < bag.objects(); index++) {
            // Without a branch: the CPU could not predict who owns the next object.
            long isOwners = bag.owner(index) == owner ? 1 : 0;
            objects |= isOwners << index;
            bytes += bag.objectBytes(index) * isOwners;
        }
        add(list, owner, sign * Long.bitCount(objects), sign * bytes);
        return objects;
    }

    private void add(int list, int owner, int objects, long bytes) {
        if (objects != 0) {
            memory.getAndAdd(place(owner) + EpochBlock.limboObjects(list), objects);
        }
        if (bytes != 0) {
            memory.getAndAdd(place(owner) + EpochBlock.limboBytes(list), bytes);
        }
    }

    /** After a death: from zero, the bags in limbo are counted again. */
    void clear() {
        for (int owner = 0; owner < owners; owner++) {
            for (int list = 0; list < LISTS; list++) {
                memory.setRelease(place(owner) + EpochBlock.limboObjects(list), 0);
                memory.setRelease(place(owner) + EpochBlock.limboBytes(list), 0);
            }
        }
    }

    private long place(int owner) {
        return block + EpochBlock.owner(tokens, owner);
    }
}
