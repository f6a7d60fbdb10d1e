package io.atoll.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.codec.Codec;
import io.atoll.fabric.Backoff;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.History;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.SimRank;
import io.atoll.fabric.sim.Simulation;
import io.atoll.failure.RankUnreachableException;
import io.atoll.queue.QueueWorld.Use;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The queue must stand every interleaving that the seeds find, with pauses and deaths at any step. */
@Tag("simulation")
class RingSimulationTest {

    /** The number of seeds for each fabric and size of element, without deaths and again with them. */
    static final int SEEDS = 300;

    /** The fabrics on which operations take other ways. */
    static final List<Guarantees> FABRICS = Stream.concat(SimOptions.EVERY_FABRIC.stream(), Stream.of(SimOptions.TCP))
            .toList();

    static Stream<Arguments> everyFabric() {
        return withElements(FABRICS);
    }

    /** Returns the fabrics whose verbs can fail so that it is unknown if they were executed. */
    static Stream<Arguments> remoteFabrics() {
        return withElements(List.of(SimOptions.NETWORK_CARD, SimOptions.WEAKEST, SimOptions.TCP));
    }

    private static Stream<Arguments> withElements(List<Guarantees> fabrics) {
        return fabrics.stream()
                .flatMap(guarantees -> Stream.of(QueueWorld.NARROW, QueueWorld.WIDE)
                        .map(codec -> Arguments.of(guarantees, codec)));
    }

    @ParameterizedTest
    @MethodSource("everyFabric")
    void everyOperationTakesEffectAtOnce(Guarantees guarantees, Codec<Long> codec) {
        Seeds.each(SEEDS, QueueWorld.trial(QueueWorld.pausing(guarantees), codec, QueueWorld.RIGHT, Use.PUSH_AND_POP));
    }

    @ParameterizedTest
    @MethodSource("everyFabric")
    void deathsAtAnyStepLeaveNothingHalfDone(Guarantees guarantees, Codec<Long> codec) {
        Seeds.each(SEEDS, QueueWorld.trial(QueueWorld.dying(guarantees), codec, QueueWorld.RIGHT, Use.PUSH_AND_POP));
    }

    @ParameterizedTest
    @MethodSource("remoteFabrics")
    void aConnectionThatBreaksAtAnyStepLeavesNoDeadTicket(Guarantees guarantees, Codec<Long> codec) {
        Seeds.each(SEEDS, QueueWorld.breakingTrial(guarantees, codec, Use.PUSH_AND_POP, 8));
    }

    /** Kills rank 1 at each of its steps in turn, until it has finished its work. */
    @ParameterizedTest
    @MethodSource("everyFabric")
    void aPusherKilledBetweenAnyTwoStepsDoesNotBlockTheQueue(Guarantees guarantees, Codec<Long> codec)
            throws Exception {
        int step = 0;
        boolean dies = true;
        while (dies) {
            step++;
            dies = false;
            for (long seed = 1; seed <= 10; seed++) {
                var simulation = new Simulation(seed, QueueWorld.options(guarantees).killAt(1, step));
                List<Long> popped = new ArrayList<>();
                simulation.run(rank -> pushOrPop(QueueWorld.open(rank, codec), rank, popped));
                dies |= simulation.isDead(1, 1);
                RingQueue queue = QueueWorld.open(simulation.rank(2), codec);
                for (Long element = queue.pop(); element != null; element = queue.pop()) {
                    popped.add(element);
                }
                assertThat(popped).contains(30L).doesNotHaveDuplicates().isSubsetOf(10L, 11L, 12L, 30L);
                assertThat(popped.stream().filter(element -> element != 30L)).isSorted();
                assertThat(queue.push(List.of(100L, 101L, 102L))).isTrue();
                assertThat(queue.pop(QueueWorld.CAPACITY)).containsExactly(100L, 101L, 102L);
            }
        }
        assertThat(step).as("steps").isBetween(8, 500);
    }

    private static void pushOrPop(RingQueue queue, SimRank rank, List<Long> popped) {
        switch (rank.rank()) {
            case 1 -> {
                queue.push(10L);
                queue.push(List.of(11L, 12L));
            }
            case 2 -> awaitTrue(rank, () -> queue.push(30L));
            default -> awaitTrue(rank, () -> {
                Long element = queue.pop();
                return element != null && popped.add(element);
            });
        }
    }

    private static void awaitTrue(SimRank rank, BooleanSupplier condition) {
        var backoff = new Backoff(rank.fabric().clock(), Backoff.UNBOUNDED);
        while (!condition.getAsBoolean()) {
            backoff.pause();
        }
    }

    @ParameterizedTest
    @MethodSource("everyFabric")
    void deadTicketsOfARankThatIsGoneForGoodAreSkippedThoughItsAnnouncementsCannotBeRead(Guarantees guarantees,
            Codec<Long> codec) {
        Seeds.each(SEEDS, QueueWorld.deadForGood(guarantees, codec));
    }

    @ParameterizedTest
    @MethodSource("everyFabric")
    void aPusherWhoLosesTheHostLeavesNoDeadTicketWhenItIsBack(Guarantees guarantees, Codec<Long> codec) {
        var failures = new AtomicInteger();
        Seeds.each(300, seed -> {
            var isBack = new AtomicBoolean();
            int step = 4 + (int) seed % 40;
            var simulation = new Simulation(seed,
                    QueueWorld.options(guarantees).segmentsDieWithRanks().killAt(0, step));
            var history = new History<QueueOperation, List<Long>>(simulation);
            simulation.onDeath(host -> isBack.set(true)).run(rank -> {
                var participant = QueueWorld.participant(rank, simulation::isFenced);
                try {
                    RingQueue queue = QueueWorld.open(participant, codec, QueueWorld.RIGHT);
                    for (long element = 10L * rank.rank(); element < 10L * rank.rank() + 4; element++) {
                        QueueWorld.perform(history, queue, QueueOperation.push(element));
                        QueueWorld.perform(history, queue, QueueOperation.pop(1));
                    }
                } catch (RankUnreachableException gone) {
                    failures.incrementAndGet();
                    awaitTrue(rank, isBack::get);
                    participant.recover(QueueWorld.HOST);
                }
            });
            QueueWorld.judge(history, QueueWorld.open(simulation.rank(2), codec));
        });
        Seeds.together(() -> assertThat(failures).as("operations that met a segment that was gone").hasPositiveValue());
    }
}
