package io.atoll.world;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.Patch;
import io.atoll.fabric.Endpoint;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.heap.Heap;
import io.atoll.world.DirectoryTrial.Maker;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Several ranks open structures at once, with equal and unequal configurations, whichever of them pauses or dies, at
 * any step.
 */
@Tag("simulation")
class DirectorySimulationTest {

    private static final int ROOMY = 10; // slabs: enough for all names
    private static final int ROOMY_FOR_TABLES = 14; // and for tables that they do not share
    private static final int TIGHT = 4; // too few
    private static final int FEW_FOR_TABLES = 8; // a table is full, and there is hardly room for another one

    private static SimOptions options(Guarantees guarantees) {
        return DirectoryTrial.options().guarantees(guarantees).pauses(0.01);
    }

    @Test
    void whoeverOpensAStructureGetsTheSameBlocks() {
        int[] successes = {0};
        int[] refusals = {0};
        for (Guarantees guarantees : SimOptions.EVERY_FABRIC) {
            Seeds.each(500, seed -> {
                var trial = new DirectoryTrial(seed, options(guarantees), ROOMY, false, Directory::new).run(1, 3);
                successes[0] += trial.successes;
                refusals[0] += trial.refusals;
            });
        }
        Seeds.together(() -> assertThat(successes[0]).isPositive());
        Seeds.together(() -> assertThat(refusals[0]).isPositive());
    }

    private static SimOptions longPauses(Guarantees guarantees) {
        return options(guarantees).longestPause(Duration.ofMillis(300));
    }

    @Test
    void aRankThatIsPausedForLongIsWaitedFor() {
        for (Guarantees guarantees : SimOptions.EVERY_FABRIC) {
            Seeds.each(300, seed -> new DirectoryTrial(seed, longPauses(guarantees), TIGHT, false, Directory::new)
                    .run(1, 2));
        }
    }

    @Test
    void threadsOfOneRankOpenStructuresLikeThoseOfSeveral() {
        for (Guarantees guarantees : SimOptions.EVERY_FABRIC) {
            Seeds.each(200,
                    seed -> new DirectoryTrial(seed, options(guarantees).kills(0.001, 1, 2), ROOMY, true,
                            Directory::new).run(2, 2));
        }
    }

    @Test
    void aSegmentThatIsTooSmallIsLeftAsItWas() {
        int[] shortages = {0};
        for (Guarantees guarantees : SimOptions.EVERY_FABRIC) {
            Seeds.each(300, seed -> shortages[0] += new DirectoryTrial(seed, options(guarantees), TIGHT, false,
                    Directory::new).run(1, 3).shortages);
            Seeds.each(300, seed -> shortages[0] += new DirectoryTrial(seed, options(guarantees).kills(0.002, 1, 2),
                    TIGHT, false, Directory::new).run(1, 3).shortages);
        }
        Seeds.together(() -> assertThat(shortages[0]).isPositive());
    }

    @Test
    void afterADeathAnyoneCanOpenTheStructureAndNothingIsLost() {
        for (Guarantees guarantees : SimOptions.EVERY_FABRIC) {
            Seeds.each(400, seed -> new DirectoryTrial(seed, options(guarantees).kills(0.003, 1, 2), ROOMY, false,
                    Directory::new).run(1, 2));
            Seeds.each(200, seed -> new DirectoryTrial(seed, options(guarantees).kills(0.003, 1, 2).zombies(), ROOMY,
                    false, Directory::new).run(1, 2));
        }
    }

    @Test
    void aDeathBetweenAnyTwoStepsOfACreationIsRepaired() {
        for (Guarantees guarantees : SimOptions.EVERY_FABRIC) {
            for (int step = 1; step <= 200; step++) {
                int fatal = step;
                Seeds.each(2, seed -> new DirectoryTrial(seed, options(guarantees).killAt(1, fatal), TIGHT, false,
                        Directory::new).run(1, 2));
            }
        }
    }

    @Test
    void tablesThatGoOnInOthersAreMadeOnceAndRepaired() {
        for (Guarantees guarantees : SimOptions.EVERY_FABRIC) {
            Seeds.each(200, seed -> new DirectoryTrial(seed, options(guarantees), ROOMY_FOR_TABLES, false,
                    Directory::new).ofSmallTables().run(1, 3));
            Seeds.each(200, seed -> new DirectoryTrial(seed, options(guarantees).kills(0.003, 1, 2), ROOMY_FOR_TABLES,
                    true, Directory::new).ofSmallTables().run(1, 3));
            for (int step = 1; step <= 300; step++) {
                int fatal = step;
                Seeds.each(1, seed -> new DirectoryTrial(seed, options(guarantees).killAt(1, fatal), ROOMY_FOR_TABLES,
                        false, Directory::new).ofSmallTables().run(1, 2));
            }
        }
    }

