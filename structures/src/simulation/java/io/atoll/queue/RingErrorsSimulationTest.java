package io.atoll.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.codec.Codec;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import io.atoll.queue.QueueOperation.Kind;
import io.atoll.queue.QueueWorld.Use;
import io.atoll.world.Participant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * An {@link Error} strikes any access to memory of an operation on a queue. Its process lives on, so no other rank
 * repairs what it leaves. It must leave nothing.
 */
@Tag("simulation")
class RingErrorsSimulationTest {

    private static final int SEEDS = 40;
    private static final int MOST_ACCESSES = 300;
    private static final List<Long> BEFORE = List.of(10L);

    private static final List<QueueOperation> OPERATIONS = List.of(QueueOperation.push(20L),
            QueueOperation.push(20L, 21L), QueueOperation.pop(1), QueueOperation.pop(2), QueueOperation.move(2, 4));

    @ParameterizedTest
    @MethodSource("io.atoll.queue.RingSimulationTest#everyFabric")
    void anErrorAtAnyAccessLeavesNoDeadTicketAndLosesNoElement(Guarantees guarantees, Codec<Long> codec) {
        for (boolean isAfter : new boolean[]{false, true}) {
            for (QueueOperation operation : OPERATIONS) {
                for (int user = 0; user < 2; user++) {
                    int access = 1;
                    while ((!isAfter || canStrikeAfter(guarantees))
                            && new Strike(guarantees, codec, user, operation, isAfter).isAt(access)) {
                        assertThat(++access).as("accesses of " + operation).isLessThan(MOST_ACCESSES);
                    }
                }
            }
        }
    }

    /** Returns true if a verb may have been executed, though an error has struck. */
    private static boolean canStrikeAfter(Guarantees guarantees) {
        return !guarantees.equals(SimOptions.SHARED_MEMORY);
    }

    /** An error that strikes one access of an operation, on a queue that already has elements. */
    private record Strike(Guarantees guarantees, Codec<Long> codec, int user, QueueOperation operation,
            boolean isAfter) {

        /** Returns true if the operation comes to that access. */
        boolean isAt(int access) {
            var simulation = new Simulation(access, QueueWorld.options(guarantees));
            var result = new AtomicReference<@Nullable List<Long>>();
            boolean[] isStruck = new boolean[1];
            List<Long> popped = new ArrayList<>();
            String what = operation + " of rank " + user + " at access " + access + (isAfter ? ", after it" : "");
            simulation.run(rank -> {
                if (rank.rank() == user) {
                    var self = QueueWorld.participant(rank, simulation::isFenced);
                    RingQueue queue = QueueWorld.open(self, codec, QueueWorld.RIGHT);
                    BEFORE.forEach(queue::push);
                    isStruck[0] = simulation.isStruckAt(access, isAfter,
                            () -> result.set(QueueWorld.perform(queue, operation)));
                    if (operation.kind() == Kind.POP && result.get() != null) {
                        popped.addAll(result.get());
                    }
                    assertThat(self.reservations().inDoubt()).as(what).isZero();
                    popped.addAll(queue.pop(1));
                    assertThat(queue.push(50L)).as(what).isTrue();
                }
            });
            assertThat(QueueWorld.announced(simulation, user)).as(what).isEmpty();
            simulation.run(rank -> {
                if (rank.rank() == 2) {
                    RingQueue queue = QueueWorld.open(rank, codec);
                    for (Long element = queue.pop(); element != null; element = queue.pop()) {
                        popped.add(element);
                    }
                    check(popped, result.get(), what);
                    assertThat(queue.push(List.of(100L, 101L, 102L))).as(what).isTrue();
                    assertThat(queue.pop(QueueWorld.CAPACITY)).as(what).containsExactly(100L, 101L, 102L);
                }
            });
            return isStruck[0];
        }

        private void check(List<Long> popped, @Nullable List<Long> result, String what) {
            List<Long> all = new ArrayList<>(BEFORE);
            all.addAll(operation.elements());
            all.add(50L);
            assertThat(popped).as(what).isSorted().doesNotHaveDuplicates().isSubsetOf(all).contains(50L);
            boolean mayLose = isAfter && operation.kind() == Kind.POP && result == null;
            if (!mayLose) {
                assertThat(popped).as(what).containsAll(BEFORE);
            }
            if (operation.kind() == Kind.PUSH && Objects.equals(result, QueueOperation.PUSHED)) {
                assertThat(popped).as(what).containsAll(operation.elements());
            }
        }
    }

