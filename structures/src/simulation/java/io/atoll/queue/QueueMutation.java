package io.atoll.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.sim.Seeds;

/** A mistake that the seeds of the simulations must find. */
final class QueueMutation {

    private static final String FOUND = "(?s)(not linearizable|torn|somebody waits for ever|.*does not go on"
            + "|.*announcements|.*is not sorted|.*in the ring that follows).*";

    private QueueMutation() {}

    /**
     * The mistake must show by what it does to the queue's users. These are results that no order explains, torn
     * elements, and waits that do not end. What is left announced, or in another order, counts too. A run that ends for
     * another reason does not count.
     */
    static void assertIsFound(int seeds, Seeds.Trial trial) {
        int seed = Seeds.untilFailure(seeds, number -> {
            try {
                trial.run(number);
            } catch (AssertionError found) {
                if (!found.getMessage().matches(FOUND)) {
                    throw new IllegalStateException("another failure than the mistake's", found);
                }
                throw found;
            }
        });
        assertThat(seed).isPositive();
    }
}
