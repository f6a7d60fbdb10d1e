package io.atoll.fabric.sim;

import static io.atoll.fabric.sim.SimOptions.NETWORK_CARD;
import static io.atoll.fabric.sim.SimOptions.SHARED_MEMORY;
import static io.atoll.fabric.sim.SimOptions.WEAKEST;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.fabric.Backoff;
import io.atoll.fabric.Clock;
import io.atoll.fabric.sim.Simulation.Program;
import io.atoll.memory.LocalMemory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("simulation")
class SimulationTest {

    private static final long WORD = 128;

    private static final SimOptions EVERYTHING = SimOptions.ranks(3).pauses(0.02).kills(0.01, 1, 2).zombies();

    private static final Program BUSY = rank -> rank.inParallel(2, thread -> {
        for (int i = 0; i < 10; i++) {
            rank.fabric().getAndAdd(i % 3, WORD, 1);
            rank.fabric().writeWord((i + 1) % 3, WORD + 8L * rank.rank(), i);
            rank.fabric().local().setRelease(256, rank.random().nextInt(100));
            rank.fabric().clock().pause(rank.random().nextInt(4));
        }
    });

    private static String report(long seed, SimOptions options) {
        return new Simulation(seed, options).onDeath(BUSY).run(BUSY).report();
    }

    @Test
    void theSameSeedGivesTheSameRun() {
        Seeds.each(100, seed -> assertThat(report(seed, EVERYTHING)).isEqualTo(report(seed, EVERYTHING)));
    }

    @Test
    void anotherSeedGivesAnotherRun() {
        assertThat(report(1, EVERYTHING)).isNotEqualTo(report(2, EVERYTHING));
    }

    // --- the run ---

    @Test
    void whatAProgramThrowsFailsTheRunAndIsTold() {
        assertThatThrownBy(() -> Simulation.run(1, SimOptions.ranks(2), rank -> {
            rank.fabric().writeWord(1, WORD, 77);
            rank.fabric().flush(1);
            assertThat(rank.rank()).isNotEqualTo(1);
        })).isInstanceOf(AssertionError.class)
                .hasMessageContaining("write 1+128: 77")
                .hasMessageContaining("rank 1")
                .hasRootCauseInstanceOf(AssertionError.class);
    }

    @Test
    void whoeverWaitsForEverFailsTheRunAndIsNamed() {
        assertThatThrownBy(() -> Simulation.run(1, SimOptions.ranks(2).maximumSteps(1_000), rank -> {
            while (rank.fabric().readWord(0, WORD) == 0) {
                rank.fabric().clock().pause(0);
            }
        })).isInstanceOf(AssertionError.class)
                .hasMessageContaining("somebody waits for ever")
                .hasMessageContaining("at " + SimulationTest.class.getName());
    }

    @Test
    void aThreadThatBlocksOutsideOfTheSimulationFailsTheRunAndIsNamed() {
        var neverReleased = new Semaphore(0);
        var options = SimOptions.ranks(2).longestSilence(Duration.ofMillis(100));
        assertThatThrownBy(() -> Simulation.run(1, options, rank -> neverReleased.acquire()))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("without taking steps")
                .hasMessageContaining("at " + SimulationTest.class.getName());
        neverReleased.release(2);
    }

    @Test
    void aThreadThatIsNotSimulatedIsRefused() {
        assertThatThrownBy(() -> Simulation.run(1, SimOptions.ranks(1), rank -> {
            try {
                CompletableFuture.runAsync(() -> rank.fabric().readWord(0, WORD)).join();
            } catch (CompletionException refusal) {
                throw (RuntimeException) refusal.getCause();
            }
        })).hasRootCauseInstanceOf(IllegalStateException.class)
                .hasMessageContaining("not a thread of the simulation");
    }

    @Test
    void aWorldRunsSeveralTimes() {
        var simulation = new Simulation(1, SimOptions.ranks(2));
        simulation.fabric(0).writeWord(1, WORD, 5);
        simulation.run(rank -> rank.fabric().getAndAdd(1, WORD, 1));
        simulation.run(rank -> rank.fabric().getAndAdd(1, WORD, 10));
        assertThat(simulation.fabric(0).readWord(1, WORD)).isEqualTo(27);
    }

