package io.atoll.app.sequence.kmer;

import io.atoll.app.sequence.SequenceVisitor;
import java.util.function.LongConsumer;

/**
 * Rolls a window of k bases over the reads, and passes on the canonical k-mers of one share. The canonical one is the
 * smaller of a k-mer and its reverse complement. A letter that is not a base empties the window, as does the end of a
 * read.
 *
 * <p>Every rank reads all of the input. Ranks take turns by the position of a k-mer's last base, in runs of
 * {@value #RUN}. So shares are even whatever the reads are, thousands of short ones or one chromosome. This works in
 * files that cannot be entered in the middle, such as gzip. In the turns of other ranks, a rank only searches for line
 * ends. This is a hundred times faster than counting. Splitting plain files at byte positions would save only that.
 */
public final class KmerScanner implements SequenceVisitor {

    /**
     * A run is long compared to the k - 1 bases that are rolled in before it. It is short compared to any input worth
     * splitting.
     */
    static final int RUN = 1 << 12;

    private final int length;
    private final long mask;
    private final int highestBase;
    private final int share;
    private final int shares;
    private final LongConsumer kmers;

    // Letters of sequence so far, in all reads.
    private long position;
    private long forward;
    private long reverse; // the reverse complement of forward
    // Bases in the window, at most length.
    private int filled;
    private long count;

    /** @param length k, from 1 to {@link Kmer#MAXIMUM_LENGTH} */
    public KmerScanner(int length, int share, int shares, LongConsumer kmers) {
        if (length < 1 || length > Kmer.MAXIMUM_LENGTH) {
            throw new IllegalArgumentException(
                    "a k-mer has 1 to " + Kmer.MAXIMUM_LENGTH + " bases: length=" + length);
        }
        this.length = length;
        this.mask = Kmer.mask(length);
        this.highestBase = Kmer.BITS_PER_BASE * (length - 1);
        this.share = share;
        this.shares = shares;
        this.kmers = kmers;
    }

    /** Returns the number of k-mers passed on. */
    public long count() {
        return count;
    }

    @Override
    public void startRead() {
        filled = 0;
    }

    @Override
    public void bases(byte[] buffer, int from, int to) {
        int at = from;
        while (at < to) {
            int end = (int) Math.min(to, at + RUN - position % RUN);
            if (position / RUN % shares == share) {
                roll(buffer, at, end, true);
            } else {
                skip(buffer, at, end);
            }
            position += end - at;
            at = end;
        }
    }

    /** In a run of another rank only the last k - 1 bases matter. K-mers that end in the next run begin there. */
    private void skip(byte[] buffer, int from, int to) {
        long tail = position - position % RUN + RUN - (length - 1);
        if (position + (to - from) <= tail) {
            filled = 0;
        } else if (position < tail) {
            filled = 0;
            roll(buffer, (int) (from + tail - position), to, false);
        } else {
            roll(buffer, from, to, false);
        }
    }

    private void roll(byte[] buffer, int from, int to, boolean mine) {
        long rolling = forward;
        long rollingReverse = reverse;
        int bases = filled;
        for (int at = from; at < to; at++) {
            byte code = Kmer.code(buffer[at]);
            if (code == Kmer.NO_BASE) {
                bases = 0;
                continue;
            }
            rolling = (rolling << Kmer.BITS_PER_BASE | code) & mask;
            rollingReverse = rollingReverse >>> Kmer.BITS_PER_BASE | 3L - code << highestBase;
            bases = Math.min(bases + 1, length);
            if (mine && bases == length) {
                count++;
                kmers.accept(Math.min(rolling, rollingReverse));
            }
        }
        forward = rolling;
        reverse = rollingReverse;
        filled = bases;
    }
}
