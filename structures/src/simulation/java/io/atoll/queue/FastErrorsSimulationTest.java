package io.atoll.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.Patch;
import io.atoll.codec.Codecs;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.SimRank;
import io.atoll.fabric.sim.Simulation;
import io.atoll.heap.HeapUsage;
import io.atoll.world.Handle;
import io.atoll.world.Participant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * An {@link Error} strikes any access to memory of an operation on a queue of phases. Its process lives on. An
 * operation that fails has done nothing, and leaves nothing behind.
 */
@Tag("simulation")
class FastErrorsSimulationTest {

    static final List<Guarantees> EVERY_FABRIC = RingSimulationTest.FABRICS;

    private static final int RANKS = 3;
    private static final int HOST = 0;
    private static final int MOST_ACCESSES = 300;
    private static final long CAPACITY = 4;
    private static final long SEGMENT_BYTES = 192 << 10;
    private static final long BLOCK = SEGMENT_BYTES - (8 << 10);
    private static final List<Long> BEFORE = List.of(10L, 11L);

    /**
     * The number of elements that have gone before. Because of it, the elements of a push lie around the ring's end.
     */
    private static final int GONE = 1;

    private enum Operation {

        PUSH {
            @Override
            void perform(FastQueue<Long> queue, List<Long> popped) {
                assertThat(queue.push(20L)).isTrue();
            }
        },
        PUSH_AROUND_THE_END {
            @Override
            void perform(FastQueue<Long> queue, List<Long> popped) {
                assertThat(queue.push(List.of(20L, 21L))).isTrue();
            }
        },
        POP {
            @Override
            void perform(FastQueue<Long> queue, List<Long> popped) {
                popped.add(queue.pop());
            }
        },
        POP_ALL {
            @Override
            void perform(FastQueue<Long> queue, List<Long> popped) {
                popped.addAll(queue.pop(3));
            }
        },
        LOCAL_POP {
            @Override
            void perform(FastQueue<Long> queue, List<Long> popped) {
                popped.add(queue.localPop());
            }
        },
        LOCAL_SKIP {
            @Override
            void perform(FastQueue<Long> queue, List<Long> popped) {
                queue.localSkip(1);
                popped.add(BEFORE.getFirst());
            }
        },
        MOVE {
            @Override
            void perform(FastQueue<Long> queue, List<Long> popped) {
                queue.migrate(2);
            }
        };

        abstract void perform(FastQueue<Long> queue, List<Long> popped);

        private boolean isOf(int user) {
            return user == HOST || this != LOCAL_POP && this != LOCAL_SKIP;
        }

        /** Returns what is in the queue when the operation has taken effect. */
        private List<Long> after() {
            return switch (this) {
                case PUSH -> List.of(10L, 11L, 20L);
                case PUSH_AROUND_THE_END -> List.of(10L, 11L, 20L, 21L);
                case POP, LOCAL_POP, LOCAL_SKIP -> List.of(11L);
                case POP_ALL -> List.of();
                case MOVE -> BEFORE;
            };
        }
    }

    private static Participant participant(SimRank rank) {
        return new Participant(rank.endpoint(), 1, rank.simulation()::isFenced, Duration.ofSeconds(1),
                () -> new int[RANKS]);
    }

