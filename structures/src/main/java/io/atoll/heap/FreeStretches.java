package io.atoll.heap;

import java.util.Arrays;

/**
 * The stretches that were free in a heap at some moment. They are for a caller that can use several runs and needs to
 * know how long these may be.
 */
public final class FreeStretches {

    private final int[] lengths; // in slabs
    private final long slabBytes;

    FreeStretches(int[] lengths, long slabBytes) {
        this.lengths = lengths;
        this.slabBytes = slabBytes;
    }

    /** Returns how many runs of {@code bytes} bytes there was room for. */
    public long runsOf(long bytes) {
        long slabs = Math.ceilDiv(bytes, slabBytes);
        return Arrays.stream(lengths).mapToLong(length -> length / slabs).sum();
    }
}