    private static DirectoryTrial ofShortTables(long seed, SimOptions options) {
        int slabs = FEW_FOR_TABLES + (int) (seed % 4);
        return new DirectoryTrial(seed, options, slabs, true, Directory::new).ofTablesOfTwoSlabs().run(1, 4);
    }

    @Test
    void aTableIsShorterWhereThereIsNoRoomForAnother() {
        int[] shortTables = {0};
        for (Guarantees guarantees : SimOptions.EVERY_FABRIC) {
            Seeds.each(200, seed -> shortTables[0] += ofShortTables(seed, options(guarantees)).shortTables);
            Seeds.each(200, seed -> shortTables[0] += ofShortTables(seed,
                    options(guarantees).kills(0.003, 1, 2)).shortTables);
        }
        assertThat(shortTables[0]).isGreaterThan(10);
    }

    private static final class WithShortTables implements Runnable {

        @Override
        public void run() {
            assertThat(Seeds.untilFailure(SEEDS, seed -> ofShortTables(seed, options(SimOptions.NETWORK_CARD))))
                    .isPositive();
        }
    }

    @Test
    void aTableThatIsReadAsIfItHadTheLengthOfOthersIsFound() {
        new Patch(KnownEntries.class).replace("(int) (structure.bytes() / DirectoryEntry.SIZE)", "7")
                .run(WithShortTables.class);
    }

    /**
     * A table is a block of a ready entry, too. If the repair leaves it out, it is given back while structures are
     * still named in it.
     */
    @Test
    void aRepairThatForgetsTablesIsFound() {
        assertThat(Seeds.untilFailure(SEEDS, seed -> new DirectoryTrial(seed, deadly(), ROOMY_FOR_TABLES, false,
                (endpoint, heap, liveness, reservations, area, entries, incarnation) -> new Directory(endpoint, heap,
                        liveness, reservations, area, entries, incarnation) {
                    @Override
                    void commitReady(int rank) {
                        structures(rank).stream()
                                .filter(structure -> structure.offset() != 0)
                                .forEach(structure -> heap.commit(rank, structure.offset()));
                    }
                }).ofSmallTables().run(2, 2))).isPositive();
    }

    @Test
    void aRankThatComesBackFindsItsStructures() {
        int[] burials = {0};
        for (Guarantees guarantees : SimOptions.EVERY_FABRIC) {
            Seeds.each(300, seed -> burials[0] += new DirectoryTrial(seed, options(guarantees).kills(0.003, 1, 2),
                    ROOMY, true, Directory::new).run(1, 2).burials);
        }
        Seeds.together(() -> assertThat(burials[0]).as("the others have taken back what it had left in their segments")
                .isPositive());
    }

    @Test
    void whatLivingRanksHadUnderWayInASegmentThatWentAwayIsUndoneWhenItIsBack() {
        for (Guarantees guarantees : SimOptions.EVERY_FABRIC) {
            Seeds.each(400, seed -> goingAway(seed, guarantees, Directory::new).run(1, 2));
        }
    }

    private static DirectoryTrial goingAway(long seed, Guarantees guarantees, Maker maker) {
        SimOptions options = options(guarantees).killAt(2, (int) (seed % 100)).segmentsDieWithRanks();
        return new DirectoryTrial(seed, options, ROOMY, true, maker).segmentsGoAway();
    }

    private static final List<Guarantees> NETWORKS = List.of(SimOptions.NETWORK_CARD, SimOptions.WEAKEST);

    /**
     * No rank tries again later: a rank that waited for something that was not given back would wait to the end of its
     * time.
     */
    @Test
    void whoseConnectionBreaksGivesBackAtOnceWhatItHadReserved() {
        for (Guarantees guarantees : NETWORKS) {
            Seeds.each(400, seed -> breaking(seed, guarantees, 1).neverRetries().run(1, 2));
        }
    }

    @Test
    void whatIsNotGivenBackAtOnceSinceConnectionsBreakAgainIsGivenBackLater() {
        for (Guarantees guarantees : NETWORKS) {
            Seeds.each(400, seed -> breaking(seed, guarantees, 8).run(1, 2));
        }
    }

    private static DirectoryTrial breaking(long seed, Guarantees guarantees, int most) {
        return new DirectoryTrial(seed, options(guarantees).breaks(0.02, most), ROOMY, false, Directory::new)
                .connectionsBreak();
    }

    // --- what must not go unnoticed ---

    private static final int SEEDS = 400;

    private static SimOptions deadly() {
        return options(SimOptions.NETWORK_CARD).kills(0.004, 1, 2);
    }

    private static void assertIsFound(SimOptions options, int slabs, Maker wrong) {
        assertThat(Seeds.untilFailure(SEEDS, seed -> new DirectoryTrial(seed, options, slabs, false, wrong).run(2, 2)))
                .isPositive();
    }

