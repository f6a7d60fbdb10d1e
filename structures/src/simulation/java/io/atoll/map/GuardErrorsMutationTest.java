package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.Patch;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The errors that strike operations find mistakes in what {@link BucketWriter} then knows of a guarded entry. */
@Tag("simulation")
class GuardErrorsMutationTest {

    private static final class Errors implements Runnable {

        @Override
        public void run() {
            for (GrowingMap map : GrowingMap.values()) {
                new MapErrorsSimulationTest().anErrorAtAnyAccessLeavesTheOldValueOrTheNew(map, SimOptions.NETWORK_CARD,
                        false);
                Seeds.all(MapErrorsSimulationTest.SEEDS,
                        new MapErrorsSimulationTest().severalThreads(map, SimOptions.NETWORK_CARD, false));
            }
        }
    }

    private static void assertIsFound(Patch mistake) {
        assertThatThrownBy(() -> mistake.run(Errors.class)).isInstanceOf(AssertionError.class);
    }

    @Test
    void anEntryThatCountsAsStoredThoughItsExchangeFailedIsFound() {
        assertIsFound(new Patch(BucketWriter.class)
                .replace("return batch.answered(guard) ? Undone.NOW : Undone.LATER;", "return undone;"));
    }

    @Test
    void anEntryThatCountsAsRefusedThoughItIsStoredIsFound() {
        assertIsFound(new Patch(BucketWriter.class)
                .replace("if (undone != Undone.BEFORE || batch.answered(guard) && batch.succeeded(guard)) {",
                        "if (undone != Undone.BEFORE) {"));
    }
}
