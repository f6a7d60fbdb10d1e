package io.atoll.fabric.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Fabric;
import io.atoll.failure.RankUnreachableException;
import io.atoll.world.Liveness;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The effects of a simulated rank's death, and the fate of the verbs that it has sent. */
@Tag("simulation")
class DeathTest {

    private static final long WORD = 128;
    private static final SimOptions TWO = SimOptions.ranks(2);

    @Test
    void aKilledRankDoesNothingMoreNotEvenInItsFinallyBlocks() {
        for (int step = 1; step <= 3; step++) {
            int taken = step - 1;
            var simulation = Simulation.run(step, TWO.guarantees(SimOptions.SHARED_MEMORY).killAt(1, step), rank -> {
                if (rank.rank() == 1) {
                    try {
                        rank.fabric().getAndAdd(0, WORD, 1);
                        rank.fabric().getAndAdd(0, WORD, 1);
                        rank.fabric().getAndAdd(0, WORD, 1);
                    } finally {
                        rank.fabric().getAndAdd(0, WORD, 100);
                    }
                }
            });
            assertThat(simulation.fabric(0).readWord(0, WORD)).isBetween(taken - 1L, (long) taken);
            assertThat(simulation.isDead(1, 1)).isTrue();
            assertThat(simulation.isDead(0, 1)).isFalse();
        }
    }

    @Test
    void noHandlerSurvivesTheDeathOfItsRank() {
        var simulation = Simulation.run(1, TWO.killAt(1, 2), rank -> {
            while (rank.rank() == 1) {
                try {
                    rank.fabric().getAndAdd(0, WORD, 1);
                } catch (RuntimeException notCaught) {
                    throw new AssertionError(notCaught);
                }
            }
        });
        assertThat(simulation.isDead(1, 1)).isTrue();
    }

    @Test
    void aPrefixOfWhatADeadRankHadSentArrives() {
        Set<Integer> arrived = new HashSet<>();
        Seeds.each(500, seed -> {
            var simulation = Simulation.run(seed, TWO.kills(0.2, 1), rank -> {
                for (int i = 0; i < 3 && rank.rank() == 1; i++) {
                    rank.fabric().writeWord(0, WORD + 8L * i, 1);
                }
            });
            int count = 0;
            for (int i = 0; i < 3; i++) {
                if (simulation.fabric(0).readWord(0, WORD + 8L * i) == 1) {
                    assertThat(i).as("no write without the one before it").isEqualTo(count++);
                }
            }
            arrived.add(count);
        });
        Seeds.together(() -> assertThat(arrived).containsExactlyInAnyOrder(0, 1, 2, 3));
    }

    private enum Found {
        NOTHING_BEFORE_DEATH_IS_DECLARED, SOMETHING_AFTER_IT, NOTHING_AFTER_THE_FENCE
    }

    /** Watches a word that rank 1 increments by writes, from its declared death on. */
    private static void watch(SimRank rank, Set<Found> found) {
        Simulation simulation = rank.simulation();
        while (!simulation.isDead(1, 1)) {
            rank.fabric().clock().pause(0);
        }
        long atDeath = rank.fabric().readWord(0, WORD);
        while (!simulation.isFenced(1, 1, 0)) {
            rank.fabric().clock().pause(0);
        }
        long atFence = rank.fabric().readWord(0, WORD);
        if (atFence != atDeath) {
            found.add(Found.SOMETHING_AFTER_IT);
        }
        for (int i = 0; i < 20; i++) {
            rank.fabric().clock().pause(i);
        }
        assertThat(rank.fabric().readWord(0, WORD)).as("after the fence").isEqualTo(atFence);
        found.add(Found.NOTHING_AFTER_THE_FENCE);
    }

    @Test
    void whatWasSentMayArriveBetweenTheDeclarationOfDeathAndTheFence() {
        for (var options : List.of(TWO.pauses(0.05).killAt(1, 30), TWO.killAt(1, 30).zombies())) {
            Set<Found> found = EnumSet.noneOf(Found.class);
            Seeds.each(300, seed -> Simulation.run(seed, options, rank -> {
                if (rank.rank() == 0) {
                    watch(rank, found);
                } else {
                    for (long i = 1;; i++) {
                        rank.fabric().writeWord(0, WORD, i);
                    }
                }
            }));
            Seeds.together(() -> assertThat(found).contains(Found.SOMETHING_AFTER_IT, Found.NOTHING_AFTER_THE_FENCE));
        }
    }

