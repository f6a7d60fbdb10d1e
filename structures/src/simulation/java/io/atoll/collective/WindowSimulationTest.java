package io.atoll.collective;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.collective.BroadcastTrial.Maker;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.failure.RankUnreachableException;
import io.atoll.world.Participant;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * All members broadcast at once. Each broadcast that is complete is complete everywhere. Ranks may pause, die and come
 * back at any step.
 */
@Tag("simulation")
class WindowSimulationTest {

    private static final Optional<Algorithm> TREE = Optional.of(Algorithm.BINOMIAL);
    private static final Optional<Algorithm> LINEAR = Optional.of(Algorithm.LINEAR);

    private static SimOptions options(int ranks, Guarantees guarantees) {
        return SimOptions.ranks(ranks).guarantees(guarantees).pauses(0.005).maximumSteps(500_000);
    }

    private static void tryAll(int seeds, int windows, Optional<Algorithm> algorithm) {
        for (Guarantees guarantees : SimOptions.EVERY_FABRIC) {
            for (int ranks : new int[]{1, 2, 3, 5}) {
                Seeds.each(seeds, seed -> new BroadcastTrial(seed, options(ranks, guarantees), ranks, Team.all(ranks),
                        windows, 2, algorithm, Window::new).run());
            }
        }
    }

    @Test
    void aCompleteBroadcastIsWholeAtAllMembersWhateverOthersSend() {
        tryAll(30, 1, TREE);
    }

    @Test
    void windowsDoNotDisturbEachOther() {
        tryAll(10, 2, TREE);
    }

    @Test
    void theLinearAlgorithmKeepsTheSamePromises() {
        tryAll(20, 1, LINEAR);
    }

    private static SimOptions deadly(int ranks, Guarantees guarantees, long seed) {
        return options(ranks, guarantees).killAt(ranks - 1, (int) (1 + seed * 7 % 600));
    }

    private static int tryDeaths(int seeds, Optional<Algorithm> algorithm) {
        int[] failures = {0};
        for (Guarantees guarantees : SimOptions.EVERY_FABRIC) {
            for (int ranks : new int[]{2, 3, 4}) {
                Seeds.each(seeds, seed -> {
                    SimOptions options = deadly(ranks, guarantees, seed);
                    for (SimOptions each : new SimOptions[]{options, options.segmentsDieWithRanks(),
                        options.zombies()}) {
                        failures[0] += new BroadcastTrial(seed, each, ranks, Team.all(ranks), 1, 2, algorithm,
                                Window::new).run().failures;
                    }
                });
            }
        }
        return failures[0];
    }

    @Test
    void theDeathOfAMemberEndsWhatIsUnderWayAndTheNextBroadcastIsWhole() {
        int failures = tryDeaths(12, TREE);
        Seeds.together(() -> assertThat(failures).isPositive());
    }

    @Test
    void theNextBroadcastIsWholeAlsoWhereTheMemberHasLostItsMemory() {
        int[] losses = {0};
        for (Guarantees guarantees : SimOptions.EVERY_FABRIC) {
            for (Optional<Algorithm> algorithm : List.of(TREE, LINEAR)) {
                Seeds.each(25, seed -> losses[0] += new BroadcastTrial(seed,
                        deadly(3, guarantees, seed).losesMemory(), 3, Team.all(3), 1, 2, algorithm, Window::new).run()
                        .losses());
            }
        }
        Seeds.together(() -> assertThat(losses[0]).as("segments that were lost").isPositive());
    }

    @Test
    void theLinearAlgorithmSurvivesDeathsLikewise() {
        int failures = tryDeaths(5, LINEAR);
        Seeds.together(() -> assertThat(failures).isPositive());
    }

    @Test
    void aMemberOfATeamMayBeAnyRankInAnyOrder() {
        Seeds.each(20, seed -> new BroadcastTrial(seed, options(5, SimOptions.NETWORK_CARD), 5, Team.of(4, 1, 3), 1, 2,
                TREE, Window::new).run());
    }

    private static void tryBreaks(int seeds, int ranks, Guarantees guarantees, Optional<Algorithm> algorithm,
            Maker maker) {
        Seeds.each(seeds, seed -> breaking(seed, ranks, guarantees, algorithm, maker));
    }

    private static void breaking(long seed, int ranks, Guarantees guarantees, Optional<Algorithm> algorithm,
            Maker maker) {
        new BroadcastTrial(seed, options(ranks, guarantees).breaks(0.005, 8), ranks, Team.all(ranks), 1, 3, algorithm,
                maker).breaking().run();
    }

    private static void breakingAlmostAlways(long seed, int ranks, Maker maker) {
        new BroadcastTrial(seed,
                options(ranks, SimOptions.NETWORK_CARD).breaks(0.1, 400).pauses(0.05).maximumSteps(3_000_000), ranks,
                Team.all(ranks), 1, 4, TREE, maker).breaking().run();
    }

