package io.atoll.epoch;

import static io.atoll.epoch.EpochBlock.LISTS;

import io.atoll.memory.LocalMemory;

/**
 * How many objects of each owner are in each of this rank's lists, and how many bytes they have: in its own segment, for those who look on. No part of the protocol: a death may
 * leave them wrong, which the next incarnation mends.
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

    /** Before anybody can take the bag off the list again. */
    void comes(int list, BagEntries bag) {
        count(list, bag, 1);
    }

    void goes(int list, BagEntries bag) {
        count(list, bag, -1);
    }

    /** With two atomics for each owner, whatever the order of the objects. */
    private void count(int list, BagEntries bag, int sign) {
        long uncounted = (1L << bag.objects()) - 1; // a bit for each object
        while (uncounted != 0) {
            uncounted &= ~countOwner(list, bag, Long.numberOfTrailingZeros(uncounted), sign);
        }
    }

    /** All objects of the owner of that one, which is the first of them. Returns a bit for each. */
    private long countOwner(int list, BagEntries bag, int first, int sign) {
        int owner = bag.owner(first);
        long objects = 0;
        long bytes = 0;
        for (int index = first; index < bag.objects(); index++) {
            // Without a branch: nobody could predict whose the next object is.
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

    /** After a death: what is in limbo is counted next. */
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
