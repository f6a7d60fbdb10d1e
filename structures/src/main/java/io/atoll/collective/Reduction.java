package io.atoll.collective;

/** How the values of all are combined for all. */
enum Reduction {

    /** Each reads what all others have, and combines it. */
    DIRECT {
        @Override
        public double nanos(LogGP costs, int ranks, long bytes) {
            return reading(costs, ranks, bytes);
        }
    },
    /** Each combines a share for all, and reads the others' shares. */
    SHARED {
        @Override
        public double nanos(LogGP costs, int ranks, long bytes) {
            return 2 * reading(costs, ranks, Math.ceilDiv(bytes, ranks)) + barrier(costs, ranks);
        }
    };

    /** How long it should take beyond the first barrier, which both need, in nanoseconds. */
    public abstract double nanos(LogGP costs, int ranks, long bytes);

    /** The one that should take less; of equals the simpler. */
    public static Reduction fastest(LogGP costs, int ranks, long bytes) {
        return SHARED.nanos(costs, ranks, bytes) < DIRECT.nanos(costs, ranks, bytes) ? SHARED : DIRECT;
    }

    /** So many bytes of each other: as a linear broadcast, the other way round. */
    private static double reading(LogGP costs, int ranks, long bytes) {
        return costs.linear(ranks, bytes);
    }

    private static double barrier(LogGP costs, int ranks) {
        return BinomialTree.rounds(ranks) * (costs.overhead() + costs.latency());
    }
}
