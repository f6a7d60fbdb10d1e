package io.atoll.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.codec.Codec;
import io.atoll.codec.Codecs;
import io.atoll.codec.WideCodec;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.Guarantees.AtomicDomain;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import io.atoll.fabric.trace.Journal;
import io.atoll.fabric.trace.RecordingFabric;
import io.atoll.promise.Promise;
import io.atoll.world.Participants;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Counts what the Javadoc promises, verb by verb: rows of BCL's tables 2 and 4. */
class CircularQueueCostTest {

    private static final Guarantees LINES = new Guarantees(AtomicDomain.FABRIC_ONLY, 64, true, false, false);
    private static final Guarantees WORDS = new Guarantees(AtomicDomain.FABRIC_ONLY, 8, true, false, false);
    private static final Guarantees WORDS_IN_ANY_ORDER = new Guarantees(AtomicDomain.FABRIC_ONLY, 8, false, false,
            false);
    private static final Guarantees COHERENT = SimOptions.SHARED_MEMORY;
    private static final Guarantees TCP = SimOptions.TCP;

    static final List<Guarantees> EVERY = List.of(LINES, WORDS, WORDS_IN_ANY_ORDER, COHERENT);
    static final List<Guarantees> NARROW = List.of(WORDS, COHERENT);

    private static final int RANKS = 2;

    private RecordingFabric fabric = new RecordingFabric(simulated(LINES));
    private CircularQueue<Long> queue = used(open(1));

    private static Fabric simulated(Guarantees guarantees) {
        var options = SimOptions.ranks(RANKS).segmentBytes(1 << 20).guarantees(guarantees).unmapped();
        return new Simulation(1, options).fabric(0);
    }

    private void use(Guarantees guarantees, int host) {
        fabric = new RecordingFabric(simulated(guarantees));
        queue = used(open(host));
    }

    private CircularQueue<Long> open(int host) {
        var participant = Participants.amongTheLiving(fabric);
        return CircularQueue.builder("queue", Long.class, () -> participant).capacity(4).host(host).open();
    }

    /** Returns the queue, whose head and tail this process knows. The next ticket is that of the first slot. */
    private static CircularQueue<Long> used(CircularQueue<Long> queue) {
        List<Long> elements = List.of(1L, 2L, 3L, 4L);
        queue.push(elements);
        assertThat(queue.pop(4)).isEqualTo(elements);
        return queue;
    }

    /**
     * Returns costs such as {@code A8 W24 in 2}: kinds and bytes of the verbs in their order, and the number of round
     * trips.
     */
    private String costOf(Runnable operation) {
        Journal journal = fabric.record(operation);
        return journal.entries().isEmpty()
                ? "no verb"
                : journal.entries()
                        .stream()
                        .map(entry -> "" + entry.kind() + entry.bytes())
                        .collect(Collectors.joining(" "))
                        + " in " + journal.roundTrips();
    }

    @Test
    void aPushIsAnAtomicAndAWriteAndAPopAReadAndAnAtomic() {
        assertThat(costOf(() -> queue.push(1L))).isEqualTo("A8 W16 in 2");
        assertThat(costOf(() -> assertThat(queue.pop()).isEqualTo(1))).isEqualTo("R16 A8 in 2");
    }

    @ParameterizedTest
    @FieldSource("NARROW")
    void whereASlotDoesNotArriveWholeTheyAreTwoEachInOneRoundTrip(Guarantees guarantees) {
        use(guarantees, 1);
        assertThat(costOf(() -> queue.push(1L))).isEqualTo("A8 W8 W8 in 2");
        assertThat(costOf(() -> queue.pop())).isEqualTo("R8 R16 A8 in 2");
    }