    @Test
    void aFenceByHandWorksAtOnce() {
        Seeds.each(300, seed -> Simulation.run(seed, TWO.pauses(0.05).killAt(1, 30).zombies(), rank -> {
            Simulation simulation = rank.simulation();
            if (rank.rank() == 1) {
                for (long i = 1;; i++) {
                    rank.fabric().writeWord(0, WORD, i);
                }
            }
            while (!simulation.isDead(1, 1)) {
                rank.fabric().clock().pause(0);
            }
            simulation.fence(1);
            Liveness liveness = simulation::isFenced;
            assertThat(liveness.isFenced(1, 1, 0)).isTrue();
            assertThat(liveness.isFenced(1, 1, 1)).isTrue();
            long atFence = rank.fabric().readWord(0, WORD);
            rank.fabric().clock().pause(10);
            assertThat(rank.fabric().readWord(0, WORD)).isEqualTo(atFence);
        }));
    }

    @Test
    void whoIsNotDeclaredDeadIsNotFenced() {
        var simulation = new Simulation(1, TWO);
        assertThatThrownBy(() -> simulation.fence(1)).isInstanceOf(IllegalStateException.class)
                .hasMessageEndingWith("rank=1");
        assertThat(simulation.isFenced(1, 1, 0)).isFalse();
    }

    @Test
    void aDeadRankStartsAgainWithItsDataUnderAHigherIncarnation() {
        Seeds.each(100, seed -> {
            var simulation = new Simulation(seed, TWO.killAt(1, 6).guarantees(SimOptions.SHARED_MEMORY));
            List<Integer> incarnations = new ArrayList<>();
            simulation.onDeath(rank -> {
                incarnations.add(rank.incarnation());
                assertThat(rank.rank()).isEqualTo(1);
                assertThat(rank.simulation().isFenced(1, 1, 0)).isTrue();
                assertThat(rank.simulation().isDead(1, 2)).isFalse();
                assertThat(rank.fabric().local().getAndAdd(WORD, 1)).isPositive();
            });
            simulation.run(rank -> {
                for (int i = 0; i < 5; i++) {
                    rank.fabric().getAndAdd(1, WORD, 1);
                }
            });
            assertThat(incarnations).containsExactly(2);
            assertThat(simulation.incarnation(1)).isEqualTo(2);
            assertThat(simulation.fabric(1).readWord(1, WORD)).isBetween(9L, 11L);
        });
    }

    private static boolean isRead(SimRank reader, int segment) {
        try {
            reader.fabric().readWord(segment, WORD);
            return true;
        } catch (RankUnreachableException unmapped) {
            assertThat(reader.fabric().mapped(segment)).isNull();
            return false;
        }
    }

    @Test
    void whatADeadRankLeavesIsReadUntilItIsUnmappedAndAgainWhenTheRankIsBack() {
        SimOptions options = TWO.killAt(1, 6).guarantees(SimOptions.SHARED_MEMORY).survivorsUnmapTheDead();
        Set<Boolean> unmapped = new HashSet<>(); // some ranks are back before it is unmapped
        Seeds.each(100, seed -> {
            var simulation = new Simulation(seed, options);
            simulation.onDeath(rank -> {
                assertThat(isRead(rank, 0)).isTrue();
                assertThat(isRead(rank, 1)).isTrue();
            });
            simulation.run(rank -> {
                boolean wasUnmapped = false;
                while (simulation.incarnation(1) == 1 || rank.rank() == 0 && !isRead(rank, 1)) {
                    boolean isUnmapped = rank.rank() == 0 && !isRead(rank, 1);
                    assertThat(isUnmapped && !simulation.isDead(1, 1)).isFalse();
                    wasUnmapped |= isUnmapped;
                    rank.fabric().clock().pause(0);
                }
                unmapped.add(wasUnmapped);
            });
        });
        Seeds.together(() -> assertThat(unmapped).containsExactlyInAnyOrder(true, false));
    }

    @Test
    void whatADeadRankLeavesThatStaysDeadIsReadByNobodyInTheEnd() {
        SimOptions options = TWO.killAt(1, 6).survivorsUnmapTheDead();
        Seeds.each(100, seed -> Simulation.run(seed, options, rank -> {
            if (rank.rank() == 0) {
                while (isRead(rank, 1)) {
                    rank.fabric().clock().pause(0);
                }
                rank.fabric().clock().pause(20);
                assertThat(isRead(rank, 1)).isFalse();
            } else {
                while (true) {
                    rank.fabric().clock().pause(0);
                }
            }
        }));
    }

