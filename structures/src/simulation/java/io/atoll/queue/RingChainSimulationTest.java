package io.atoll.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.codec.Codec;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.Simulation;
import io.atoll.queue.QueueWorld.Use;
import io.atoll.queue.RingChain.Place;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Queues move, to other hosts and to other capacities, while all ranks push and pop. The seeds find many interleavings,
 * with pauses and deaths at any step.
 */
@Tag("simulation")
class RingChainSimulationTest {

    /** The number of seeds for each fabric and size of element. */
    static final int SEEDS = 150;

    @ParameterizedTest
    @MethodSource("io.atoll.queue.RingSimulationTest#everyFabric")
    void elementsKeepTheirOrderThroughEveryMove(Guarantees guarantees, Codec<Long> codec) {
        Seeds.each(SEEDS, QueueWorld.trial(QueueWorld.pausing(guarantees), codec, QueueWorld.RIGHT, Use.MOVE_TOO));
    }

    @ParameterizedTest
    @MethodSource("io.atoll.queue.RingSimulationTest#everyFabric")
    void deathsAtAnyStepOfAMoveLeaveNothingHalfDone(Guarantees guarantees, Codec<Long> codec) {
        Seeds.each(SEEDS, QueueWorld.trial(QueueWorld.dying(guarantees), codec, QueueWorld.RIGHT, Use.MOVE_TOO));
    }

    @ParameterizedTest
    @MethodSource("io.atoll.queue.RingSimulationTest#remoteFabrics")
    void connectionsThatBreakAtAnyStepOfAMoveLeaveNothingHalfDone(Guarantees guarantees, Codec<Long> codec) {
        Seeds.each(SEEDS, QueueWorld.breakingTrial(guarantees, codec, Use.MOVE_TOO, 3));
    }

    @ParameterizedTest
    @MethodSource("io.atoll.queue.RingSimulationTest#everyFabric")
    void whoChangesTheCapacityAndWhoChangesTheHostUndoNothingOfEachOther(Guarantees guarantees, Codec<Long> codec) {
        Seeds.each(SEEDS, seed -> {
            var simulation = new Simulation(seed, QueueWorld.pausing(guarantees));
            List<UnaryOperator<Place>> changes = List.of(UnaryOperator.identity(),
                    place -> new Place(place.host(), QueueWorld.CAPACITY + 1),
                    place -> new Place(1, place.capacity()));
            simulation.run(rank -> QueueWorld.open(rank, codec).tickets().move(changes.get(rank.rank())));
            RingChainQueue queue = QueueWorld.open(simulation.rank(0), codec).tickets();
            assertThat(new Place(queue.host(), queue.capacity())).isEqualTo(new Place(1, QueueWorld.CAPACITY + 1));
        });
    }
}
