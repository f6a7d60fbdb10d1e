package io.atoll.heap;

import java.util.Arrays;

/** What was free in a heap at some moment: for whoever can do with several runs, and is to know how long they may be. */
public final class FreeStretches {

    private final int[] lengths; // in slabs
    private final long slabBytes;

    FreeStretches(int[] lengths, long slabBytes) {
        this.lengths = lengths;
        this.slabBytes = slabBytes;
    }

    /** For how many runs of so many bytes there was room. */
    public long runsOf(long bytes) {
        long slabs = Math.ceilDiv(bytes, slabBytes);
        return Arrays.stream(lengths).mapToLong(length -> length / slabs).sum();
    }
}