    @Test
    void threadsOfARankShareItsFabric() {
        Seeds.each(50, seed -> {
            var simulation = Simulation.run(seed, SimOptions.ranks(2), rank -> {
                List<Integer> ended = new ArrayList<>();
                rank.inParallel(3, thread -> {
                    rank.fabric().writeWord(1 - rank.rank(), WORD + 8L * thread, thread + 1);
                    ended.add(thread);
                });
                assertThat(ended).containsExactlyInAnyOrder(0, 1, 2);
                rank.fabric().flush(1 - rank.rank());
                for (int thread = 0; thread < 3; thread++) {
                    assertThat(rank.fabric().readWord(1 - rank.rank(), WORD + 8L * thread)).isEqualTo(thread + 1);
                }
            });
            assertThat(simulation.steps()).isGreaterThan(12);
        });
    }

    // --- time ---

    @Test
    void timePassesWithStepsAndPauses() {
        Simulation.run(1, SimOptions.ranks(1), rank -> {
            Clock clock = rank.fabric().clock();
            long begin = clock.nanoTime();
            rank.fabric().local().getAcquire(WORD);
            long afterAStep = clock.nanoTime();
            clock.pause(10);
            assertThat(afterAStep - begin).isBetween(1_000L, 10_000L);
            assertThat(clock.nanoTime() - afterAStep).isGreaterThanOrEqualTo(1_000_000);
        });
    }

    @Test
    void aTimeoutIsReachedHoweverLongItIs() {
        Seeds.each(20, seed -> Simulation.run(seed, SimOptions.ranks(2), rank -> {
            var backoff = new Backoff(rank.fabric().clock(), Duration.ofSeconds(5));
            long begin = rank.fabric().clock().nanoTime();
            while (backoff.pause()) {
                assertThat(rank.fabric().readWord(0, WORD)).isZero();
            }
            assertThat(rank.fabric().clock().nanoTime() - begin).isGreaterThanOrEqualTo(5_000_000_000L);
        }));
    }

    // --- what a fabric may do ---

    /** Returns how many of 300 runs end with the outcome. */
    private static int runsThat(SimOptions options, Program program, Outcome outcome) {
        int count = 0;
        for (long seed = 1; seed <= 300; seed++) {
            var simulation = new Simulation(seed, options);
            simulation.run(program);
            count += outcome.isIn(simulation) ? 1 : 0;
        }
        return count;
    }

    private interface Outcome {
        boolean isIn(Simulation simulation);
    }

    private static Outcome word(long offset, long value) {
        return simulation -> simulation.fabric(0).readWord(0, offset) == value;
    }

    @Test
    void aWriteMayArriveAfterItsCallButNotAfterItsFlush() {
        int late = lateWrites(false);
        Seeds.together(() -> assertThat(late).isPositive());
        assertThat(lateWrites(true)).isZero();
    }

    private static int lateWrites(boolean flushes) {
        List<Long> found = new ArrayList<>();
        Seeds.each(100, seed -> Simulation.run(seed, SimOptions.ranks(2), rank -> {
            if (rank.rank() == 1) {
                rank.fabric().writeWord(0, WORD, 1);
                if (flushes) {
                    rank.fabric().flush(0);
                }
                found.add(rank.simulation().segment(0).get(WORD));
            }
        }));
        return Collections.frequency(found, 0L);
    }

    private static int tornReads(SimOptions options) {
        return runsThat(options, rank -> {
            var batch = rank.fabric().batch();
            if (rank.rank() == 1) {
                batch.setWord(0, 7);
                batch.setWord(8, 7);
                batch.write(0, WORD, 0, 16);
                batch.complete();
            } else {
                batch.read(0, WORD, 0, 16);
                batch.complete();
                if (batch.word(0) != batch.word(8)) {
                    rank.fabric().writeWord(0, WORD + 64, 1);
                }
            }
        }, word(WORD + 64, 1));
    }

    @Test
    void aReadIsWholeWithinTheDeclaredWidthOnly() {
        int torn = tornReads(SimOptions.ranks(2).guarantees(WEAKEST));
        Seeds.together(() -> assertThat(torn).isPositive());
        assertThat(tornReads(SimOptions.ranks(2).guarantees(NETWORK_CARD))).isZero();
    }

