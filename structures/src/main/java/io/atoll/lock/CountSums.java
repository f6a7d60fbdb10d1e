package io.atoll.lock;

import io.atoll.fabric.Batch;
import io.atoll.memory.LocalMemory;
import java.util.Arrays;

/** Sums over {@linkplain CountLine lines} of one rank. One thread at a time uses it. */
public final class CountSums {

    private static final int WORDS = (int) (CountLine.SIZE / Long.BYTES);

    private final long[] sums = new long[WORDS]; // one for each word of a line

    /** Adds the line at this offset of the own segment. No verb. */
    public void add(LocalMemory own, long line) {
        for (int word = 0; word < WORDS; word++) {
            sums[word] += own.getAcquire(line + word * Long.BYTES);
        }
    }

    /** Adds the line that was read to this position of the batch's buffer. */
    void add(Batch lines, long position) {
        for (int word = 0; word < WORDS; word++) {
            sums[word] += lines.word(position + word * Long.BYTES);
        }
    }

    /** Sets all sums to zero. */
    public void clear() {
        Arrays.fill(sums, 0);
    }

    public long acquisitions() {
        return sum(CountLine.ACQUISITIONS);
    }

    public long waits() {
        return sum(CountLine.WAITS);
    }

    public long waitedNanos() {
        return sum(CountLine.WAITED);
    }

    /** Returns the number of acquisitions whose holder was told that a former holder may have died with the lock. */
    public long recoveries() {
        return sum(CountLine.RECOVERIES);
    }

    private long sum(long word) {
        return sums[(int) (word / Long.BYTES)];
    }
}
