package io.atoll.heap;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A slab of objects from which this process alone hands out, and its cache. The cache is the objects that are claimed
 * and not yet handed out. No other process can have them.
 *
 * <p>Any thread may {@link #take}. Everything else is for one thread at a time, which has the slab to itself.
 */
final class ClaimedSlab {

    /** The offset that stands for no object. */
    static final long NONE = 0;

    private final ObjectSlab slab;
    private final long word;
    private final SizeClass sizeClass;
    private final AtomicLongArray cached; // for each group the bits of the objects in its cache
    private int claiming; // the group of the objects that are being claimed
    private long claimed; // objects that are being claimed, or were when an error struck
    private int richest; // the group to look at first; a stale value costs a longer look

    private ClaimedSlab(ObjectSlab slab, long word) {
        this.slab = slab;
        this.word = word;
        this.sizeClass = slab.sizeClass();
        this.cached = new AtomicLongArray(sizeClass.groups());
    }

    /** Returns a new slab, with all of its objects in its cache. */
    static ClaimedSlab ofNew(ObjectSlab slab, long word) {
        ClaimedSlab held = new ClaimedSlab(slab, word);
        for (int group = 0; group < held.sizeClass.groups(); group++) {
            held.cached.set(group, held.sizeClass.groupBits(group));
        }
        return held;
    }

    /** Returns a slab that had another holder, with nothing in its cache. */
    static ClaimedSlab ofAdopted(ObjectSlab slab, long word) {
        return new ClaimedSlab(slab, word);
    }

    /**
     * Hands out an object. Returns {@link #NONE} if nothing is in its cache. Cost: W, not waited for; it arrives before
     * anything that this thread sends later to that rank. Lock-free.
     */
    long take() {
        int groups = cached.length();
        for (int group = richest, looked = 0; looked < groups; group = (group + 1) % groups, looked++) {
            for (long objects = cached.get(group); objects != 0; objects = cached.get(group)) {
                if (cached.compareAndSet(group, objects, objects & objects - 1)) {
                    richest = group;
                    return handOut(group, Long.numberOfTrailingZeros(objects));
                }
            }
        }
        return NONE;
    }

    private long handOut(int group, int number) {
        int object = group * SizeClass.GROUP + number;
        boolean isDone = false;
        try {
            slab.markHandedOut(object);
            isDone = true;
            return slab.objectOffset(object);
        } finally {
            if (!isDone) {
                // Its mark does not matter: the next take of this object marks it again.
                cached.getAndAdd(group, 1L << number);
            }
        }
    }

    /**
     * Fills the empty cache with the free objects of one group. Returns false if there are none. Cost: R, and W + A if
     * there are some.
     */
    boolean replenish() {
        long[] free = slab.free();
        if (hasClaimed(free)) {
            return true;
        }
        for (int group = 0; group < free.length; group++) {
            if (free[group] != 0) {
                claiming = group;
                claimed = free[group];
                slab.claim(group, claimed);
                take(group);
                return true;
            }
        }
        return false;
    }

    /**
     * Returns true if a claim that an error has interrupted has taken effect: only this process could have claimed
     * them.
     */
    private boolean hasClaimed(long[] free) {
        boolean isEffective = claimed != 0 && (free[claiming] & claimed) == 0;
        if (isEffective) {
            take(claiming);
        }
        claimed = 0;
        return isEffective;
    }

    private void take(int group) {
        cached.getAndAdd(group, claimed); // cannot carry, because the group's cache is empty
        claimed = 0;
        richest = group;
    }

    /**
     * Gives up the slab with what is in its cache. Cost: A for each group with cached objects, and what
     * {@link ObjectSlab#release} costs.
     */
    void release() {
        for (int group = 0; group < cached.length(); group++) {
            long objects = cached.getAndSet(group, 0);
            if (objects != 0) {
                slab.unclaim(group, objects);
            }
        }
        slab.release(word);
    }

    /** Puts into the cache what a dead holder had in its own. Returns the number of objects. Cost: R. */
    int inherit() {
        // (4) The holder marked before it claimed (3), and marked again before it published. So no rank knows an object
        // that is not marked as handed out.
        long[] inherited = slab.marked(SizeClass.IN_CACHE);
        int objects = 0;
        for (int group = 0; group < inherited.length; group++) {
            cached.set(group, inherited[group]);
            objects += Long.bitCount(inherited[group]);
        }
        return objects;
    }
}
