package io.atoll.epoch;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.sim.Seeds;

/** Asserts that an object which is freed too early does not go unnoticed. */
public final class UseAfterFree {

    private static final int SEEDS_AT_MOST = 3_000;

    private UseAfterFree() {}

    /** Asserts that a run ends because a thread uses a freed object. No other failure counts. */
    public static void assertIsFound(Seeds.Trial trial) {
        int seed = Seeds.untilFailure(SEEDS_AT_MOST, number -> {
            try {
                trial.run(number);
            } catch (AssertionError found) {
                if (!found.getMessage().contains("after free")) {
                    throw new IllegalStateException("another failure than the mistake's", found);
                }
                throw found;
            }
        });
        assertThat(seed).isPositive();
    }
}