    private static FastQueue<Long> open(Participant self) {
        var rings = new FastRings("queue", self, HOST, BLOCK, Long.BYTES, CAPACITY);
        return new FastQueue<>("queue", Codecs.forType(Long.class), new Handle<>(() -> rings));
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void anOperationThatAnErrorStrikesHasTakenEffectOrDoneNothing(Guarantees guarantees) {
        for (Operation operation : Operation.values()) {
            for (int user = 0; user < 2; user++) {
                if (operation.isOf(user)) {
                    strikeAtEachAccess(guarantees, operation, user, false);
                }
            }
        }
    }

    private static final class Pops implements Runnable {

        @Override
        public void run() {
            strikeAtEachAccess(SimOptions.NETWORK_CARD, Operation.POP, 1, false);
        }
    }

    @Test
    void anElementThatIsTakenBeforeItIsReadIsFound() {
        String read = "            batch.read(host, offset(ticket), 0, first * elementBytes);\n";
        String take = "            int exchange = batch.compareAndExchange(host, headWord, ticket, ticket + count);\n";
        Patch mistake = new Patch(FastRing.class).replace(take, "").replace(read, take + read);
        assertThatThrownBy(() -> mistake.run(Pops.class)).isInstanceOf(AssertionError.class);
    }

    /** After such an error the process reads the word that decides. */
    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void aMoveWhoseAnswerIsMissingFailsOnlyIfTheQueueHasNotMoved(Guarantees guarantees) {
        if (!guarantees.equals(SimOptions.SHARED_MEMORY)) {
            strikeAtEachAccess(guarantees, Operation.MOVE, 1, true);
        }
    }

    private static void strikeAtEachAccess(Guarantees guarantees, Operation operation, int user, boolean isAfter) {
        int access = 1;
        while (isStruck(guarantees, operation, user, access, isAfter)) {
            assertThat(++access).as("accesses of %s", operation).isLessThan(MOST_ACCESSES);
        }
        assertThat(access).as("accesses of %s", operation).isGreaterThan(1);
    }

    /** Returns true if the operation comes to that access. */
    private static boolean isStruck(Guarantees guarantees, Operation operation, int user, int access, boolean isAfter) {
        var options = SimOptions.ranks(RANKS).segmentBytes(SEGMENT_BYTES).guarantees(guarantees);
        var simulation = new Simulation(access, options);
        List<Long> popped = new ArrayList<>();
        boolean[] isStruck = new boolean[1];
        boolean[] hasReturned = new boolean[1];
        String what = operation + " of rank " + user + " struck " + (isAfter ? "after" : "at") + " access " + access;
        simulation.run(rank -> {
            if (rank.rank() == user) {
                Participant self = participant(rank);
                FastQueue<Long> queue = open(self);
                prepare(queue, operation, self);
                isStruck[0] = simulation.isStruckAt(access, isAfter, () -> {
                    operation.perform(queue, popped);
                    hasReturned[0] = true;
                });
                self.endpoint().flush(queue.host());
                assertThat(self.reservations().inDoubt()).as(what).isZero();
                if (operation == Operation.MOVE) {
                    assertThat(queue.host()).as(what).isEqualTo(hasReturned[0] ? 2 : 1);
                }
                if (!isAfter) {
                    requireThatNothingIsLost(self, operation == Operation.MOVE ? hasReturned[0] ? 2 : 1 : 0, what);
                }
            }
        });
        simulation.run(rank -> {
            if (rank.rank() == 2) {
                FastQueue<Long> queue = open(participant(rank));
                assertThat(queue.pop((int) CAPACITY)).as(what).isEqualTo(hasReturned[0] ? operation.after() : BEFORE);
                assertThat(queue.push(List.of(30L, 31L, 32L, 33L))).as(what).isTrue();
                rank.endpoint().flush(queue.host());
                assertThat(queue.pop((int) CAPACITY)).as(what).containsExactly(30L, 31L, 32L, 33L);
            }
        });
        if (hasReturned[0]) {
            assertThat(popped).as(what).isEqualTo(BEFORE.subList(0, popped.size()));
        }
        return isStruck[0];
    }

    private static void prepare(FastQueue<Long> queue, Operation operation, Participant self) {
        for (int element = 0; element < GONE; element++) {
            queue.push(9L);
            queue.pop();
        }
        if (operation == Operation.MOVE) {
            queue.migrate(1);
        }
        BEFORE.forEach(queue::push);
        self.endpoint().flush(queue.host());
    }

    /** Checks that, of the rings that a queue has moved to, the last has elements, and all have headers. */
    private static void requireThatNothingIsLost(Participant self, int moves, String what) {
        int owned = 0;
        long headers = 0;
        for (int rank = 0; rank < RANKS; rank++) {
            HeapUsage usage = self.heap().usage(rank);
            assertThat(usage.pendingRuns()).as("%s rank=%d: runs that are pending", what, rank).isZero();
            owned += usage.ownedRuns();
            headers += usage.objects();
        }
        assertThat(owned).as("%s: runs", what).isEqualTo(Math.min(moves, 1));
        assertThat(headers).as("%s: headers", what).isEqualTo(moves);
    }
}
