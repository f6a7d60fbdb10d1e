package io.atoll.world;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.SimRank;
import io.atoll.fabric.sim.Simulation;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.Layouts;
import io.atoll.world.BarrierTrial.Maker;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** No rank leaves a barrier before all have entered it, whichever rank pauses, dies and comes back, at any step. */
@Tag("simulation")
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
        int failures = tryDeaths(300, false);
        Seeds.together(() -> assertThat(failures).isPositive());
    }

    @Test
    void nobodyCombinesWhatARankHasInAnotherSegmentThanTheOneThatItHasLost() {
        int[] losses = {0};
        for (Guarantees guarantees : SimOptions.EVERY_FABRIC) {
            Seeds.each(300, seed -> losses[0] += new BarrierTrial(seed,
                    deadly(3, guarantees, seed).pauses(0.05).losesMemory(), 3, true, true, Barrier::new).run(3)
                    .losses());
        }
        Seeds.together(() -> assertThat(losses[0]).as("segments that were lost").isPositive());
    }

    @Test
    void reductionsAfterADeathAreRightAgain() {
        int failures = tryDeaths(200, true);
        Seeds.together(() -> assertThat(failures).isPositive());
    }

    /**
     * One rank is interrupted at any step. The others that are in the reduction are told its name, and the next
     * reduction is one of all.
     */
    private static void leaveOnce(SimRank rank, Barrier barrier, long seed, boolean[] heard, int[] failures)
            throws InterruptedException {
        long[] values = new long[3 * Barrier.VALUES];
        Arrays.fill(values, 1);
        int[] calls = {0};
        int last = heard.length - 1;
        Thread own = Thread.currentThread();
        try {
            barrier.allReduce(values, (one, two) -> {
                if (rank.rank() == last && calls[0]++ == seed * 7 % (2 * Barrier.VALUES)) {
                    own.interrupt();
                }
                return one + two;
            });
            assertThat(values).containsOnly(heard.length);
        } catch (InterruptedException interrupted) {
            assertThat(rank.rank()).isEqualTo(last);
            failures[0]++;
        } catch (RankUnreachableException left) {
            assertThat(left.rank()).isEqualTo(last);
            assertThat(left).hasMessageContaining("has left");
            failures[0]++;
        }
        heard[rank.rank()] = true;
        // The next reduction tells a rank that had finished before. All others are not in one then.
        while (!IntStream.range(0, heard.length).allMatch(each -> heard[each])) {
            rank.fabric().clock().pause(8);
        }
        for (int round = 1; round <= 3; round++) {
            Arrays.fill(values, round);
            barrier.allReduce(values, Long::sum);
            assertThat(values).containsOnly((long) round * heard.length);
        }
    }

    private static int tryLeaving(long seed, SimOptions options, Maker maker) {
        int[] failures = {0};
        boolean[] heard = new boolean[3];
        var simulation = new Simulation(seed, options.segmentBytes(8 << 10));
        simulation.run(rank -> leaveOnce(rank,
                maker.make(rank.endpoint(), Layouts.CACHE_LINE, () -> new int[]{1, 1, 1},
                        new Waits(rank.fabric().clock())),
                seed, heard, failures));
        return failures[0];
    }

    @Test
    void aRankThatLeavesAReductionIsNamedToTheOthersAndTheNextIsOneOfAll() {
        int[] failures = {0};
        for (Guarantees guarantees : SimOptions.EVERY_FABRIC) {
            Seeds.each(60, seed -> failures[0] += tryLeaving(seed, options(3, guarantees), Barrier::new));
        }
        Seeds.together(() -> assertThat(failures[0]).isPositive());
    }

    // --- what must not go unnoticed ---

    @Test
    void leavingAReductionAndTellingNobodyIsFound() {
        assertThat(Seeds.untilFailure(50, seed -> tryLeaving(seed,
                options(3, SimOptions.NETWORK_CARD).maximumSteps(50_000),
                (endpoint, area, incarnations, waits) -> new Barrier(endpoint, area, incarnations, waits) {
                    @Override
                    void leave() {
                        // Tells no member.
                    }
                }))).isPositive();
    }

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
                // Flushes nothing.
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
    void goingOnWithTheNumbersOfAGenerationThatHasEndedIsFound() {
        assertIsFoundAfterDeaths(false,
                (endpoint, area, incarnations, waits) -> new Barrier(endpoint, area, incarnations, waits) {
                    @Override
                    long generationOf(int[] present) {
                        return 0;
                    }
                });
    }

    @Test
    void aGenerationWithoutABarrierOfItsOwnIsFound() {
        assertIsFoundAfterDeaths(true,
                (endpoint, area, incarnations, waits) -> new Barrier(endpoint, area, incarnations, waits) {
                    @Override
                    void open() {
                        // Waits for no member.
                    }
                });
    }
}
