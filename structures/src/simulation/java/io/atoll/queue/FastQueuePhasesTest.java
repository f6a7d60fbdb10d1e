package io.atoll.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.Patch;
import io.atoll.codec.Codecs;
import io.atoll.fabric.Endpoint;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.SimRank;
import io.atoll.fabric.sim.Simulation;
import io.atoll.fabric.trace.Journal;
import io.atoll.fabric.trace.RecordingFabric;
import io.atoll.world.Handle;
import io.atoll.world.Participant;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Simulates phases, with pauses at any step, and counts what the Javadoc promises, verb by verb. */
@Tag("simulation")
class FastQueuePhasesTest {

    static final List<Guarantees> EVERY_FABRIC = RingSimulationTest.FABRICS;

    private static final int SEEDS = 300;
    private static final int RANKS = 3;
    private static final int CAPACITY = 9;
    private static final int LARGE = 8 << 10;
    private static final long SEGMENT_BYTES = 192 << 10;
    private static final long BLOCK = SEGMENT_BYTES - (8 << 10);

    private static FastQueue<Long> open(Endpoint endpoint) {
        return open(endpoint, CAPACITY);
    }

    private static FastQueue<Long> open(Endpoint endpoint, int capacity) {
        return open(new Participant(endpoint, 1, (other, incarnation, segment) -> false, Duration.ofSeconds(1),
                () -> new int[]{1, 1, 1}), capacity);
    }

    private static FastQueue<Long> open(Participant self) {
        return open(self, CAPACITY);
    }

    private static FastQueue<Long> open(Participant self, int capacity) {
        var rings = new FastRings("queue", self, 0, BLOCK - (long) (capacity - CAPACITY) * Long.BYTES, Long.BYTES,
                capacity);
        return new FastQueue<>("queue", Codecs.forType(Long.class), new Handle<>(() -> rings));
    }

    /**
     * Every element of a push that returned true is popped once, and no other element is. If all elements of a push are
     * popped at once, they are in one piece.
     */
    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void phaseAfterPhaseNothingIsLostDoubledOrTornApart(Guarantees guarantees) {
        Seeds.each(SEEDS, phases(guarantees, true));
    }

    private static final class Phases implements Runnable {

        @Override
        public void run() {
            assertThat(Seeds.untilFailure(SEEDS, phases(SimOptions.TCP, true))).isPositive();
        }
    }

    @Test
    void elementsThatArePoppedThoughAnotherThreadHasTakenThemAreFound() {
        new Patch(FastRing.class).replace("            long witness = batch.result(exchange);\n",
                "long witness = ticket;\n").run(Phases.class);
    }

    @Test
    void aPopBeforeTheBarrierIsFound() {
        assertThat(Seeds.untilFailure(SEEDS, phases(SimOptions.WEAKEST, false))).isPositive();
    }

    private static Seeds.Trial phases(Guarantees guarantees, boolean separated) {
        return seed -> {
            List<Long> pushed = new ArrayList<>();
            List<Long> popped = new ArrayList<>();
            var options = SimOptions.ranks(RANKS).segmentBytes(SEGMENT_BYTES).guarantees(guarantees).pauses(0.02);
            Simulation.run(seed, options, rank -> {
                var self = new Participant(rank.endpoint(), 1, (other, incarnation, segment) -> false,
                        Duration.ofSeconds(1), () -> new int[]{1, 1, 1});
                FastQueue<Long> queue = open(self);
                for (int phase = 0; phase < 3; phase++) {
                    pushed.addAll(pushSome(queue, rank, phase));
                    if (separated) {
                        self.barrier();
                    }
                    popped.addAll(popSome(queue, rank.random()));
                    self.barrier();
                    if (phase == rank.rank() && rank.random().nextBoolean()) {
                        move(queue, rank.random());
                    }
                    self.barrier();
                }
                if (rank.rank() == queue.host()) {
                    for (Long left = queue.localPop(); left != null; left = queue.localPop()) {
                        popped.add(left);
                    }
                }
            });
            assertThat(popped).containsExactlyInAnyOrderElementsOf(pushed);
            assertThat(pushed).isNotEmpty();
        };
    }

    private static void move(FastQueue<Long> queue, SplittableRandom random) {
        if (random.nextBoolean()) {
            queue.migrate(random.nextInt(RANKS));
        } else {
            queue.resize(queue.capacity() + random.nextInt(3));
        }
    }

    private static List<Long> pushSome(FastQueue<Long> queue, SimRank rank, int phase) {
        List<Long> pushed = new ArrayList<>();
        for (int push = 0; push < 2; push++) {
            long first = 1000L * rank.rank() + 100L * phase + 10L * push;
            List<Long> elements = LongStream.range(first, first + 1 + rank.random().nextInt(4)).boxed().toList();
            if (queue.push(elements)) {
                pushed.addAll(elements);
            }
        }
        return pushed;
    }

