package io.atoll.collective;

/** The ways in which data goes from one member to all. */
public enum Algorithm {

    /** The root writes to each member (Paznikov, section 2.1). No other member does anything. */
    LINEAR {
        @Override
        public double nanos(LogGP costs, int ranks, long bytes) {
            return costs.linear(ranks, bytes);
        }
    },
    /** Each member that has the data passes it on, along a binomial tree (Paznikov, section 2.2). */
    BINOMIAL {
        @Override
        public double nanos(LogGP costs, int ranks, long bytes) {
            return costs.binomial(ranks, bytes);
        }
    };

    /** Returns how long a broadcast should take, in nanoseconds. */
    public abstract double nanos(LogGP costs, int ranks, long bytes);

    /** Returns the algorithm that should take less time. If both take the same, returns the simpler one. */
    public static Algorithm fastest(LogGP costs, int ranks, long bytes) {
        return BINOMIAL.nanos(costs, ranks, bytes) < LINEAR.nanos(costs, ranks, bytes) ? BINOMIAL : LINEAR;
    }
}
