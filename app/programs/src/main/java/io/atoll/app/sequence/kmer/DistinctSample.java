package io.atoll.app.sequence.kmer;

import java.util.Arrays;
import java.util.function.LongConsumer;

/**
 * Estimates how many different k-mers there are, and how many of them occur more than once. It takes one pass and one
 * megabyte, by distinct sampling (Gibbons, VLDB 2001). The sample has the k-mers whose hash begins with {@code level}
 * zero bits. They are a random 1 in 2^level of the <em>different</em> ones, however often each occurs. When they become
 * too many, the level rises and half of them go.
 *
 * <p>Exact below {@value #LIMIT} different k-mers. Above, the standard error is at most 0.6 % (1 / sqrt(LIMIT / 2)).
 */
public final class DistinctSample implements LongConsumer {

    static final int LIMIT = 1 << 16;

    private static final int SLOTS = 2 * LIMIT;
    private static final long EMPTY = -1; // no k-mer is negative

    private final long[] kmers = emptySlots();
    private final boolean[] repeated = new boolean[SLOTS];
    private int size;
    private int level;

    @Override
    public void accept(long kmer) {
        long hash = hash(kmer);
        if (Long.numberOfLeadingZeros(hash) < level) {
            return;
        }
        int slot = slot(kmer, hash);
        if (kmers[slot] == kmer) {
            repeated[slot] = true;
        } else {
            kmers[slot] = kmer;
            if (++size == LIMIT) {
                raiseLevel();
            }
        }
    }

    /** Returns about how many different k-mers there are. */
    public long distinct() {
        return (long) size << level;
    }

    /** Returns about how many different k-mers occur twice or more. */
    public long repeated() {
        return (long) sampledRepeated() << level;
    }

    /** Returns a bound of the exact number. That number exceeds it for about one in three million inputs. */
    public long distinctAtMost() {
        return atMost(size);
    }

    /**
     * Like {@link #distinctAtMost}, for {@link #repeated}. If the sample has few of these, the number exceeds the bound
     * more often.
     */
    public long repeatedAtMost() {
        return atMost(sampledRepeated());
    }

    /** A sampled count varies by its square root. Five times that is added. */
    private long atMost(int sampled) {
        return level == 0 ? sampled : (long) (sampled + 5 * Math.sqrt(sampled) + 5) << level;
    }

    private int sampledRepeated() {
        int count = 0;
        for (boolean each : repeated) {
            count += each ? 1 : 0;
        }
        return count;
    }

    private int slot(long kmer, long hash) {
        int slot = (int) hash & SLOTS - 1;
        while (kmers[slot] != kmer && kmers[slot] != EMPTY) {
            slot = slot + 1 & SLOTS - 1;
        }
        return slot;
    }

    private void raiseLevel() {
        long[] before = kmers.clone();
        boolean[] repeatedBefore = repeated.clone();
        Arrays.fill(kmers, EMPTY);
        Arrays.fill(repeated, false);
        size = 0;
        level++;
        for (int from = 0; from < SLOTS; from++) {
            long hash = hash(before[from]);
            if (before[from] != EMPTY && Long.numberOfLeadingZeros(hash) >= level) {
                int slot = slot(before[from], hash);
                kmers[slot] = before[from];
                repeated[slot] = repeatedBefore[from];
                size++;
            }
        }
    }

    private static long[] emptySlots() {
        long[] slots = new long[SLOTS];
        Arrays.fill(slots, EMPTY);
        return slots;
    }

    /**
     * The finalizer of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014). Every bit of a k-mer changes every bit of its
     * hash.
     */
    private static long hash(long kmer) {
        long mixed = (kmer ^ kmer >>> 30) * 0xbf58_476d_1ce4_e5b9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94d0_49bb_1331_11ebL;
        return mixed ^ mixed >>> 31;
    }
}