    /** The queue has moved before, so the move frees slots, too. */
    @ParameterizedTest
    @FieldSource("io.atoll.queue.RingSimulationTest#FABRICS")
    void aMoveThatAnErrorStrikesLosesNoMemoryAndFailsOnlyIfTheQueueHasNotMoved(Guarantees guarantees) {
        for (boolean isAfter : new boolean[]{false, true}) {
            for (int access = 1; (!isAfter || canStrikeAfter(guarantees))
                    && isMoveStruck(guarantees, access, isAfter); access++) {
                assertThat(access).as("accesses of a move").isLessThan(MOST_ACCESSES);
            }
        }
    }

    /** Returns true if the move comes to that access. */
    private static boolean isMoveStruck(Guarantees guarantees, int access, boolean isAfter) {
        var simulation = new Simulation(access, QueueWorld.options(guarantees));
        boolean[] isStruck = new boolean[1];
        boolean[] hasReturned = new boolean[1];
        String what = "move struck " + (isAfter ? "after" : "at") + " access " + access;
        simulation.run(rank -> {
            if (rank.rank() == 1) {
                var self = QueueWorld.participant(rank, simulation::isFenced);
                RingQueue queue = QueueWorld.open(self, QueueWorld.WIDE, QueueWorld.IN_THE_HEAP);
                QueueWorld.perform(queue, QueueOperation.move(0, 4));
                QueueWorld.perform(queue, QueueOperation.move(2, 4));
                isStruck[0] = simulation.isStruckAt(access, isAfter, () -> {
                    QueueWorld.perform(queue, QueueOperation.move(0, 5));
                    hasReturned[0] = true;
                });
                assertThat(self.reservations().inDoubt()).as(what).isZero();
                assertThat(QueueWorld.followers(self.endpoint())).as(what).hasSize(hasReturned[0] ? 3 : 2);
                QueueWorld.perform(queue, QueueOperation.move(1, 4));
                if (!isAfter) {
                    QueueWorld.requireThatNoSlotsAreLost(self, what);
                    requireThatNoHeaderIsLost(self, what);
                }
            }
        });
        return isStruck[0];
    }

    private static void requireThatNoHeaderIsLost(Participant self, String what) {
        long objects = IntStream.range(0, QueueWorld.RANKS).mapToLong(rank -> self.heap().usage(rank).objects()).sum();
        assertThat(objects).as("%s: headers, of all rings but the first", what)
                .isEqualTo(QueueWorld.followers(self.endpoint()).size());
    }

    @ParameterizedTest
    @MethodSource("io.atoll.queue.RingSimulationTest#everyFabric")
    void errorsAtAnyAccessesOfSeveralThreadsLeaveNothingHalfDone(Guarantees guarantees, Codec<Long> codec) {
        Seeds.each(SEEDS, QueueWorld.erringTrial(guarantees, codec, Use.PUSH_AND_POP, 4));
    }

    @ParameterizedTest
    @MethodSource("io.atoll.queue.RingSimulationTest#everyFabric")
    void errorsAtAnyAccessOfAMoveLeaveNothingHalfDone(Guarantees guarantees, Codec<Long> codec) {
        Seeds.each(SEEDS, QueueWorld.erringTrial(guarantees, codec, Use.MOVE_TOO, 3));
    }
}