    private static List<Long> popSome(FastQueue<Long> queue, SplittableRandom random) {
        List<Long> popped = new ArrayList<>();
        for (int pop = 0; pop < 2; pop++) {
            popped.addAll(queue.pop(1 + random.nextInt(3)));
        }
        return popped;
    }

    // --- costs ---

    private static String costOf(RecordingFabric fabric, Runnable operation) {
        Journal journal = fabric.record(operation);
        return journal.entries()
                .stream()
                .map(entry -> "" + entry.kind() + entry.bytes())
                .collect(Collectors.joining(" "))
                + " in " + journal.roundTrips();
    }

    private static RecordingFabric fabric(int rank, Guarantees guarantees) {
        var options = SimOptions.ranks(RANKS).segmentBytes(SEGMENT_BYTES).guarantees(guarantees).unmapped();
        return new RecordingFabric(new Simulation(1, options).fabric(rank));
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void aPushIsAnAtomicAndAWriteAndAPopAReadAndAnAtomicHoweverManyElements(Guarantees guarantees) {
        boolean isNear = guarantees.equals(SimOptions.SHARED_MEMORY);
        RecordingFabric fabric = fabric(1, guarantees);
        FastQueue<Long> queue = open(new Endpoint(fabric));
        assertThat(costOf(fabric, () -> queue.push(1L))).isEqualTo("A8 W8 in 1");
        assertThat(costOf(fabric, () -> queue.push(List.of(2L, 3L, 4L)))).isEqualTo("A8 W24 in 1");
        assertThat(costOf(fabric, () -> queue.pushEncoded(MemorySegment.ofArray(new long[]{5, 6, 7}))))
                .isEqualTo("A8 W24 in 1");
        assertThat(costOf(fabric, () -> assertThat(queue.push(List.of(8L, 9L, 10L))).isFalse())).isEqualTo("R8 in 1");
        assertThat(costOf(fabric, () -> assertThat(queue.pop()).isEqualTo(1)))
                .isEqualTo(isNear ? "A8 R8 in 2" : "R8 A8 in 1");
        assertThat(costOf(fabric, () -> assertThat(queue.pop(4)).containsExactly(2L, 3L, 4L, 5L)))
                .isEqualTo(isNear ? "A8 R32 in 2" : "R32 A8 in 1");
        assertThat(costOf(fabric, () -> queue.push(List.of(8L, 9L, 10L)))).isEqualTo("A8 W16 W8 in 1");
        assertThat(costOf(fabric, () -> assertThat(queue.pop(9)).containsExactly(6L, 7L, 8L, 9L, 10L)))
                .isEqualTo(isNear ? "R8 A8 R32 R8 in 4" : "R8 R32 R8 A8 in 2");
        assertThat(costOf(fabric, () -> assertThat(queue.pop()).isNull())).isEqualTo("R8 in 1");
    }

    @Test
    void fewElementsAreReadAgainWithEachAttemptAndManyOnlyOnce() {
        RecordingFabric fabric = fabric(1, SimOptions.NETWORK_CARD);
        FastQueue<Long> queue = open(new Endpoint(fabric), LARGE);
        FastQueue<Long> other = open(new Endpoint(fabric), LARGE);
        var elements = MemorySegment.ofArray(new long[LARGE]);
        queue.pushEncoded(elements);
        assertThat(costOf(fabric, () -> queue.popEncoded(elements.asSlice(0, 8)))).isEqualTo("R8 A8 in 1");
        assertThat(costOf(fabric, () -> other.popEncoded(elements.asSlice(0, 8)))).isEqualTo("R8 R8 A8 R8 A8 in 3");
        assertThat(costOf(fabric, () -> queue.popEncoded(elements.asSlice(0, 4096))))
                .isEqualTo("R4096 A8 A8 R4096 in 3");
        assertThat(costOf(fabric, () -> queue.popEncoded(elements.asSlice(0, 40 << 10)))).isEqualTo("A8 R40960 in 2");
    }

    @Test
    void localOperationsCostNothing() {
        RecordingFabric fabric = fabric(0, SimOptions.NETWORK_CARD);
        FastQueue<Long> queue = open(new Endpoint(fabric));
        queue.push(List.of(1L, 2L));
        fabric.flush(0);
        assertThat(costOf(fabric, () -> {
            assertThat(queue.local().getFirst().byteSize()).isEqualTo(16);
            assertThat(queue.localPop()).isEqualTo(1);
            assertThat(queue.localPop()).isEqualTo(2);
            assertThat(queue.localPop()).isNull();
        })).isEqualTo(" in 0");
    }
}
