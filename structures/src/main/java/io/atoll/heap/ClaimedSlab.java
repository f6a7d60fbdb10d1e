package io.atoll.heap;

import io.atoll.fabric.Batch;
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
    private final long[] claimed; // for each group those that are being claimed, or were when an error struck
    private int richest; // the group to look at first; a stale value costs a longer look

    private ClaimedSlab(ObjectSlab slab, long word) {
        this.slab = slab;
        this.word = word;
        this.sizeClass = slab.sizeClass();
        this.cached = new AtomicLongArray(sizeClass.groups());
        this.claimed = new long[sizeClass.groups()];
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
     * Hands out several objects, as far as there are some in the cache. Returns the index behind the last one. If it
     * fails, those are handed out that are in the array. Cost: W for objects that lie side by side, not waited for.
     * Lock-free.
     */
    int take(long[] into, int from, int end) {
        int at = from;
        for (int group = 0; group < cached.length() && at < end; group++) {
            for (long objects = cached.get(group); objects != 0 && at < end; objects = cached.get(group)) {
                long taken = lowest(objects, end - at);
                if (cached.compareAndSet(group, objects, objects & ~taken)) {
                    handOut(group, taken, into, at);
                    at += Long.bitCount(taken);
                }
            }
        }
        return at;
    }

    private static long lowest(long objects, int count) {
        long others = objects;
        for (int left = count; left > 0 && others != 0; left--) {
            others &= others - 1;
        }
        return objects & ~others;
    }

    private void handOut(int group, long objects, long[] into, int from) {
        long left = objects;
        try {
            int at = from;
            while (left != 0) {
                int number = Long.numberOfTrailingZeros(left);
                int together = Long.numberOfTrailingZeros(~(left >>> number));
                int first = group * SizeClass.GROUP + number;
                slab.markHandedOut(first, together);
                for (int object = first; object < first + together; object++) {
                    into[at++] = slab.objectOffset(object);
                }
                left &= left + Long.lowestOneBit(left); // without those that lie side by side
            }
        } finally {
            if (left != 0) {
                cached.getAndAdd(group, left); // their marks do not matter, as above
            }
        }
    }

    /** Returns true if nothing is in the cache. */
    boolean isDry() {
        for (int group = 0; group < cached.length(); group++) {
            if (cached.get(group) != 0) {
                return false;
            }
        }
        return true;
    }

    ObjectSlab slab() {
        return slab;
    }

    /** Returns the slab's word in the table. */
    long word() {
        return word;
    }

    /**
     * Fills the empty cache with the free objects of one group. Returns false if there are none. Cost: R, and W + A if
     * there are some.
     */
    boolean replenish() {
        long[] free = slab.free();
        if (takeInterrupted(free)) {
            return true;
        }
        for (int group = 0; group < free.length; group++) {
            if (free[group] != 0) {
                claimed[group] = free[group];
                slab.claim(group, claimed[group]);
                take(group);
                return true;
            }
        }
        return false;
    }

    /**
     * Puts into the cache what an error has kept from it: claims that have taken effect, since only this process could
     * have claimed them. Returns true if there is any.
     */
    boolean takeInterrupted(long[] free) {
        boolean isEffective = false;
        for (int group = 0; group < claimed.length; group++) {
            if (claimed[group] != 0 && (free[group] & claimed[group]) == 0) {
                take(group);
                isEffective = true;
            }
            claimed[group] = 0;
        }
        return isEffective;
    }

    private void take(int group) {
        cached.getAndAdd(group, claimed[group]); // cannot carry, because the group's cache is empty
        claimed[group] = 0;
        richest = group;
    }

    /** Adds the claim of the free objects of a group to a batch, whose buffer has a word for each from here on. */
    void addClaim(Batch batch, int group, long objects, long position) {
        claimed[group] = objects;
        slab.addClaim(batch, group, objects, position);
    }

    /** Puts into the cache what a completed batch has claimed. */
    void takeClaimed() {
        for (int group = 0; group < claimed.length; group++) {
            if (claimed[group] != 0) {
                take(group);
            }
        }
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
