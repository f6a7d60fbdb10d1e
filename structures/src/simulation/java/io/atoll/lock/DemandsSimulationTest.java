package io.atoll.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.CpuOrder;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.SimRank;
import io.atoll.fabric.sim.Simulation;
import io.atoll.memory.LocalMemory;
import io.atoll.world.Participant;
import io.atoll.world.Participants;
import io.atoll.world.Reservations;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * A mailbox in which a rank makes one demand after the other, sometimes without a wait. Lock and token of two demands
 * are never mixed.
 */
@Tag("simulation")
class DemandsSimulationTest {

    static final List<Guarantees> EVERY_FABRIC = SimOptions.EVERY_FABRIC;

    private static final int SEEDS = 100;
    private static final int SEEDS_OF_MISTAKE = 2_000;
    private static final int HOLDER = 0;
    private static final int DEMANDS = 60;
    private static final int DEMANDS_IN_VAIN = 10;
    private static final int LOCKS = 4;
    private static final int FIRST_TOKEN = 100;
    private static final int DESCRIPTORS = 2;
    private static final long SEGMENT_BYTES = 192 << 10;
    private static final long TABLE = SEGMENT_BYTES - (8 << 10);
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final Duration IMPATIENCE = Duration.ofNanos(500);

    /**
     * Answers demands, every other one only at the second look. It behaves as if all locks were held, each by the only
     * token that a demand for it names.
     */
    private static class Checking extends Demands {

        private boolean isSecond;

        Checking(Descriptors descriptors, LongFunction<@Nullable Hold> held) {
            super(descriptors, held);
        }

        @Override
        protected boolean isMeant(Hold hold, long token) {
            assertThat(token).as("token that was demanded of lock %s", hold.index())
                    .isEqualTo(FIRST_TOKEN + hold.index());
            return true;
        }

        @Override
        protected boolean ends(Hold hold) {
            isSecond = !isSecond;
            return isSecond;
        }
    }

    private interface Answering {
        Demands open(Descriptors descriptors, LongFunction<@Nullable Hold> held);
    }

    private static final class Held extends Hold {

        Held(LocalMemory own, Descriptors descriptors, long index) {
            super(own, descriptors.named(Tail.descriptor(HOLDER, 1, 0)), 0, index, 1);
        }

        @Override
        public long token() {
            return FIRST_TOKEN + index();
        }

        @Override
        public int born() {
            return 1;
        }

        @Override
        public void count(Counter counter) {
            throw new AssertionError("no thread acquires it");
        }

        @Override
        public boolean release() {
            throw new AssertionError("no thread releases it");
        }

        @Override
        public boolean revoke(Duration patience) {
            throw new AssertionError("the demand is only checked");
        }

        @Override
        public boolean isLost() {
            return false;
        }
    }

    /** Returns how many demands were met. */
    private static int run(long seed, SimOptions options, Answering answering) {
        return run(seed, options, answering, Demander::new);
    }

    private static int run(long seed, SimOptions options, Answering answering,
            Function<Participant, Demander> demanding) {
        int[] met = {0};
        boolean[] isDone = {false};
        Simulation.Program program = rank -> {
            Participant self = participant(rank);
            if (rank.rank() == HOLDER) {
                Demands demands = demands(self, rank, answering);
                while (!isDone[0]) {
                    demands.meet();
                    self.reservations().retryAll();
                }
            } else {
                met[0] += demand(demanding.apply(self), mailboxes(self), rank);
                isDone[0] = true;
            }
        };
        new Simulation(seed, options).onDeath(program).run(program);
        return met[0];
    }

    private static Participant participant(SimRank rank) {
        return Participants.of(rank, TIMEOUT);
    }

    /** Returns where the mailboxes begin in the holder's segment. */
    private static long mailboxes(Participant self) {
        return TABLE + Descriptor.demands(self.maxSize(), DESCRIPTORS);
    }

    private static Demands demands(Participant self, SimRank rank, Answering answering) {
        var descriptors = QueueLocks.descriptors(self, TABLE, DESCRIPTORS);
        LocalMemory own = rank.fabric().local();
        return answering.open(descriptors, index -> new Held(own, descriptors, index));
    }

    private static int demand(Demander demander, long mailboxes, SimRank rank) {
        int met = 0;
        for (int number = 0; number < DEMANDS; number++) {
            int index = rank.random().nextInt(LOCKS);
            ForcedUnlock outcome = demander.demand(HOLDER, mailboxes, Descriptor.lock(1, index),
                    FIRST_TOKEN + index, IMPATIENCE);
            met += outcome == ForcedUnlock.DONE ? 1 : 0;
        }
        return met;
    }

