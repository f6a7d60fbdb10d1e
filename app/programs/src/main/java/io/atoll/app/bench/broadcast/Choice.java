package io.atoll.app.bench.broadcast;

import io.atoll.collective.Algorithm;
import io.atoll.collective.Broadcast;
import io.atoll.collective.LogGP;
import java.util.Locale;

/**
 * How a broadcast chooses its algorithm: always the same one, or the one that should be faster given what sending
 * costs.
 */
enum Choice {
    LINEAR(Algorithm.LINEAR), BINOMIAL(Algorithm.BINOMIAL), AUTO(Algorithm.LINEAR, Algorithm.BINOMIAL);

    private final Algorithm[] algorithms;

    Choice(Algorithm... algorithms) {
        this.algorithms = algorithms;
    }

    /** A builder that is given no algorithm chooses one itself. */
    Broadcast.Builder choose(Broadcast.Builder window, LogGP costs) {
        return algorithms.length == 1 ? window.algorithm(algorithms[0]) : window.costs(costs);
    }

    double nanos(LogGP costs, int ranks, long bytes) {
        return algorithms.length == 1
                ? algorithms[0].nanos(costs, ranks, bytes)
                : Algorithm.fastest(costs, ranks, bytes).nanos(costs, ranks, bytes);
    }

    /** Returns the name that users write. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
