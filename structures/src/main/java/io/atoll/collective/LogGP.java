package io.atoll.collective;

/**
 * What sending costs on a fabric, in nanoseconds, by the model LogGP (Alexandrov and others, 1995). From that follows
 * how long a broadcast takes (Paznikov, section 3). LogP (Culler and others, 1993) is the same for messages of one
 * byte, which have no {@link #gapPerByte}.
 *
 * @param latency L: the time that a message is under way
 * @param overhead o: the time that the sender's processor is busy with a message
 * @param gap g: the time between two messages of one sender
 * @param gapPerByte G: the time between two bytes of one message
 * @param receiveOverhead o_r: the time until a member that looks for requests sees one that has arrived
 */
public record LogGP(double latency, double overhead, double gap, double gapPerByte, double receiveOverhead) {

    public LogGP {
        if (!(Math.min(Math.min(latency, overhead), Math.min(gap, Math.min(gapPerByte, receiveOverhead))) >= 0)) {
            throw new IllegalArgumentException("times are not negative: latency=" + latency + " overhead=" + overhead
                    + " gap=" + gap + " gapPerByte=" + gapPerByte + " receiveOverhead=" + receiveOverhead);
        }
    }

    /** Section 3, LogGP. From one process of the tree to the next go the data, the description and the request. */
    public double stage(long bytes) {
        return overhead + bytesAfterTheFirst(bytes) + 2 * gap + latency + receiveOverhead;
    }

    /**
     * Section 3, LogGP: the binomial tree, until the root knows. For 2^k ranks it takes k stages. In between, where the
     * paper says nothing, it is rounded up. It is exact under two conditions. No process has to wait for its gap,
     * {@code g <= o + L + o_r}, and the root counts in no time.
     */
    public double binomial(int ranks, long bytes) {
        check(ranks, bytes);
        return ranks == 1 ? 0 : BinomialTree.rounds(ranks) * stage(bytes) + overhead + latency;
    }

    /** Section 3, LogP. */
    public double binomial(int ranks) {
        return binomial(ranks, 1);
    }

    /**
     * Writes to each of the others, one after the other (section 2.1), until all writes are known to have arrived. The
     * paper has no formula for it.
     */
    public double linear(int ranks, long bytes) {
        check(ranks, bytes);
        int others = ranks - 1;
        return ranks == 1 ? 0 : overhead + others * bytesAfterTheFirst(bytes) + (others - 1) * gap + 2 * latency;
    }

    /** The same in LogP. */
    public double linear(int ranks) {
        return linear(ranks, 1);
    }

    private double bytesAfterTheFirst(long bytes) {
        return (bytes - 1) * gapPerByte;
    }

    static void check(int ranks, long bytes) {
        if (ranks < 1 || bytes < 1) {
            throw new IllegalArgumentException("from one rank of at least one, at least a byte: ranks=" + ranks
                    + " bytes=" + bytes);
        }
    }
}
