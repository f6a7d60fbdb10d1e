package io.atoll.fabric.sim;

import static io.atoll.fabric.sim.SimOptions.NETWORK_CARD;
import static io.atoll.fabric.sim.SimOptions.SHARED_MEMORY;
import static io.atoll.fabric.sim.SimOptions.WEAKEST;
import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Guarantees;
import io.atoll.memory.LocalMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * The simulation finds known races. It tries small protocols, each in its right form and with the one mistake that is
 * known to break it.
 */
@Tag("simulation")
class KnownRacesTest {

    private static final int RIGHT = 2_000; // seeds that a right protocol passes
    private static final int WRONG = 300; // seeds within which a mistake shows

    static final List<Guarantees> EVERY_FABRIC = SimOptions.EVERY_FABRIC;

    // --- counters ---

    private record Add(long delta) {}

    private static final SequentialSpecification<Long, Add, Long> COUNTER = new SequentialSpecification<>() {
        @Override
        public Long initial() {
            return 0L;
        }

        @Override
        public Outcome<Long, Long> apply(Long count, Add add) {
            return new Outcome<>(count + add.delta, count);
        }
    };

    private static final long COUNT = 128;

    private interface Adder {
        long add(SimRank rank, long delta);
    }

    private static Seeds.Trial counting(Guarantees guarantees, Adder adder) {
        return seed -> {
            var simulation = new Simulation(seed,
                    SimOptions.ranks(3).guarantees(guarantees).pauses(0.01).kills(0.01, 2));
            var history = new History<Add, Long>(simulation);
            simulation.run(rank -> {
                for (int i = 0; i < 3; i++) {
                    history.call(new Add(1), () -> adder.add(rank, 1));
                }
            });
            Linearizability.check(history, COUNTER);
        };
    }

