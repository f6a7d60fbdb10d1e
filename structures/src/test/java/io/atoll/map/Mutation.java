package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.sim.Seeds;

/** A mistake that the seeds of the simulations must find. */
public final class Mutation {

    private static final String FOUND = "(?s)(not linearizable|torn|\\[two entries|\\[key="
            + "|.*(57005|after free|free already|no reserved run begins|offset=-240)).*";

    private Mutation() {}

    /**
     * Finds the mistake by what it does to the map's users. These are results that no order explains, torn values, and
     * an entry twice. A way into memory that was freed, and something freed twice, count too. A run that ends for
     * another reason has not found the mistake.
     */
    public static void assertIsFound(int seeds, Seeds.Trial trial) {
        int seed = Seeds.untilFailure(seeds, number -> {
            try {
                trial.run(number);
            } catch (AssertionError | IllegalArgumentException found) {
                if (!found.getMessage().matches(FOUND)) {
                    throw new IllegalStateException("another failure than the mistake's", found);
                }
                throw new AssertionError(found);
            }
        });
        assertThat(seed).isPositive();
    }
}