    private static SimOptions options(Guarantees guarantees) {
        return SimOptions.ranks(2)
                .segmentBytes(SEGMENT_BYTES)
                .guarantees(guarantees)
                .cpuOrder(CpuOrder.WEAK)
                .pauses(0.02)
                .longestPause(Duration.ofNanos(20_000));
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void lockAndTokenAreThoseOfOneDemand(Guarantees guarantees) {
        int[] met = {0};
        Seeds.each(SEEDS, seed -> met[0] += run(seed, options(guarantees), Checking::new));
        Seeds.together(() -> assertThat(met[0]).as("demands that were met").isPositive());
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void lockAndTokenAreThoseOfOneDemandThoughConnectionsBreak(Guarantees guarantees) {
        int[] met = {0};
        Seeds.each(SEEDS, seed -> {
            met[0] += run(seed, options(guarantees).breaks(0.01, 10), Checking::new);
            met[0] += run(seed, options(guarantees).breaks(0.01, 10).cuts(), Checking::new);
        });
        Seeds.together(() -> assertThat(met[0]).as("demands that were met").isPositive());
    }

    private static SimOptions dying(Guarantees guarantees) {
        return options(guarantees).pauses(0.1).kills(0.01, 1);
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void lockAndTokenAreThoseOfOneDemandThoughWhoDemandsDies(Guarantees guarantees) {
        Seeds.each(SEEDS, seed -> run(seed, dying(guarantees), Checking::new));
    }

    /** Demands of a holder that never looks, so only the demander takes a demand back. */
    private static void demandInVain(long seed, SimOptions options, Function<Participant, Demander> demanding) {
        Simulation.run(seed, options, rank -> {
            if (rank.rank() == HOLDER) {
                return;
            }
            Participant self = participant(rank);
            Demander demander = demanding.apply(self);
            long mailbox = mailboxes(self) + rank.rank() * Demand.SIZE;
            for (int number = 0; number < DEMANDS_IN_VAIN; number++) {
                assertThat(demander.demand(HOLDER, mailboxes(self),
                        Descriptor.lock(1, 0), FIRST_TOKEN, IMPATIENCE)).isEqualTo(ForcedUnlock.HOLDER_SILENT);
                while (self.reservations().inDoubt() > 0) {
                    rank.endpoint().clock().pause(0);
                    self.reservations().retryAll();
                }
                assertThat(rank.persist(() -> rank.endpoint().readWord(HOLDER, mailbox + Demand.ASKED), () -> {}))
                        .as("what is asked when the demander has given up")
                        .isEqualTo(Demand.NOTHING);
            }
        });
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void whatNobodyHasAnsweredIsTakenBack(Guarantees guarantees) {
        Seeds.each(SEEDS, seed -> {
            demandInVain(seed, options(guarantees).breaks(0.05, 10), Demander::new);
            demandInVain(seed, options(guarantees).breaks(0.05, 10).cuts(), Demander::new);
        });
    }

    @Test
    void aDemanderThatLeavesWhatNobodyHasAnsweredIsFound() {
        assertThat(Seeds.untilFailure(SEEDS_OF_MISTAKE, seed -> demandInVain(seed,
                options(SimOptions.WEAKEST).breaks(0.05, 10), self -> new Demander(self) {
                    @Override
                    protected void takeBack(int hold, int holder, long demand, long asked) {
                        if (hold != Reservations.NOT_HELD) {
                            self.reservations().release(hold);
                        }
                    }
                }))).isPositive();
    }

    /** This demander tries once, which fails while the connection is broken. */
    @Test
    void aDemanderThatTakesADemandBackOnlyWhereItReachesTheHolderIsFound() {
        assertThat(Seeds.untilFailure(SEEDS_OF_MISTAKE, seed -> demandInVain(seed,
                options(SimOptions.WEAKEST).breaks(0.05, 10), self -> new Demander(self) {
                    @Override
                    protected void takeBack(int hold, int holder, long demand, long asked) {
                        try {
                            self.endpoint().compareAndExchange(holder, demand + Demand.ASKED, asked, Demand.NOTHING);
                        } finally {
                            if (hold != Reservations.NOT_HELD) {
                                self.reservations().release(hold);
                            }
                        }
                    }
                }))).isPositive();
    }

    @Test
    void whoDoesNotTakeBackWhatAProcessBeforeHasDemandedIsFound() {
        assertThat(Seeds.untilFailure(SEEDS_OF_MISTAKE,
                seed -> run(seed, dying(SimOptions.WEAKEST), Checking::new, self -> new Demander(self) {
                    @Override
                    protected void takeBack(Batch batch, int holder, long demand) {}
                }))).isPositive();
    }

    @Test
    void aHolderThatDoesNotReadTheNumberAgainIsFound() {
        assertThat(Seeds.untilFailure(SEEDS_OF_MISTAKE, seed -> run(seed, options(SimOptions.WEAKEST),
                (descriptors, held) -> new Checking(descriptors, held) {
                    @Override
                    protected boolean isStill(long demand, long asked) {
                        return true;
                    }
                }))).isPositive();
    }
}