    private static long addInTwoSteps(SimRank rank, long delta) {
        long count = rank.fabric().readWord(0, COUNT);
        rank.fabric().writeWord(0, COUNT, count + delta);
        return count;
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void anIncrementOfReadAndWriteLosesCounts(Guarantees guarantees) {
        Seeds.each(RIGHT, counting(guarantees, (rank, delta) -> rank.fabric().getAndAdd(0, COUNT, delta)));
        assertThat(Seeds.untilFailure(WRONG, counting(guarantees, KnownRacesTest::addInTwoSteps))).isPositive();
    }

    @Test
    void anOwnerWhoCountsByTheCpuLosesCountsWhereAtomicsAreNotCoherent() {
        Adder byTheCpu = (rank, delta) -> rank.rank() == 0
                ? rank.fabric().local().getAndAdd(COUNT, delta)
                : rank.fabric().getAndAdd(0, COUNT, delta);
        Seeds.each(RIGHT, counting(SHARED_MEMORY, byTheCpu));
        Seeds.each(RIGHT, counting(NETWORK_CARD, (rank, delta) -> rank.endpoint().getAndAdd(0, COUNT, delta)));
        assertThat(Seeds.untilFailure(WRONG, counting(NETWORK_CARD, byTheCpu))).isPositive();
    }

    // --- a wide value, written by one rank and read by another ---

    private static final long STATE = 128; // version; its low bit names the live place
    private static final long[] PLACES = {192, 256};
    private static final int WORDS = 4;

    private interface Write {
        void write(SimRank rank, long value);
    }

    private interface Read {
        /** Returns the words of the value, or null to try again. */
        long[] read(SimRank rank);
    }

    /** Checks that the value is whole, and never older than a value that was read before. */
    private static Seeds.Trial wide(Guarantees guarantees, Write write, Read read) {
        return seed -> Simulation.run(seed, SimOptions.ranks(2).guarantees(guarantees).pauses(0.01).kills(0.01, 1),
                rank -> {
                    if (rank.rank() == 1) {
                        for (long value = 1; value <= 4; value++) {
                            write.write(rank, value);
                        }
                    } else {
                        long last = 0;
                        for (int i = 0; i < 6; i++) {
                            long[] value = read.read(rank);
                            if (value != null) {
                                assertThat(value).containsOnly(value[0]);
                                assertThat(value[0]).isGreaterThanOrEqualTo(last);
                                last = value[0];
                            }
                        }
                    }
                });
    }

    private static void writeInPlace(SimRank rank, long value) {
        writeAt(rank, PLACES[0], value);
    }

    private static void writeBeside(SimRank rank, long value) {
        writeAt(rank, PLACES[(int) (value & 1)], value);
        rank.fabric().writeWord(0, STATE, value);
        rank.fabric().flush(0);
    }

    private static void writeAt(SimRank rank, long place, long value) {
        Batch batch = rank.fabric().batch();
        for (int word = 0; word < WORDS; word++) {
            batch.setWord(8L * word, value);
        }
        batch.write(0, place, 0, 8L * WORDS);
        batch.complete();
    }

    private static long[] words(Batch batch, long position) {
        long[] words = new long[WORDS];
        for (int word = 0; word < WORDS; word++) {
            words[word] = batch.word(position + 8L * word);
        }
        return words;
    }

    private static long[] readInPlace(SimRank rank) {
        Batch batch = rank.fabric().batch();
        batch.read(0, PLACES[0], 0, 8L * WORDS);
        batch.complete();
        return words(batch, 0);
    }

    /** Reads state, value, state as one batch, which keeps its order only where reads do. */
    private static long[] readInOneBatch(SimRank rank) {
        Batch batch = rank.fabric().batch();
        batch.read(0, STATE, 0, 8);
        batch.read(0, PLACES[0], 64, 8L * WORDS);
        batch.read(0, PLACES[1], 128, 8L * WORDS);
        batch.read(0, STATE, 8, 8);
        batch.complete();
        return batch.word(0) == batch.word(8) ? words(batch, 64 + 64 * (batch.word(0) & 1)) : null;
    }

    private static long[] readOneAfterTheOther(SimRank rank) {
        long before = rank.fabric().readWord(0, STATE);
        Batch batch = rank.fabric().batch();
        batch.read(0, PLACES[(int) (before & 1)], 0, 8L * WORDS);
        batch.complete();
        return rank.fabric().readWord(0, STATE) == before ? words(batch, 0) : null;
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void aWideValueWrittenBesideAndSwitchedIsNeverTorn(Guarantees guarantees) {
        Seeds.each(RIGHT, wide(guarantees, KnownRacesTest::writeBeside, KnownRacesTest::readOneAfterTheOther));
    }

    @Test
    void aWideValueWrittenInPlaceIsTorn() {
        assertThat(Seeds.untilFailure(WRONG, wide(WEAKEST, KnownRacesTest::writeInPlace, KnownRacesTest::readInPlace)))
                .isPositive();
        Seeds.each(RIGHT, wide(NETWORK_CARD, KnownRacesTest::writeInPlace, KnownRacesTest::readInPlace));
    }

    @Test
    void stateValueStateInOneBatchNeedsReadsInOrder() {
        Seeds.each(RIGHT, wide(NETWORK_CARD, KnownRacesTest::writeBeside, KnownRacesTest::readInOneBatch));
        Seeds.each(RIGHT, wide(SHARED_MEMORY, KnownRacesTest::writeBeside, KnownRacesTest::readInOneBatch));
        assertThat(
                Seeds.untilFailure(WRONG, wide(WEAKEST, KnownRacesTest::writeBeside, KnownRacesTest::readInOneBatch)))
                .isPositive();
    }

    // --- a slot: payload, then stamp ---

    private static final long STAMP = 128;
    private static final long PAYLOAD = 192;

    private static Seeds.Trial slot(boolean stampFirst) {
        return seed -> Simulation.run(seed, SimOptions.ranks(2).guarantees(NETWORK_CARD), rank -> {
            if (rank.rank() == 1) {
                rank.fabric().writeWord(0, PAYLOAD, 77);
                rank.fabric().writeWord(0, STAMP, 1);
                return;
            }
            long payload = stampFirst ? 0 : rank.fabric().readWord(0, PAYLOAD);
            long stamp = rank.fabric().readWord(0, STAMP);
            if (stampFirst) {
                payload = rank.fabric().readWord(0, PAYLOAD);
            }
            if (stamp == 1) {
                assertThat(payload).isEqualTo(77);
            }
        });
    }

    @Test
    void aPopperReadsTheStampBeforeThePayload() {
        Seeds.each(RIGHT, slot(true));
        assertThat(Seeds.untilFailure(WRONG, slot(false))).isPositive();
    }

    // --- the same through mapped memory, which needs the fence that the fabric's order gives elsewhere ---

    private static Seeds.Trial mapped(boolean fences) {
        return seed -> Simulation.run(seed, SimOptions.ranks(2).guarantees(SHARED_MEMORY), rank -> {
            LocalMemory slot = Objects.requireNonNull(rank.endpoint().mapped(0));
            for (int i = 1; i <= 5; i++) {
                if (rank.rank() == 1) {
                    slot.setRelease(PAYLOAD, i);
                    slot.setRelease(STAMP, i);
                } else {
                    long stamp = slot.get(STAMP);
                    if (fences) {
                        slot.acquireFence();
                    }
                    assertThat(slot.get(PAYLOAD)).isGreaterThanOrEqualTo(stamp);
                }
            }
        });
    }

    @Test
    void plainLoadsOfStampAndPayloadNeedAFenceBetween() {
        Seeds.each(RIGHT, mapped(true));
        assertThat(Seeds.untilFailure(WRONG, mapped(false))).isPositive();
    }

    // --- a lock whose holder dies ---

    private static final long HOLDER = 128;
    private static final long VALUE = 192;
    private static final long COPY = 256;

    private interface Judge {
        boolean mayRepair(Simulation simulation);
    }

    /** Both words change together under the lock. A survivor makes them equal again and takes the lock over. */
    private static Seeds.Trial repair(Judge judge) {
        return seed -> Simulation.run(seed,
                SimOptions.ranks(2).guarantees(NETWORK_CARD).pauses(0.05).kills(0.1, 1).zombies(), rank -> {
                    long me = rank.rank() + 1L;
                    for (int i = 1; i <= 5; i++) {
                        while (true) {
                            long holder = rank.fabric().compareAndExchange(0, HOLDER, 0, me);
                            if (holder == 0) {
                                break;
                            }
                            if (holder == 2 && judge.mayRepair(rank.simulation())) {
                                rank.fabric().writeWord(0, COPY, rank.fabric().readWord(0, VALUE));
                                rank.fabric().compareAndExchange(0, HOLDER, 2, 0);
                            } else {
                                rank.fabric().clock().pause(0);
                            }
                        }
                        long value = rank.fabric().readWord(0, VALUE);
                        assertThat(rank.fabric().readWord(0, COPY)).isEqualTo(value);
                        rank.fabric().writeWord(0, VALUE, value + 1);
                        rank.fabric().writeWord(0, COPY, value + 1);
                        rank.fabric().compareAndExchange(0, HOLDER, me, 0);
                    }
                });
    }

    @Test
    void whatTheDeadLeftBehindIsRepairedAfterTheFenceOnly() {
        Seeds.each(RIGHT, repair(simulation -> simulation.isFenced(1, 1, 0)));
        assertThat(Seeds.untilFailure(WRONG, repair(simulation -> simulation.isDead(1, 1)))).isPositive();
    }

    // --- two threads that exclude each other by their flags (Peterson, Dekker) ---

    private static Seeds.Trial flags(boolean fences) {
        return seed -> {
            List<Integer> inside = new ArrayList<>();
            Simulation.run(seed, SimOptions.ranks(1).cpuOrder(CpuOrder.WEAK), rank -> rank.inParallel(2, thread -> {
                LocalMemory memory = rank.fabric().local();
                memory.setRelease(128 + 64L * thread, 1);
                if (fences) {
                    memory.fullFence();
                }
                if (memory.getAcquire(128 + 64L * (1 - thread)) == 0) {
                    inside.add(thread);
                }
            }));
            assertThat(inside).hasSizeLessThan(2);
        };
    }

    @Test
    void aFlagIsFollowedByAFenceBeforeTheOtherFlagIsRead() {
        Seeds.each(RIGHT, flags(true));
        assertThat(Seeds.untilFailure(WRONG, flags(false))).isPositive();
    }
}
