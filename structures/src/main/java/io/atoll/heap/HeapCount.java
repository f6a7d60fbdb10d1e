package io.atoll.heap;

import io.atoll.memory.LocalMemory;

/**
 * Counts what the own segment's heap is used for, for a caller that asks all the time. Unlike {@link HeapUsage}, it
 * counts in rounds, a part at each call. It loads the own memory and allocates nothing. Its numbers are those of the
 * last round that was completed. By one thread at a time.
 */
public final class HeapCount {

    private final HeapArea area;
    private int slab; // the next one of the round
    private long used; // bytes of this round
    private long objects;
    private long pending;
    private long retired;
    private long usedBytes;
    private long objectBytes;
    private long pendingBytes;
    private long retiredBytes;

    HeapCount(HeapArea area) {
        this.area = area;
    }

    /**
     * Goes on counting. Stops at the end of the round, or after about {@code words} words. Cost: a load for each word.
     */
    public void goOn(LocalMemory own, int words) {
        int left = words;
        while (left > 0) {
            long word = slab < area.slabs() ? own.getAcquire(area.wordOffset(slab)) : SlabWord.NONE;
            if (word == SlabWord.NONE) {
                complete();
                return;
            }
            left -= 1 + count(own, word);
            slab += Math.max(SlabWord.length(word), 1);
        }
    }

    private void complete() {
        usedBytes = used;
        objectBytes = objects;
        pendingBytes = pending;
        retiredBytes = retired;
        slab = 0;
        used = 0;
        objects = 0;
        pending = 0;
        retired = 0;
    }

    /** Returns how many more words it has loaded. */
    private int count(LocalMemory own, long word) {
        long bytes = SlabWord.length(word) * area.slabBytes();
        switch (SlabWord.state(word)) {
            case SlabWord.FREE -> {
            }
            case SlabWord.PENDING, SlabWord.JOINED -> {
                used += bytes;
                pending += bytes;
            }
            default -> {
                used += bytes;
                retired += SlabWord.isRetired(word) ? bytes : 0;
            }
        }
        return SlabWord.hasObjects(word) && SlabWord.sizeClass(word) < area.sizeClasses()
                ? countObjects(own, word, area.sizeClass(SlabWord.sizeClass(word)))
                : 0;
    }

    /**
     * In a slab without a holder, every object that is not free was handed out. In a slab with a holder, the object's
     * mark decides.
     */
    private int countObjects(LocalMemory own, long word, SizeClass sizeClass) {
        long offset = area.slabOffset(slab);
        boolean isHeld = SlabWord.state(word) == SlabWord.HELD;
        int live = 0;
        for (int group = 0; group < sizeClass.groups(); group++) {
            long taken = ~own.getAcquire(offset + sizeClass.freeOffset(group)) & sizeClass.groupBits(group);
            live += isHeld ? handedOut(own, offset, sizeClass, group, taken) : Long.bitCount(taken);
        }
        objects += live * sizeClass.objectBytes();
        return sizeClass.groups() + (isHeld ? sizeClass.objects() : 0);
    }

    private static int handedOut(LocalMemory own, long offset, SizeClass sizeClass, int group, long taken) {
        int live = 0;
        for (long left = taken; left != 0; left &= left - 1) {
            int object = group * SizeClass.GROUP + Long.numberOfTrailingZeros(left);
            live += own.getAcquire(offset + sizeClass.markOffset(object)) == SizeClass.HANDED_OUT ? 1 : 0;
        }
        return live;
    }

    /** Returns the bytes that are not free. */
    public long usedBytes() {
        return usedBytes;
    }

    /** Returns the bytes of objects that were handed out and not freed, each rounded up to its size class. */
    public long objectBytes() {
        return objectBytes;
    }

    /**
     * Returns the bytes of runs that were reserved and not yet committed. Includes what is about to become part of one.
     */
    public long pendingBytes() {
        return pendingBytes;
    }

    /** Returns the bytes of runs that wait until no thread can be using them any more. */
    public long retiredBytes() {
        return retiredBytes;
    }
}