    /** Makes a directory whose creations are wrong. */
    private static Maker creating(CreationMaker wrong) {
        return (endpoint, heap, liveness, reservations, area, entries, incarnation) -> new Directory(endpoint, heap,
                liveness, reservations, area, entries, incarnation) {
            @Override
            Creation creation(Endpoint of, Heap from, int rank, long entry, long reservation) {
                return wrong.make(of, from, rank, entry, reservation);
            }
        };
    }

    private interface CreationMaker {
        Creation make(Endpoint endpoint, Heap heap, int rank, long entry, long reservation);
    }

    @Test
    void anEntryThatIsReadyBeforeItIsWrittenIsFound() {
        assertIsFound(options(SimOptions.NETWORK_CARD), ROOMY,
                creating((endpoint, heap, rank, entry, reservation) -> new Creation(endpoint, heap, rank, entry,
                        reservation) {
                    @Override
                    void describe(String name, String configuration, long bytes, long births) {
                        makeReady();
                        super.describe(name, configuration, bytes, births);
                    }
                }));
    }

    @Test
    void aBlockThatIsCommittedBeforeItsEntryIsReadyIsFound() {
        assertIsFound(deadly(), ROOMY,
                creating((endpoint, heap, rank, entry, reservation) -> new Creation(endpoint, heap, rank, entry,
                        reservation) {
                    @Override
                    void publish() {
                        commit();
                        makeReady();
                    }
                }));
    }

    @Test
    void aCreationThatIsGivenUpAndNotUndoneIsFound() {
        assertIsFound(options(SimOptions.NETWORK_CARD), TIGHT,
                creating((endpoint, heap, rank, entry, reservation) -> new Creation(endpoint, heap, rank, entry,
                        reservation) {
                    @Override
                    void undo() {
                        // Undoes nothing.
                    }
                }));
    }

    @Test
    void anEntryThatIsFreedBeforeItsBlockIsFound() {
        Maker wrong = creating((endpoint, heap, rank, entry, reservation) -> new Creation(endpoint, heap, rank, entry,
                reservation) {
            @Override
            void undo() {
                freeEntry();
                freeBlock();
            }
        });
        // The moment is short, in a rare operation: the rank is killed at every step in turn.
        assertThat(Seeds.untilFailure(3_000, seed -> new DirectoryTrial(seed,
                options(SimOptions.NETWORK_CARD).killAt(1, (int) (20 + seed % 200)), TIGHT, false, wrong).run(1, 3)))
                .isPositive();
    }

    @Test
    void aRepairThatDoesNotCommitWhatIsReadyIsFound() {
        assertIsFound(deadly(), ROOMY, (endpoint, heap, liveness, reservations, area, entries,
                incarnation) -> new Directory(endpoint, heap, liveness, reservations, area, entries, incarnation) {
                    @Override
                    void commitReady(int rank) {
                        // Commits nothing.
                    }
                });
    }

    @Test
    void aRepairThatFreesTheEntryAndNotItsBlockIsFound() {
        assertIsFound(deadly(), ROOMY, (endpoint, heap, liveness, reservations, area, entries,
                incarnation) -> new Directory(endpoint, heap, liveness, reservations, area, entries, incarnation) {
                    @Override
                    void repair(int rank, long entry, long reservation) {
                        endpoint.compareAndExchange(rank, entry + DirectoryEntry.STATE, reservation,
                                DirectoryEntry.FREE);
                    }
                });
    }

    @Test
    void anotherConfigurationThatIsNotRefusedIsFound() {
        assertIsFound(options(SimOptions.NETWORK_CARD), ROOMY, (endpoint, heap, liveness, reservations, area, entries,
                incarnation) -> new Directory(endpoint, heap, liveness, reservations, area, entries, incarnation) {
                    @Override
                    void refuseIfDifferent(NamedStructure existing, String configuration) {
                        // Refuses no configuration.
                    }
                });
    }

    @Test
    void theRepairOfWhatALivingRankHasUnderWayIsFound() {
        Liveness nobodyLives = (rank, incarnation, segment) -> true;
        assertThat(Seeds.untilFailure(SEEDS, seed -> new DirectoryTrial(seed, longPauses(SimOptions.NETWORK_CARD),
                ROOMY, false, Directory::new, nobodyLives).run(2, 2))).isPositive();
    }

    @Test
    void aRankThatNeverUndoesWhatItHadToLeaveIsFound() {
        assertThat(Seeds.untilFailure(SEEDS, seed -> goingAway(seed, SimOptions.NETWORK_CARD, Directory::new)
                .neverRetries()
                .run(1, 2))).isPositive();
        assertThat(Seeds.untilFailure(SEEDS,
                seed -> breaking(seed, SimOptions.NETWORK_CARD, 8).neverRetries().run(1, 2))).isPositive();
    }
}
