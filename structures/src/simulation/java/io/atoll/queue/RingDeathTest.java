package io.atoll.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.background.BackgroundThreads;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.SimRank;
import io.atoll.fabric.sim.Simulation;
import io.atoll.memory.WorldIdentity;
import io.atoll.queue.RingChain.Place;
import io.atoll.world.Operations;
import io.atoll.world.Participant;
import io.atoll.world.StepObserver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A rank that dies while it moves a queue, at any step, leaves no slots without a ring. Every ring that it leaves is
 * drained, so the next move frees its slots.
 */
@Tag("simulation")
class RingDeathTest {

    private static final int STEPS = 350;
    private static final int MOVER = 1;
    private static final int MOVES = 3;

    /**
     * The mover dies at that step. The same rank comes back, takes back what it has left, and goes on. Returns how
     * often it has died.
     */
    private static int trial(int step) {
        SimOptions options = QueueWorld.options(RingSimulationTest.FABRICS.get(step % 4)).killAt(MOVER, step);
        var simulation = new Simulation(step, options);
        Simulation.Program program = rank -> {
            if (rank.rank() == MOVER) {
                Participant self = QueueWorld.participant(rank, simulation::isFenced);
                for (int segment = 0; segment < QueueWorld.RANKS; segment++) {
                    self.recover(segment);
                }
                RingQueue queue = QueueWorld.open(self, QueueWorld.WIDE, QueueWorld.IN_THE_HEAP);
                for (int move = 0; move < MOVES; move++) {
                    Place place = new Place(move % QueueWorld.RANKS, QueueWorld.CAPACITY + move);
                    queue.tickets().move(_ -> place);
                }
            }
        };
        simulation.onDeath(program).run(program);
        check(simulation, step);
        return simulation.incarnation(MOVER) - 1;
    }

    private static void check(Simulation simulation, int step) {
        Participant mover = QueueWorld.participant(simulation.rank(MOVER), simulation::isFenced);
        int rings = QueueWorld.requireThatNoSlotsAreLost(mover, "step=" + step);
        assertThat(rings).as("step=%d: rings with slots, of which the last is in use", step).isLessThanOrEqualTo(2);
    }

    @Test
    void noSlotsAreLostWhereverTheirMakerDies() {
        int deaths = 0;
        for (int step = 1; step <= STEPS; step++) {
            deaths += trial(step);
        }
        assertThat(deaths).isGreaterThan(STEPS / 2);
    }

    /**
     * A full queue moves, and its mover is declared dead at that step. Another rank pushes then. Returns true if the
     * move was cut short after its link.
     */
    private static boolean isCutShort(int step, int seed) {
        var simulation = new Simulation(seed, QueueWorld.options(SimOptions.WEAKEST).killAt(MOVER, step).zombies());
        boolean[] hasMoved = new boolean[1];
        simulation.run(rank -> {
            if (rank.rank() == MOVER) {
                RingQueue queue = QueueWorld.open(rank, QueueWorld.NARROW);
                assertThat(queue.push(List.of(1L, 2L, 3L))).isTrue();
                queue.tickets().move(place -> new Place(2, place.capacity()));
                hasMoved[0] = true;
            }
        });
        boolean[] isCutShort = new boolean[1];
        simulation.run(rank -> {
            if (rank.rank() == 0) {
                RingQueue queue = QueueWorld.open(rank, QueueWorld.NARROW);
                boolean isLinked = !QueueWorld.followers(rank.endpoint()).isEmpty();
                boolean isClosed = RingBlock
                        .isMarked(QueueWorld.word(rank.endpoint(), QueueWorld.FIRST_RING, RingBlock.TAIL));
                isCutShort[0] = isLinked && !isClosed;
                assertThat(isClosed || !hasMoved[0]).as("step=%d seed=%d: moved, so closed", step, seed).isTrue();
                if (isLinked) {
                    assertThat(queue.push(4L)).as("step=%d seed=%d: there is room", step, seed).isTrue();
                }
            }
        });
        return isCutShort[0];
    }

    @Test
    void aMoveThatIsCutShortBehindItsLinkIsFinishedByWhoFindsTheQueueFull() {
        int cutShort = 0;
        for (int step = 1; step <= STEPS; step++) {
            for (int seed = 1; seed <= 4; seed++) {
                cutShort += isCutShort(step, seed) ? 1 : 0;
            }
        }
        assertThat(cutShort).isPositive();
    }

    /**
     * A mover dies at that step, and another rank pushes until the queue is full. Returns what both have told of moves,
     * in the order in which they told it.
     */
    private static List<String> toldOfAMoveThatMayBeCutShort(int step, AtomicInteger cutShort) {
        var simulation = new Simulation(step, QueueWorld.options(SimOptions.WEAKEST).killAt(MOVER, step));
        List<String> told = new ArrayList<>();
        simulation.run(rank -> {
            if (rank.rank() == MOVER) {
                RingQueue queue = QueueWorld.open(telling(rank, told), QueueWorld.NARROW, QueueWorld.RIGHT);
                queue.push(List.of(1L, 2L, 3L));
                queue.tickets().move(place -> new Place(2, place.capacity()));
            }
        });
        simulation.run(rank -> {
            if (rank.rank() == 0) {
                boolean isLinked = !QueueWorld.followers(rank.endpoint()).isEmpty();
                boolean isClosed = RingBlock
                        .isMarked(QueueWorld.word(rank.endpoint(), QueueWorld.FIRST_RING, RingBlock.TAIL));
                RingQueue queue = QueueWorld.open(telling(rank, told), QueueWorld.NARROW, QueueWorld.RIGHT);
                for (long element = 0; element < QueueWorld.CAPACITY; element++) {
                    queue.push(element);
                }
                if (isLinked && !isClosed) {
                    cutShort.incrementAndGet();
                    assertThat(told).as("step=%d: whoever finishes it tells", step).hasSize(1);
                }
            }
        });
        return told;
    }

    private static Participant telling(SimRank rank, List<String> told) {
        return new Participant(rank.endpoint(), WorldIdentity.defaultMaxSize(QueueWorld.RANKS), rank.incarnation(),
                rank.simulation()::isFenced,
                Duration.ofSeconds(10), () -> new int[QueueWorld.RANKS], StepObserver.UNOBSERVED,
                new BackgroundThreads(),
                (_, structure, where, change) -> told.add(structure + " " + change + ", " + where), Optional.empty(),
                new Operations());
    }

    @Test
    void aMoveIsToldOnceWhoeverFinishesIt() {
        int moves = 0;
        var cutShort = new AtomicInteger();
        for (int step = 1; step <= STEPS; step++) {
            List<String> told = toldOfAMoveThatMayBeCutShort(step, cutShort);
            assertThat(told).as("step=%d", step).hasSizeLessThanOrEqualTo(1);
            assertThat(told).allMatch(text -> text.equals("queue from " + QueueWorld.CAPACITY
                    + " elements at rank " + QueueWorld.HOST + " to " + QueueWorld.CAPACITY
                    + " elements at rank 2, 2"));
            moves += told.size();
        }
        assertThat(moves).isGreaterThan(STEPS / 4);
        assertThat(cutShort).hasPositiveValue();
    }
}
