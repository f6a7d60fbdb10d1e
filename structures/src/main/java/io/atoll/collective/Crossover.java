package io.atoll.collective;

import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.IntStream;

/**
 * Calculates where the binomial tree begins to be faster than the linear algorithm, by the formulas of {@link LogGP}.
 */
public final class Crossover {

    private Crossover() {}

    /**
     * Returns the fewest ranks for which the tree is faster with {@code bytes} bytes, if there are at most {@code
     * most}.
     */
    public static OptionalInt ranks(LogGP costs, long bytes, int most) {
        return IntStream.rangeClosed(1, most)
                .filter(ranks -> Algorithm.fastest(costs, ranks, bytes) == Algorithm.BINOMIAL)
                .findFirst();
    }

    /**
     * Returns the fewest bytes with which the tree is faster for {@code ranks} ranks, if there are any. Both times are
     * linear in the bytes.
     */
    public static OptionalLong bytes(LogGP costs, int ranks) {
        double advantage = advantage(costs, ranks, 1);
        double perByte = advantage(costs, ranks, 2) - advantage;
        if (advantage > 0) {
            return OptionalLong.of(1);
        }
        double bytes = 1 + Math.floor(-advantage / perByte) + 1;
        return perByte > 0 && bytes < Long.MAX_VALUE ? OptionalLong.of((long) bytes) : OptionalLong.empty();
    }

    private static double advantage(LogGP costs, int ranks, long bytes) {
        return costs.linear(ranks, bytes) - costs.binomial(ranks, bytes);
    }
}
