package io.atoll.world;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.world.BarrierTrial.Maker;
import org.junit.jupiter.api.Test;

/** Nobody leaves a barrier before all have entered it, whoever pauses, dies and comes back, at any step. */
class BarrierSimulationTest {

    private static SimOptions options(int ranks, Guarantees guarantees) {
        return SimOptions.ranks(ranks).guarantees(guarantees).pauses(0.01).maximumSteps(1_000_000);
    }

    private static void tryAll(int seeds, boolean reducing) {
        for (Guarantees guarantees : SimOptions.EVERY_FABRIC) {
            for (int ranks : new int[]{1, 2, 3, 5}) {
                Seeds.each(seeds, seed -> assertThat(
                        new BarrierTrial(seed, options(ranks, guarantees), ranks, reducing, false,
                                Barrier::new).run(4).failures)
                        .isZero());
            }
        }
    }

    @Test
    void nobodyLeavesABarrierBeforeAllHaveEntered() {
        tryAll(300, false);
    }

    @Test
    void allHaveTheSameResultOfAReduction() {
        tryAll(200, true);
    }

    private static SimOptions deadly(int ranks, Guarantees guarantees, long seed) {
        return options(ranks, guarantees).killAt(ranks - 1, (int) (1 + seed % 150));
    }

    private static int tryDeaths(int seeds, boolean reducing) {
        int[] failures = {0};
        for (Guarantees guarantees : SimOptions.EVERY_FABRIC) {
            for (int ranks : new int[]{2, 3, 5}) {
                Seeds.each(seeds, seed -> {
                    SimOptions options = deadly(ranks, guarantees, seed);
                    failures[0] += new BarrierTrial(seed, options, ranks, reducing, true, Barrier::new).run(3).failures;
                    failures[0] += new BarrierTrial(seed, options.segmentsDieWithRanks(), ranks, reducing, true,
                            Barrier::new).run(3).failures;
                });
            }
        }
        return failures[0];
    }

    @Test
    void theDeathOfARankFailsTheBarrierOfTheOthersAndTheNextIsOneForAll() {
        assertThat(tryDeaths(300, false)).isPositive();
    }

    @Test
    void reductionsAfterADeathAreRightAgain() {
        assertThat(tryDeaths(200, true)).isPositive();
    }

    // --- what must not go unnoticed ---

    private static void assertIsFound(boolean reducing, Maker wrong) {
        assertThat(Seeds.untilFailure(1_000,
                seed -> new BarrierTrial(seed, options(3, SimOptions.NETWORK_CARD), 3, reducing, false, wrong).run(4)))
                .isPositive();
    }

    private static void assertIsFoundAfterDeaths(boolean reducing, Maker wrong) {
        assertThat(Seeds.untilFailure(3_000,
                seed -> new BarrierTrial(seed, deadly(3, SimOptions.NETWORK_CARD, seed), 3, reducing, true, wrong)
                        .run(3)))
                .isPositive();
    }

    @Test
    void tellingBeforeWhatWasWrittenHasArrivedIsFound() {
        assertIsFound(false, (endpoint, area, incarnations, waits) -> new Barrier(endpoint, area, incarnations, waits) {
            @Override
            void flushBeforeTelling() {
                // Nothing is.
            }
        });
    }

    @Test
    void oneRoomForTheContributionsOfAllReductionsIsFound() {
        assertIsFound(true, (endpoint, area, incarnations, waits) -> new Barrier(endpoint, area, incarnations, waits) {
            @Override
            long contributions(long number) {
                return super.contributions(0);
            }
        });
    }

    @Test
    void takingAnyNumberForTheOwnOneIsFound() {
        assertIsFound(false, (endpoint, area, incarnations, waits) -> new Barrier(endpoint, area, incarnations, waits) {
            @Override
            boolean isTold(long word, long number) {
                return word != 0;
            }
        });
    }

    @Test
    void goingOnWithTheNumbersOfAnEraThatHasEndedIsFound() {
        assertIsFoundAfterDeaths(false,
                (endpoint, area, incarnations, waits) -> new Barrier(endpoint, area, incarnations, waits) {
                    @Override
                    long eraOf(int[] present) {
                        return 0;
                    }
                });
    }

    @Test
    void anEraWithoutABarrierOfItsOwnIsFound() {
        assertIsFoundAfterDeaths(true,
                (endpoint, area, incarnations, waits) -> new Barrier(endpoint, area, incarnations, waits) {
                    @Override
                    void open() {
                        // Nobody waits.
                    }
                });
    }
}
