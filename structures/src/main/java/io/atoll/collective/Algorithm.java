package io.atoll.collective;

/** How data goes from one to all. */
public enum Algorithm {

    /** The root writes to each (Paznikov, section 2.1). Nobody else is needed. */
    LINEAR {
        @Override
        public double nanos(LogGP costs, int ranks, long bytes) {
            return costs.linear(ranks, bytes);
        }
    },
    /** Whoever has it passes it on, along a binomial tree (Paznikov, section 2.2). */
    BINOMIAL {
        @Override
        public double nanos(LogGP costs, int ranks, long bytes) {
            return costs.binomial(ranks, bytes);
        }
    };

    /** How long a broadcast should take, in nanoseconds. */
    public abstract double nanos(LogGP costs, int ranks, long bytes);

    /** The one that should take less; of equals the simpler. */
    public static Algorithm fastest(LogGP costs, int ranks, long bytes) {
        return BINOMIAL.nanos(costs, ranks, bytes) < LINEAR.nanos(costs, ranks, bytes) ? BINOMIAL : LINEAR;
    }
}