    @Test
    void whereTheOwnerDecidesWhatIsGuardedAnOperationIsOneRoundTrip() {
        use(TCP, 1);
        assertThat(costOf(() -> queue.push(1L))).isEqualTo("A8 W8 W8 in 1");
        assertThat(costOf(() -> assertThat(queue.pop()).isEqualTo(1))).isEqualTo("R8 R16 A8 in 1");
        List<Long> three = List.of(1L, 2L, 3L);
        assertThat(costOf(() -> queue.push(three))).isEqualTo("A8 W48 W8 W8 W8 in 1");
        assertThat(costOf(() -> assertThat(queue.pop(3)).isEqualTo(three))).isEqualTo("R40 R48 A8 in 1");
        assertThat(costOf(() -> queue.push(4L, Promise.onlyPushes()))).isEqualTo("A8 W16 in 1");
        assertThat(costOf(() -> assertThat(queue.pop(Promise.onlyPops())).isEqualTo(4))).isEqualTo("R8 R16 A8 in 1");
    }

    @Test
    void whereTheOwnerDecidesOneRoundTripTellsThatTheQueueIsEmpty() {
        use(TCP, 1);
        assertThat(costOf(() -> assertThat(queue.pop()).isNull())).isEqualTo("R8 R16 R8 in 1");
        queue.push(1L);
        assertThat(costOf(() -> assertThat(queue.pop()).isEqualTo(1))).isEqualTo("R8 R16 A8 in 1");
    }

    @Test
    void whereTheOwnerDecidesAWrongGuessIsARoundTripMore() {
        use(TCP, 1);
        CircularQueue<Long> other = open(1);
        other.push(1L);
        assertThat(costOf(() -> queue.push(2L))).isEqualTo("A8 A8 W8 W8 in 2");
        other.pop();
        assertThat(costOf(() -> assertThat(queue.pop()).isEqualTo(2))).isEqualTo("R8 R16 A8 R8 R16 A8 in 2");
        queue.push(List.of(3L, 4L));
        assertThat(costOf(() -> assertThat(queue.pop(3)).containsExactly(3L, 4L)))
                .isEqualTo("R24 R8 R32 R16 R32 A8 in 2");
    }

    @Test
    void manySlotsAreWrittenInVainOnlyOnce() {
        for (int count : new int[]{127, 128, 129}) {
            fabric = new RecordingFabric(simulated(TCP));
            var participant = Participants.amongTheLiving(fabric);
            var large = CircularQueue.builder("queue", Long.class, () -> participant).capacity(500).host(1);
            queue = large.open();
            CircularQueue<Long> other = large.open();
            queue.push(1L);
            other.push(1L);
            List<Long> elements = LongStream.range(0, count).boxed().toList();
            Journal journal = fabric.record(() -> queue.push(elements));
            assertThat(journal.roundTrips()).isEqualTo(count > 128 ? 3 : 2);
        }
    }

    @Test
    void asManyElementsAsSearchesFindArePoppedInOneRoundTrip() {
        CircularQueue<Long> large = overTcp(1_000, Codecs.forType(Long.class));
        for (int count : new int[]{64, 496, 497}) {
            List<Long> elements = LongStream.range(0, count).boxed().toList();
            large.push(elements);
            Journal journal = fabric.record(() -> assertThat(large.pop(count)).isEqualTo(elements));
            assertThat(journal.roundTrips()).as("elements=%d", count).isEqualTo(count > 496 ? 2 : 1);
        }
        large.push(LongStream.range(0, 64).boxed().toList());
        assertThat(costOf(() -> large.pop(64))).isEqualTo("R120 ".repeat(8) + "R1024 A8 in 1");
    }

    @Test
    void aSearchLooksAtNoMoreSlotsThanItMay() {
        CircularQueue<Long> wide = overTcp(100, new WideCodec(127));
        List<Long> elements = LongStream.range(0, 9).boxed().toList();
        wide.push(elements);
        assertThat(costOf(() -> assertThat(wide.pop(9)).isEqualTo(elements)))
                .isEqualTo("R3080 R3080 R8 R9216 A8 in 1");
    }

    private CircularQueue<Long> overTcp(long capacity, Codec<Long> codec) {
        fabric = new RecordingFabric(simulated(TCP));
        var participant = Participants.amongTheLiving(fabric);
        return CircularQueue.builder("queue", codec, () -> participant).capacity(capacity).host(1).open();
    }

