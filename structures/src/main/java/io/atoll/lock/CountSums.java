package io.atoll.lock;

import io.atoll.fabric.Batch;
import io.atoll.memory.LocalMemory;
import java.util.Arrays;

/** Sums over {@linkplain CountLine lines} of one rank. By one thread at a time. */
public final class CountSums {

    private static final int WORDS = (int) (CountLine.SIZE / Long.BYTES);

    private final long[] sums = new long[WORDS]; // of each word of a line

    /** Adds the line that lies there in the own segment. No verb. */
    public void add(LocalMemory own, long line) {
        for (int word = 0; word < WORDS; word++) {
            sums[word] += own.getAcquire(line + word * Long.BYTES);
        }
    }

    /** Adds the line that was read to that position. */
    void add(Batch lines, long position) {
        for (int word = 0; word < WORDS; word++) {
            sums[word] += lines.word(position + word * Long.BYTES);
        }
    }

    /** Begins anew. */
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

    /** Acquisitions that were told that somebody may have died with the lock. */
    public long recoveries() {
        return sum(CountLine.RECOVERIES);
    }

    private long sum(long word) {
        return sums[(int) (word / Long.BYTES)];
    }
}