    private static void breakingOften(long seed, Maker maker) {
        new BroadcastTrial(seed, options(5, SimOptions.NETWORK_CARD).breaks(0.04, 60).pauses(0.02), 5, Team.all(5), 1,
                4, TREE, maker).breaking().run();
    }

    @Test
    void brokenConnectionsDelayBroadcastsAndNothingElse() {
        for (Guarantees guarantees : SimOptions.EVERY_FABRIC) {
            tryBreaks(15, 3, guarantees, TREE, Window::new);
            tryBreaks(5, 5, guarantees, TREE, Window::new);
            tryBreaks(5, 3, guarantees, LINEAR, Window::new);
        }
        Seeds.each(10, seed -> breakingOften(seed, Window::new));
        Seeds.each(5, seed -> breakingAlmostAlways(seed, 8, Window::new));
    }

    // --- what must not go unnoticed ---

    private static void assertIsFound(Maker wrong) {
        assertThat(Seeds.untilFailure(500, seed -> new BroadcastTrial(seed, options(4, SimOptions.NETWORK_CARD), 4,
                Team.all(4), 1, 3, TREE, wrong).run())).isPositive();
    }

    /** An operation that is late in one generation meets the next generation only if many ranks pause, and for long. */
    private static void assertIsFoundAfterDeaths(Maker wrong) {
        assertThat(Seeds.untilFailure(1_000, seed -> new BroadcastTrial(seed,
                deadly(4, SimOptions.NETWORK_CARD, seed).pauses(0.1).longestPause(Duration.ofMillis(40)), 4,
                Team.all(4), 1, 3, TREE, wrong).run())).isPositive();
    }

    @Test
    void theFlagBeforeTheDataIsFound() {
        assertIsFound((self, team, block, blocks, piece) -> new Window(self, team, block, blocks, piece) {
            @Override
            void request(Batch batch, ForwardRequest forwardRequest, int rank, long child, long line, long flag) {
                batch.writeWord(rank, child + line + ForwardRequest.FLAG, flag);
                super.request(batch, forwardRequest, rank, child, line, flag);
            }
        });
    }

    @Test
    void aSlotThatIsUsedAgainTooEarlyIsFound() {
        assertIsFound((self, team, block, blocks, piece) -> new Window(self, team, block, blocks, piece) {
            @Override
            boolean hasRoom(TreeEdge treeEdge) {
                return true;
            }
        });
    }

    @Test
    void countingAMemberThatHasNotGotAllIsFound() {
        assertIsFound((self, team, block, blocks, piece) -> new Window(self, team, block, blocks, piece) {
            @Override
            boolean isCounted(ForwardRequest forwardRequest) {
                return !forwardRequest.last() && forwardRequest.place() % (5 * Long.BYTES) == 0;
            }
        });
    }

    @Test
    void countingAgainWhatMayHaveBeenCountedIsFound() {
        assertThat(Seeds.untilFailure(300, seed -> breakingAlmostAlways(seed, 6,
                (self, team, block, blocks, piece) -> new Window(self, team, block, blocks, piece) {
                    @Override
                    void count(int root, long counter) {
                        try {
                            super.count(root, counter);
                        } catch (RankUnreachableException lostAnswer) {
                            super.count(root, counter);
                        }
                    }
                }))).isPositive();
    }

    @Test
    void sendingSomethingElseWhereARequestMayHaveArrivedIsFound() {
        assertThat(Seeds.untilFailure(50, seed -> breakingAlmostAlways(seed, 8,
                (self, team, block, blocks, piece) -> new Window(self, team, block, blocks, piece) {
                    @Override
                    boolean isFreeFor(ForwardRequest forwardRequest) {
                        return true;
                    }
                }))).isPositive();
    }

    @Test
    void takingWhatBelongsToAnotherGenerationIsFound() {
        assertIsFoundAfterDeaths((self, team, block, blocks, piece) -> new Window(self, team, block, blocks, piece) {
            @Override
            Regrouping assembly(Participant member, Team members, long[] tables) {
                return new Regrouping(member, members, tables) {
                    @Override
                    protected Generation next(int[] incarnations) {
                        return new Generation(members, 7, members.select(incarnations));
                    }
                };
            }
        });
    }

    @Test
    void beginningBeforeAllHaveEnteredTheGenerationIsFound() {
        assertIsFoundAfterDeaths((self, team, block, blocks, piece) -> new Window(self, team, block, blocks, piece) {
            @Override
            Regrouping assembly(Participant member, Team members, long[] tables) {
                return new Regrouping(member, members, tables) {
                    @Override
                    public boolean haveAllEntered() {
                        return true;
                    }
                };
            }
        });
    }
}
