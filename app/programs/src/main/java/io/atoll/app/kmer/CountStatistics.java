package io.atoll.app.kmer;

import io.atoll.map.LongLongMap;

/** Statistics of the counts of a rank's own k-mers. */
final class CountStatistics implements LongLongMap.Visitor {

    private final int length;
    private final long minimum;
    private long total;
    private long distinct;
    private long unique;
    private long maximum;
    private long lineBytes;

    /**
     * @param length k
     * @param minimum the count from which on a k-mer has a line
     */
    CountStatistics(int length, long minimum) {
        this.length = length;
        this.minimum = minimum;
    }

    @Override
    public void visit(long kmer, long count) {
        total += count;
        distinct++;
        if (count == 1) {
            unique++;
        }
        maximum = Math.max(maximum, count);
        if (count >= minimum) {
            lineBytes += CountLines.bytes(length, count);
        }
    }

    /** Returns the sum of all counts. */
    long total() {
        return total;
    }

    long distinct() {
        return distinct;
    }

    /** Returns how many k-mers occur once. */
    long unique() {
        return unique;
    }

    /** Returns the largest count. */
    long maximum() {
        return maximum;
    }

    /** Returns the length of all lines together. */
    long lineBytes() {
        return lineBytes;
    }
}