    @Test
    void whereReadsAreInAnyOrderThePayloadIsReadAfterTheStamp() {
        use(WORDS_IN_ANY_ORDER, 1);
        queue.push(1L);
        assertThat(costOf(() -> queue.pop())).isEqualTo("R8 R16 A8 in 3");
    }

    @ParameterizedTest
    @FieldSource("EVERY")
    void underThePromiseOfOnlyPushesOrOnlyPopsOneWriteAndOneReadSufficeEverywhere(Guarantees guarantees) {
        use(guarantees, 1);
        assertThat(costOf(() -> queue.push(1L, Promise.onlyPushes()))).isEqualTo("A8 W16 in 2");
        assertThat(costOf(() -> assertThat(queue.pop(Promise.onlyPops())).isEqualTo(1))).isEqualTo("R16 A8 in 2");
    }

    @ParameterizedTest
    @FieldSource("EVERY")
    void underThesePromisesSeveralElementsCostAsMuchAsOneEverywhere(Guarantees guarantees) {
        use(guarantees, 1);
        List<Long> three = List.of(1L, 2L, 3L);
        assertThat(costOf(() -> queue.push(three, Promise.onlyPushes()))).isEqualTo("A8 W48 in 2");
        assertThat(costOf(() -> assertThat(queue.pop(3, Promise.onlyPops())).isEqualTo(three)))
                .isEqualTo("R48 A8 in 2");
    }

    @ParameterizedTest
    @FieldSource("EVERY")
    void localOperationsCostNothing(Guarantees guarantees) {
        use(guarantees, 0);
        assertThat(costOf(() -> {
            for (long element = 1; element <= 4; element++) {
                assertThat(queue.push(element, Promise.local())).isTrue();
            }
            assertThat(queue.push(5L, Promise.local())).isFalse();
            assertThat(queue.pop(Promise.local())).isEqualTo(1);
            assertThat(queue.localPop()).isEqualTo(2);
            assertThat(queue.push(List.of(5L, 6L), Promise.local())).isTrue();
            assertThat(queue.push(List.of(7L), Promise.local())).isFalse();
            assertThat(queue.pop(2, Promise.local())).containsExactly(3L, 4L);
            assertThat(queue.pop(4, Promise.local())).containsExactly(5L, 6L);
            assertThat(queue.push(3L, Promise.local())).isTrue();
            assertThat(queue.push(4L, Promise.local())).isTrue();
        })).isEqualTo("no verb");
        assertThat(queue.pop()).isEqualTo(3);
        assertThat(queue.push(6L)).isTrue();
        assertThat(queue.pop(4)).containsExactly(4L, 6L);
        assertThat(queue.localPop()).isNull();
    }

    @Test
    void atTheHostNothingCostsAVerbWhereTheFabricsAtomicsAreTheProcessors() {
        use(COHERENT, 0);
        assertThat(costOf(() -> {
            assertThat(queue.push(1L)).isTrue();
            assertThat(queue.push(List.of(2L, 3L))).isTrue();
            assertThat(queue.pop()).isEqualTo(1);
            assertThat(queue.pop(4)).containsExactly(2L, 3L);
            assertThat(queue.pop()).isNull();
            assertThat(queue.size()).isZero();
        })).isEqualTo("no verb");
    }

    @Test
    void atTheHostOperationsGoThroughTheFabricWhereItsAtomicsAreNotTheProcessors() {
        use(LINES, 0);
        assertThat(costOf(() -> queue.push(1L))).isEqualTo("A8 W16 in 2");
        assertThat(List.copyOf(fabric.record(() -> queue.pop()).ranks())).containsExactly(0);
    }

    @Test
    void severalElementsCostAsMuchAsOne() {
        assertThat(costOf(() -> queue.push(List.of(1L, 2L, 3L)))).isEqualTo("A8 W48 in 2");
        assertThat(costOf(() -> assertThat(queue.pop(3)).containsExactly(1L, 2L, 3L))).isEqualTo("R48 A8 in 2");
    }