    private static int overtakingReads(SimOptions options) {
        return runsThat(options, rank -> {
            if (rank.rank() == 1) {
                rank.fabric().writeWord(0, WORD, 7);
                rank.fabric().writeWord(0, WORD + 64, 7);
            } else {
                var batch = rank.fabric().batch();
                batch.read(0, WORD + 64, 0, 8);
                batch.read(0, WORD, 8, 8);
                batch.complete();
                if (batch.word(0) == 7 && batch.word(8) == 0) {
                    rank.fabric().writeWord(0, WORD + 128, 1);
                }
            }
        }, word(WORD + 128, 1));
    }

    @Test
    void readsOfABatchOvertakeEachOtherUnlessDeclaredOtherwise() {
        assertThat(overtakingReads(SimOptions.ranks(2).guarantees(WEAKEST))).isPositive();
        assertThat(overtakingReads(SimOptions.ranks(2).guarantees(NETWORK_CARD))).isZero();
    }

    @Test
    void aStoreOfTheCpuIsOvertakenByLoadsUnlessAFenceStandsBetween() {
        for (boolean fences : new boolean[]{false, true}) {
            var seen = new long[2];
            int both = runsThat(SimOptions.ranks(1).cpuOrder(CpuOrder.WEAK), rank -> rank.inParallel(2, thread -> {
                var memory = rank.fabric().local();
                memory.setRelease(WORD + 64L * thread, 1);
                if (fences) {
                    memory.fullFence();
                }
                seen[thread] = memory.getAcquire(WORD + 64L * (1 - thread));
            }), simulation -> seen[0] == 0 && seen[1] == 0);
            if (fences) {
                assertThat(both).isZero();
            } else {
                assertThat(both).isPositive();
            }
        }
    }

    @Test
    void aThreadSeesItsOwnStores() {
        for (var guarantees : SimOptions.EVERY_FABRIC) {
            Seeds.each(200, seed -> Simulation.run(seed, SimOptions.ranks(1).guarantees(guarantees), rank -> {
                for (int i = 1; i < 10; i++) {
                    rank.fabric().local().setRelease(WORD, i);
                    assertThat(rank.fabric().local().get(WORD)).isEqualTo(i);
                    assertThat(rank.fabric().local().getAcquire(WORD)).isEqualTo(i);
                    assertThat(rank.fabric().readWord(0, WORD)).isEqualTo(i);
                }
            }));
        }
    }

    private interface TwoLoads {
        /** Loads the flag, then the payload. */
        long[] load(LocalMemory memory);
    }

    private static int flagsWithoutPayload(SimOptions options, TwoLoads loads) {
        return runsThat(options, rank -> {
            if (rank.rank() == 0) {
                rank.fabric().writeWord(1, WORD, 1);
                rank.fabric().writeWord(1, WORD + 64, 1);
            }
            for (int i = 0; i < 10 && rank.rank() == 1; i++) {
                long[] loaded = loads.load(rank.fabric().local());
                if (loaded[0] == 1 && loaded[1] == 0) {
                    rank.fabric().writeWord(0, WORD + 128, 1);
                }
            }
        }, word(WORD + 128, 1));
    }

    @Test
    void plainLoadsTakeEffectInAnyOrderUnlessAFenceStandsBetween() {
        SimOptions weak = SimOptions.ranks(2).guarantees(SHARED_MEMORY);
        TwoLoads plain = memory -> new long[]{memory.get(WORD + 64), memory.get(WORD)};
        TwoLoads fenced = memory -> {
            long flag = memory.get(WORD + 64);
            memory.acquireFence();
            return new long[]{flag, memory.get(WORD)};
        };
        TwoLoads acquiring = memory -> new long[]{memory.getAcquire(WORD + 64), memory.get(WORD)};

        assertThat(flagsWithoutPayload(weak, plain)).isPositive();
        assertThat(flagsWithoutPayload(weak, fenced)).isZero();
        assertThat(flagsWithoutPayload(weak, acquiring)).isZero();
        assertThat(flagsWithoutPayload(weak.cpuOrder(CpuOrder.PROGRAM), plain)).isZero();
    }