    @Test
    void whatIsUnderWayToASegmentThatDiesFails() {
        for (boolean batches : new boolean[]{true, false}) {
            Seeds.each(200, seed -> Simulation.run(seed, TWO.killAt(1, 10).segmentsDieWithRanks(), rank -> {
                if (rank.rank() == 1) {
                    while (true) {
                        rank.fabric().clock().pause(0);
                    }
                }
                assertThatThrownBy(() -> {
                    while (true) {
                        writeAndWait(rank.fabric(), batches);
                    }
                }).isInstanceOfSatisfying(RankUnreachableException.class,
                        failure -> assertThat(failure.rank()).isEqualTo(1));
            }));
        }
    }

    private static void writeAndWait(Fabric fabric, boolean batches) {
        if (batches) {
            Batch batch = fabric.batch();
            batch.writeWord(1, WORD, 1);
            batch.getAndAdd(1, WORD, 1);
            batch.complete();
        } else {
            fabric.writeWord(1, WORD, 1);
            fabric.flush(1);
        }
    }

    /**
     * Rank 0 writes to rank 1, which dies with its memory. When that rank is back, it goes on as told.
     *
     * @param afterwards is told if the write was refused
     */
    private static void writeToOneThatComesBack(BiConsumer<SimRank, Boolean> afterwards) {
        Seeds.each(300, seed -> {
            var simulation = new Simulation(seed, TWO.pauses(0.1).killAt(1, 3).segmentsDieWithRanks());
            simulation.onDeath(rank -> rank.fabric().clock().pause(0)).run(rank -> {
                if (rank.rank() == 1) {
                    while (true) {
                        rank.fabric().clock().pause(0);
                    }
                }
                boolean refused = tells(() -> rank.fabric().writeWord(1, WORD, 1));
                while (rank.simulation().incarnation(1) == 1) {
                    rank.fabric().clock().pause(0);
                }
                afterwards.accept(rank, refused);
            });
        });
    }

    @Test
    void aFlushTellsOfWritesThatWereLostEvenWhenTheRankIsBack() {
        Set<Boolean> told = new HashSet<>();
        writeToOneThatComesBack((rank, refused) -> {
            boolean lost = refused || tells(() -> rank.fabric().flush(1));
            assertThat(rank.fabric().readWord(1, WORD)).isEqualTo(lost ? 0 : 1);
            told.add(!refused && lost);
        });
        Seeds.together(() -> assertThat(told).containsExactlyInAnyOrder(true, false));
    }

    @Test
    void anAtomicTellsOnceOfWritesThatWereLostEvenWhenTheRankIsBack() {
        Set<Boolean> told = new HashSet<>();
        writeToOneThatComesBack((rank, refused) -> {
            boolean lost = tells(() -> rank.fabric().getAndAdd(1, WORD + 8, 1));
            assertThat(rank.fabric().readWord(1, WORD)).isEqualTo(refused || lost ? 0 : 1);
            assertThat(refused && lost).as("told twice").isFalse();
            told.add(lost);
        });
        Seeds.together(() -> assertThat(told).containsExactlyInAnyOrder(true, false));
    }

    private static boolean tells(Runnable verb) {
        try {
            verb.run();
            return false;
        } catch (RankUnreachableException failure) {
            return true;
        }
    }

    @Test
    void aSegmentThatDiedIsUnreachableUntilItsRankIsBack() {
        Seeds.each(100, seed -> {
            var simulation = new Simulation(seed, TWO.killAt(1, 1).segmentsDieWithRanks());
            simulation.onDeath(rank -> rank.fabric().local().setVolatile(WORD, 7));
            simulation.run(rank -> {
                while (rank.rank() == 0 && !rank.simulation().isDead(1, 1)) {
                    rank.fabric().clock().pause(0);
                }
                if (rank.incarnation() == 1 && rank.simulation().incarnation(1) == 1) {
                    assertThatThrownBy(() -> rank.fabric().readWord(1, WORD))
                            .isInstanceOf(RankUnreachableException.class);
                }
            });
            assertThat(simulation.fabric(0).readWord(1, WORD)).isEqualTo(7);
        });
    }
}