    @Test
    void severalElementsAroundTheEndOfTheRingCostAWriteOrAReadMore() {
        queue.push(List.of(1L, 2L, 3L));
        queue.pop(3);
        assertThat(costOf(() -> queue.push(List.of(4L, 5L, 6L)))).isEqualTo("A8 W16 W32 in 2");
        assertThat(costOf(() -> assertThat(queue.pop(3)).containsExactly(4L, 5L, 6L))).isEqualTo("R16 R32 A8 in 2");
    }

    @ParameterizedTest
    @FieldSource("NARROW")
    void whereASlotDoesNotArriveWholeSeveralElementsTakeAWriteMoreEachInOneRoundTrip(Guarantees guarantees) {
        use(guarantees, 1);
        assertThat(costOf(() -> queue.push(List.of(1L, 2L, 3L)))).isEqualTo("A8 W48 W8 W8 W8 in 2");
        assertThat(costOf(() -> assertThat(queue.pop(3)).containsExactly(1L, 2L, 3L))).isEqualTo("R48 R48 A8 in 2");
    }

    @Test
    void anEmptyQueueAndAFullOneAreTwoReads() {
        assertThat(costOf(() -> assertThat(queue.pop()).isNull())).isEqualTo("R16 R8 in 2");
        queue.push(List.of(1L, 2L, 3L, 4L));
        assertThat(costOf(() -> assertThat(queue.push(5L)).isFalse())).isEqualTo("R8 R8 in 2");
        assertThat(costOf(() -> assertThat(queue.size()).isEqualTo(4))).isEqualTo("R72 in 1");
        assertThat(costOf(() -> assertThat(queue.peek()).isEqualTo(1))).isEqualTo("R8 R8 R16 R16 R8 in 5");
    }

    @Test
    void aPushThatFindsTheTailElsewhereIsAnAtomicMore() {
        CircularQueue<Long> other = open(1);
        other.push(1L);
        assertThat(costOf(() -> queue.push(2L))).isEqualTo("A8 A8 W16 in 3");
        other.pop();
        assertThat(costOf(() -> assertThat(queue.pop()).isEqualTo(2))).isEqualTo("R16 A8 R16 A8 in 4");
    }

    @ParameterizedTest
    @FieldSource("EVERY")
    void aQueueThatHasMovedCostsNoMore(Guarantees guarantees) {
        use(guarantees, 0);
        queue.push(1L);
        queue.migrate(1);
        queue.push(2L);
        queue.pop(1);
        queue.pop(1);
        String moved = costOf(() -> queue.push(3L)) + ", " + costOf(() -> queue.pop());
        use(guarantees, 1);
        queue.push(1L);
        queue.pop();
        assertThat(moved).isEqualTo(costOf(() -> queue.push(2L)) + ", " + costOf(() -> queue.pop()));
    }

    @Test
    void theFirstOperationsOfAProcessFindHeadAndTailAndRegisterIt() {
        CircularQueue<Long> other = open(1);
        assertThat(costOf(() -> other.push(1L))).isEqualTo("R8 A8 R8 A8 W16 in 5");
        assertThat(costOf(() -> other.push(2L))).isEqualTo("A8 W16 in 2");
        CircularQueue<Long> third = open(1);
        assertThat(costOf(() -> assertThat(third.pop()).isEqualTo(1))).isEqualTo("R16 R8 R16 A8 in 4");
        assertThat(costOf(() -> assertThat(third.pop()).isEqualTo(2))).isEqualTo("R16 A8 in 2");
    }

    @Test
    void localOperationsAreTheHosts() {
        assertThatThrownBy(() -> queue.push(1L, Promise.local())).isInstanceOf(IllegalStateException.class)
                .hasMessageEndingWith("host=1 rank=0");
        assertThatThrownBy(() -> queue.localPop()).isInstanceOf(IllegalStateException.class)
                .hasMessageEndingWith("host=1 rank=0");
    }
}