    @Test
    void anAcquiringLoadMayGoPastPlainOnesBeforeIt() {
        TwoLoads late = memory -> new long[]{memory.get(WORD + 64), memory.getAcquire(WORD)};
        assertThat(flagsWithoutPayload(SimOptions.ranks(2).guarantees(SHARED_MEMORY), late)).isPositive();
    }

    @Test
    void loadsOfOneWordNeverGoBack() {
        Seeds.each(500, seed -> Simulation.run(seed, SimOptions.ranks(2).guarantees(SHARED_MEMORY), rank -> {
            long last = 0;
            for (int i = 1; i <= 10; i++) {
                if (rank.rank() == 0) {
                    rank.fabric().writeWord(1, WORD, i);
                } else {
                    long now = i % 3 == 0 ? rank.fabric().local().getAcquire(WORD) : rank.fabric().local().get(WORD);
                    assertThat(now).isGreaterThanOrEqualTo(last);
                    last = now;
                }
            }
        }));
    }

    @Test
    void whereVerbsAreTheCpusAReadOvertakesAWrite() {
        for (var guarantees : SimOptions.EVERY_FABRIC) {
            var seen = new long[2];
            int both = runsThat(SimOptions.ranks(2).guarantees(guarantees), rank -> {
                rank.fabric().writeWord(0, WORD + 64L * rank.rank(), 1);
                seen[rank.rank()] = rank.fabric().readWord(0, WORD + 64L * (1 - rank.rank()));
            }, simulation -> seen[0] == 0 && seen[1] == 0);
            assertThat(both > 0).isEqualTo(guarantees.coherentWithCpu());
        }
    }

    @Test
    void whatTheCpuStoredIsThereBeforeALaterWriteOfTheFabric() {
        assertThat(runsThat(SimOptions.ranks(2).guarantees(SHARED_MEMORY), rank -> {
            if (rank.rank() == 1) {
                rank.fabric().local().setRelease(WORD, 1);
                rank.fabric().writeWord(0, WORD, 1);
            } else if (rank.fabric().readWord(0, WORD) == 1 && rank.fabric().readWord(1, WORD) == 0) {
                rank.fabric().writeWord(0, WORD + 8, 1);
            }
        }, word(WORD + 8, 1))).isZero();
    }

    private static int lostBeside(SimOptions options, Program other, long sum) {
        return runsThat(options, rank -> {
            if (rank.rank() == 0) {
                other.run(rank);
            } else {
                rank.fabric().getAndAdd(0, WORD, 1);
            }
        }, simulation -> simulation.fabric(0).readWord(0, WORD) < sum);
    }

    @Test
    void anAtomicOfTheFabricSwallowsWhatTheCpuWritesUnlessTheyAreCoherent() {
        Program store = rank -> rank.fabric().local().setVolatile(WORD, 100);
        Program add = rank -> rank.fabric().local().getAndAdd(WORD, 100);
        var cards = SimOptions.ranks(2).guarantees(NETWORK_CARD);
        var coherent = SimOptions.ranks(2).guarantees(SHARED_MEMORY);

        assertThat(lostBeside(cards, store, 100)).isPositive();
        assertThat(lostBeside(coherent, store, 100)).isZero();
        assertThat(lostBeside(cards, add, 101)).isPositive();
        assertThat(lostBeside(coherent, add, 101)).isZero();
    }

    @Test
    void anAtomicOfTheFabricSwallowsAPlainWriteUnlessTheyAreCoherent() {
        Program write = rank -> rank.fabric().writeWord(0, WORD, 100);

        assertThat(lostBeside(SimOptions.ranks(2).guarantees(NETWORK_CARD), write, 100)).isPositive();
        assertThat(lostBeside(SimOptions.ranks(2).guarantees(SHARED_MEMORY), write, 100)).isZero();
    }

    @Test
    void atomicsOfTheFabricSwallowNothingOfEachOther() {
        for (var guarantees : SimOptions.EVERY_FABRIC) {
            assertThat(lostBeside(SimOptions.ranks(3).guarantees(guarantees).pauses(0.05),
                    rank -> rank.fabric().getAndAdd(0, WORD, 1), 3)).isZero();
        }
    }
}
