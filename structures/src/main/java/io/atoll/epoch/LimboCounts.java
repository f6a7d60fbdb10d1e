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

    /** Before anybody can take the bag off the list again. Returns the bytes of all objects in it. */
    long comes(int list, long bag) {
        return count(list, bag, 1);
    }

    void goes(int list, long bag) {
        count(list, bag, -1);
    }

    /** In one pass, and with two atomics for as many objects of one owner as lie together. */
    private long count(int list, long bag, int sign) {
        int end = (int) memory.get(bag + Bag.OBJECTS);
        int owner = end == 0 ? 0 : owner(bag, 0);
        int first = 0;
        long bytes = 0;
        long counted = 0;
        for (int index = 0; index < end; index++) {
            int next = owner(bag, index);
            if (next != owner) {
                add(list, owner, sign * (index - first), sign * (bytes - counted));
                owner = next;
                first = index;
                counted = bytes;
            }
            bytes += memory.get(bag + Bag.entry(index) + Bag.OBJECT_BYTES);
        }
        add(list, owner, sign * (end - first), sign * (bytes - counted));
        return bytes;
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

    private int owner(long bag, int index) {
        return GlobalPointer.rankOf(memory.get(bag + Bag.entry(index) + Bag.POINTER));
    }

    private long place(int owner) {
        return block + EpochBlock.owner(tokens, owner);
    }
}
