package io.atoll.epoch;

import static io.atoll.epoch.EpochBlock.LISTS;

import io.atoll.memory.GlobalPointer;
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
    void comes(int list, long bag) {
        count(list, bag, 1);
    }

    void goes(int list, long bag) {
        count(list, bag, -1);
    }

    /** Two atomics for as many objects of one owner as lie together. */
    private void count(int list, long bag, int sign) {
        int end = (int) memory.get(bag + Bag.OBJECTS);
        int index = 0;
        while (index < end) {
            int owner = owner(bag, index);
            int first = index;
            long bytes = 0;
            do {
                bytes += memory.get(bag + Bag.entry(index) + Bag.OBJECT_BYTES);
                index++;
            } while (index < end && owner(bag, index) == owner);
            memory.getAndAdd(place(owner) + EpochBlock.limboObjects(list), (long) sign * (index - first));
            if (bytes != 0) {
                memory.getAndAdd(place(owner) + EpochBlock.limboBytes(list), sign * bytes);
            }
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

    private int owner(long bag, int index) {
        return GlobalPointer.rankOf(memory.get(bag + Bag.entry(index) + Bag.POINTER));
    }

    private long place(int owner) {
        return block + EpochBlock.owner(tokens, owner);
    }
}
