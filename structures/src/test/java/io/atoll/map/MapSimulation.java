package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.fabric.Backoff;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.History;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.SimRank;
import io.atoll.fabric.sim.Simulation;
import io.atoll.failure.FabricTimeoutException;
import io.atoll.failure.RankUnreachableException;
import io.atoll.map.MapOperation.Kind;
import io.atoll.world.Liveness;
import io.atoll.world.Participant;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * The tests that every map must pass. Ranks use the same few buckets, with pauses and deaths at any step, in every
 * interleaving that the seeds find.
 */
public abstract class MapSimulation {

    public static final List<Guarantees> EVERY_FABRIC = SimOptions.EVERY_FABRIC;

    /** Seeds for each fabric, without deaths and again with them. */
    public static final int SEEDS = 1_000;

    public static final List<Kind> REPLACING = List.of(Kind.FIND, Kind.PUT);

    public static final long KEY = MapWorld.KEYS.get(1);
    public static final long OTHER_KEY = MapWorld.KEYS.get(2);

    protected abstract List<Kind> kinds();

    /** Opens a map whose operations call {@code between} when they have reserved a bucket, before they write to it. */
    protected abstract MapClient open(Participant participant, Runnable between);

    private MapClient open(SimRank rank) {
        return open(MapWorld.participant(rank), () -> {});
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void everyOperationTakesEffectAtOnce(Guarantees guarantees) {
        Seeds.each(SEEDS, MapWorld.trial(MapWorld.pausing(guarantees), kinds(), MapWorld.KEYS, this::open));
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void deathsAtAnyStepLeaveNothingHalfDone(Guarantees guarantees) {
        Seeds.each(SEEDS, MapWorld.trial(MapWorld.dying(guarantees), kinds(), MapWorld.KEYS, this::open));
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void ofTwoWhoEachChangeAKeyAndThenLookForTheOthersOneSeesBothChanges(Guarantees guarantees) {
        Seeds.each(SEEDS, MapWorld.crossingTrial(MapWorld.pausing(guarantees), kinds(), this::open));
    }

    /** Fabrics on which a verb can fail without its caller knowing if it was executed. */
    public static final List<Guarantees> REMOTE_FABRICS = List.of(SimOptions.NETWORK_CARD, SimOptions.WEAKEST);

    @ParameterizedTest
    @FieldSource("REMOTE_FABRICS")
    void aConnectionThatBreaksAtAnyStepLeavesNothingReserved(Guarantees guarantees) {
        Seeds.each(SEEDS, MapWorld.breakingTrial(MapWorld.breaking(guarantees), 2, kinds(),
                self -> open(self, () -> {})));
    }

    @ParameterizedTest
    @FieldSource("REMOTE_FABRICS")
    void whoTakesAMissingAnswerForAFailureIsFound(Guarantees guarantees) {
        int seed = Seeds.untilFailure(SEEDS, MapWorld.breakingTrial(
                MapWorld.breaking(guarantees).claimsToExecuteAtOnce(), 2, kinds(), self -> open(self, () -> {})));
        assertThat(seed).isPositive();
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void aValueThatIsReplacedAllTheTimeIsReadWhole(Guarantees guarantees) {
        Seeds.each(SEEDS, MapWorld.trial(MapWorld.pausing(guarantees), REPLACING, List.of(KEY), this::open));
    }

    /** Nor does a value come before its time. A value that is not yet stored lies where the last but one did. */
    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void whoFindsAValueThatIsReplacedAllTheTimeNeverFindsAnOlderOneAfterwards(Guarantees guarantees) {
        Seeds.each(SEEDS, seed -> Simulation.run(seed, MapWorld.pausing(guarantees), rank -> {
            MapClient client = open(rank);
            long last = MapOperation.NONE;
            for (long step = 1; step <= 8; step++) {
                if (rank.rank() == 1) {
                    client.perform(MapOperation.put(KEY, step));
                } else {
                    long found = client.perform(MapOperation.find(KEY));
                    assertThat(found).isGreaterThanOrEqualTo(last);
                    last = found;
                }
            }
        }));
    }

    /**
     * Kills rank 1 instead of each of its steps in turn, until it survives all of them. Each of these runs is followed
     * by the other program.
     */
    private static void killBetweenAnyTwoSteps(Guarantees guarantees, Simulation.Program program,
            Simulation.Program afterwards) throws Exception {
        int step = 0;
        boolean dies = true;
        while (dies) {
            step++;
            dies = false;
            for (long seed = 1; seed <= 10; seed++) {
                var simulation = new Simulation(seed, MapWorld.options(guarantees).killAt(1, step));
                simulation.run(program);
                dies |= simulation.isDead(1, 1);
                afterwards.run(simulation.rank(2));
            }
        }
        assertThat(step).as("steps").isBetween(8, 500);
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void whatAnInserterLeavesBehindWhoDiesBetweenAnyTwoStepsIsRepaired(Guarantees guarantees) throws Exception {
        killBetweenAnyTwoSteps(guarantees, rank -> {
            MapClient client = open(rank);
            client.perform(MapOperation.insert(KEY, rank.rank()));
            client.perform(MapOperation.insert(OTHER_KEY, rank.rank()));
        }, rank -> {
            MapClient client = open(rank);
            for (long key : List.of(KEY, OTHER_KEY)) {
                assertThat(client.perform(MapOperation.find(key))).isBetween(0L, 2L);
                assertThat(client.perform(MapOperation.insert(key, 3))).isZero();
            }
        });
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void anUpdateThatIsCutShortBetweenAnyTwoStepsLeavesTheOldValueOrTheNew(Guarantees guarantees) throws Exception {
        var stored = new AtomicLong(MapOperation.NONE);
        killBetweenAnyTwoSteps(guarantees, rank -> {
            MapClient client = open(rank);
            if (rank.rank() == 1) {
                for (long value = 1; value <= 3; value++) {
                    client.perform(MapOperation.put(KEY, value));
                    stored.set(value);
                }
            } else {
                assertThat(client.perform(MapOperation.find(KEY))).isIn(MapOperation.NONE, 1L, 2L, 3L);
            }
        }, rank -> {
            MapClient client = open(rank);
            assertThat(client.perform(MapOperation.find(KEY))).isIn(stored.get(), Math.max(0, stored.get()) + 1);
            stored.set(MapOperation.NONE);
            client.perform(MapOperation.put(KEY, 100));
            assertThat(client.perform(MapOperation.find(KEY))).isEqualTo(100);
        });
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void whatFailsWhenItHasReservedItsBucketIsUndone(Guarantees guarantees) {
        Simulation.run(1, MapWorld.options(guarantees), rank -> {
            if (rank.rank() == 1) {
                MapClient failing = open(MapWorld.participant(rank), () -> {
                    throw new IllegalStateException("fails");
                });
                assertThatThrownBy(() -> failing.perform(MapOperation.insert(KEY, 1))).hasMessage("fails");
                assertThat(open(rank).perform(MapOperation.insert(KEY, 2))).isOne();
            }
        });
    }

    // --- standing still ---

    private static void await(SimRank rank, BooleanSupplier condition) {
        var backoff = new Backoff(rank.fabric().clock(), Backoff.UNBOUNDED);
        while (!condition.getAsBoolean()) {
            backoff.pause();
        }
    }

    private static void awaitMillis(SimRank rank, long millis) {
        long end = rank.fabric().clock().nanoTime() + Duration.ofMillis(millis).toNanos();
        await(rank, () -> rank.fabric().clock().nanoTime() >= end);
    }

    /** An inserter that has reserved its bucket and stands still until it is told to go on. */
    private final class Standing {

        final AtomicBoolean hasReserved = new AtomicBoolean();
        final AtomicBoolean mayGoOn = new AtomicBoolean();

        MapClient open(SimRank rank, Participant participant) {
            return MapSimulation.this.open(participant, () -> {
                hasReserved.set(true);
                await(rank, mayGoOn::get);
            });
        }
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void whoInsertsWaitsForAnotherWhoIsAtItAndWhoFindsDoesNot(Guarantees guarantees) {
        Seeds.each(50, seed -> {
            var standing = new Standing();
            Simulation.run(seed, MapWorld.options(guarantees), rank -> {
                if (rank.rank() == 1) {
                    assertThat(standing.open(rank, MapWorld.participant(rank)).perform(MapOperation.insert(KEY, 1)))
                            .isOne();
                    return;
                }
                MapClient client = open(rank);
                await(rank, standing.hasReserved::get);
                assertThat(client.perform(MapOperation.find(KEY))).isEqualTo(MapOperation.NONE);
                assertThat(client.perform(MapOperation.find(OTHER_KEY))).isEqualTo(MapOperation.NONE);
                if (rank.rank() == 2) {
                    awaitMillis(rank, 100);
                    standing.mayGoOn.set(true);
                }
                assertThat(client.perform(MapOperation.insert(KEY, 2))).isZero();
                assertThat(client.perform(MapOperation.find(KEY))).isOne();
            });
        });
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void whoStandsStillForTooLongIsNamedAndMayGoOnLater(Guarantees guarantees) {
        Seeds.each(50, seed -> {
            var standing = new Standing();
            var simulation = Simulation.run(seed, MapWorld.options(guarantees), rank -> {
                if (rank.rank() == 1) {
                    assertThat(standing.open(rank, MapWorld.participant(rank)).perform(MapOperation.insert(KEY, 1)))
                            .isOne();
                } else if (rank.rank() == 2) {
                    MapClient client = open(MapWorld.participant(rank, rank.simulation()::isFenced,
                            Duration.ofMillis(20)), () -> {});
                    await(rank, standing.hasReserved::get);
                    assertThatThrownBy(() -> client.perform(MapOperation.insert(KEY, 2)))
                            .isInstanceOf(FabricTimeoutException.class)
                            .hasMessageContaining("holder=1")
                            .hasMessageContaining("timeoutMillis=20");
                    standing.mayGoOn.set(true);
                }
            });
            MapClient client = open(simulation.rank(2));
            assertThat(client.perform(MapOperation.insert(KEY, 2))).isZero();
            assertThat(client.perform(MapOperation.find(KEY))).isOne();
        });
    }

    /**
     * Rank 1 is declared dead while it stands still in the middle of an insertion. Half of the time it goes on after
     * another rank has repaired what it left.
     */
    private Seeds.Trial zombie(Guarantees guarantees, Function<Simulation, Liveness> liveness) {
        return seed -> {
            var standing = new Standing();
            var simulation = new Simulation(seed, MapWorld.options(guarantees)
                    .longestPause(Duration.ofSeconds(2))
                    .killAt(1, 40)
                    .zombies());
            var history = new History<MapOperation, Long>(simulation);
            simulation.run(rank -> {
                if (rank.rank() == 1) {
                    MapWorld.perform(history, standing.open(rank, MapWorld.participant(rank)),
                            MapOperation.insert(KEY, 1));
                } else if (rank.rank() == 2) {
                    MapClient client = open(MapWorld.participant(rank, liveness.apply(rank.simulation()),
                            MapWorld.OPERATION_TIMEOUT), () -> {});
                    await(rank, standing.hasReserved::get);
                    MapWorld.perform(history, client, MapOperation.insert(OTHER_KEY, 2));
                    MapWorld.perform(history, client, MapOperation.insert(KEY, 2));
                    standing.mayGoOn.set(true);
                    awaitMillis(rank, 1);
                }
            });
            assertThat(simulation.isDead(1, 1)).isTrue();
            MapWorld.judge(history, open(simulation.rank(2)));
        };
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void theRepairedDoNotGoOn(Guarantees guarantees) {
        Seeds.each(SEEDS / 2, zombie(guarantees, simulation -> simulation::isFenced));
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void aRepairBeforeTheFenceIsFound(Guarantees guarantees) {
        Mutation.assertIsFound(SEEDS / 2,
                zombie(guarantees, simulation -> (rank, incarnation, segment) -> simulation.isDead(rank, incarnation)));
    }

    // --- an owner that goes away and comes back ---

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void whatALivingRankCannotFinishItUndoesWhenTheOwnerIsBack(Guarantees guarantees) {
        SimOptions options = MapWorld.options(guarantees).segmentsDieWithRanks().killAt(0, 30);
        var failures = new AtomicInteger();
        Seeds.each(50, seed -> {
            var standing = new Standing();
            var isBack = new AtomicBoolean();
            var simulation = new Simulation(seed, options);
            var history = new History<MapOperation, Long>(simulation);
            simulation.onDeath(owner -> isBack.set(true)).run(rank -> {
                if (rank.rank() == 0) {
                    await(rank, () -> false);
                } else if (rank.rank() == 1) {
                    Participant participant = MapWorld.participant(rank);
                    try {
                        MapWorld.perform(history, standing.open(rank, participant), MapOperation.insert(KEY, 1));
                    } catch (RankUnreachableException gone) {
                        failures.incrementAndGet();
                        await(rank, isBack::get);
                        participant.recover(0);
                    }
                } else {
                    await(rank, () -> standing.hasReserved.get() && simulation.isDead(0, 1));
                    standing.mayGoOn.set(true);
                    await(rank, isBack::get);
                    MapWorld.perform(history, open(rank), MapOperation.insert(KEY, 2));
                }
            });
            MapWorld.judge(history, open(simulation.rank(2)));
        });
        assertThat(failures).as("insertions that met a segment that was gone").hasPositiveValue();
    }
}
