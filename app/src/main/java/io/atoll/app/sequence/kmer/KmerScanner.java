package io.atoll.app.sequence.kmer;

import io.atoll.app.sequence.SequenceVisitor;
import java.util.function.LongConsumer;

/**
 * Rolls a window of k bases over the reads and passes on the canonical k-mers of one share: of a k-mer and its reverse complement the
 * smaller. A letter that is not a base, and the end of a read, empty the window.
 *
 * <p>Every rank reads all of the input and takes turns by the position of a k-mer's last base, in runs of {@value #RUN}. So shares are
 * even whatever the reads are, thousands of short ones or one chromosome, in files that cannot be entered in the middle, as gzip.
 * What lies in others' turns is only searched for line ends, a hundred times faster than its k-mers are counted; splitting plain
 * files at byte positions would save just that.
 */
public final class KmerScanner implements SequenceVisitor {

    /** Long against the k - 1 bases that are rolled in before each, short against any input worth splitting. */
    static final int RUN = 1 << 12;

    private final int length;
    private final long mask;
    private final int highestBase;
    private final int share;
    private final int shares;
    private final LongConsumer kmers;

    private long position; // letters of sequence so far, in all reads
    private long forward;
    private long reverse; // the reverse complement of forward
    private int filled; // bases in the window, at most length
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

    /** K-mers passed on. */
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

    /** Of a run of others only the last k - 1 bases matter: k-mers that end in the next run begin there. */
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
