package io.atoll.collective;

/** The ways in which the values of all members are combined for all. */
enum Reduction {

    /** Each member reads what all others have, and combines it. */
    DIRECT {
        @Override
        public double nanos(LogGP costs, int ranks, long bytes) {
            return reading(costs, ranks, bytes);
        }
    },
    /** Each member combines a share for all, and reads the others' shares. */
    SHARED {
        @Override
        public double nanos(LogGP costs, int ranks, long bytes) {
            return 2 * reading(costs, ranks, Math.ceilDiv(bytes, ranks)) + barrier(costs, ranks);
        }
    };

    /** Returns how long it should take, in nanoseconds, beyond the first barrier, which both ways need. */
    public abstract double nanos(LogGP costs, int ranks, long bytes);

    /** Returns the way that should take less time. If both take the same, returns the simpler one. */
    public static Reduction fastest(LogGP costs, int ranks, long bytes) {
        return SHARED.nanos(costs, ranks, bytes) < DIRECT.nanos(costs, ranks, bytes) ? SHARED : DIRECT;
    }

    /**
     * Returns the time to read {@code bytes} bytes of each other member: that of a linear broadcast in the other
     * direction.
     */
    private static double reading(LogGP costs, int ranks, long bytes) {
        return costs.linear(ranks, bytes);
    }

    private static double barrier(LogGP costs, int ranks) {
        return BinomialTree.rounds(ranks) * (costs.overhead() + costs.latency());
    }
}
