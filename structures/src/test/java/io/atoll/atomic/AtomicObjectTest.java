package io.atoll.atomic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.atoll.fabric.Endpoint;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import io.atoll.memory.GlobalPointer;
import io.atoll.memory.TaggedPointer;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Operations one after the other. {@link AtomicObjectSimulationTest} runs them at the same time. */
class AtomicObjectTest {

    private static final long PLAIN = 64;
    private static final long PROTECTED = 72;

    private static final GlobalPointer FIRST = new GlobalPointer(0, 128);
    private static final GlobalPointer SECOND = new GlobalPointer(0, 192);

    /** An atomic object with a count of changes, and one without. */
    private record Pair(ObjectWord<GlobalPointer> plain, ObjectWord<GlobalPointer> guarded) {

        List<ObjectWord<GlobalPointer>> both() {
            return List.of(plain, guarded);
        }
    }

    private static Endpoint endpoint() {
        return new Simulation(1, SimOptions.ranks(2)).endpoint(0);
    }

    private static Pair remote() {
        Endpoint endpoint = endpoint();
        return new Pair(AtomicObject.plain(endpoint, 1, PLAIN, ObjectType.POINTER),
                AtomicObject.abaProtected(endpoint, 1, PROTECTED, ObjectType.POINTER));
    }

    private static Pair local() {
        Endpoint endpoint = endpoint();
        return new Pair(LocalAtomicObject.plain(endpoint, PLAIN, ObjectType.POINTER),
                LocalAtomicObject.abaProtected(endpoint, PROTECTED, ObjectType.POINTER));
    }

    private static void assertAba(Aba<GlobalPointer> aba, @Nullable GlobalPointer object, int count) {
        assertThat(aba.object()).isEqualTo(object);
        assertThat(aba.count()).isEqualTo(count);
    }

    @Test
    void whatIsNoWordIsRefused() {
        Endpoint endpoint = endpoint();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> AtomicObject.plain(endpoint, 1, 60, ObjectType.POINTER))
                .withMessageContaining("60");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LocalAtomicObject.abaProtected(endpoint, 60, ObjectType.POINTER));
    }

    static Stream<Pair> pairs() {
        return Stream.of(remote(), local());
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void zeroedMemoryRefersToNothing(Pair pair) {
        pair.both().forEach(object -> assertThat(object.read()).isNull());
        assertAba(pair.guarded().readAba(), null, 0);
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void whatIsWrittenIsRead(Pair pair) {
        for (ObjectWord<GlobalPointer> object : pair.both()) {
            object.write(FIRST);
            assertThat(object.read()).isEqualTo(FIRST);
            object.write(null);
            assertThat(object.read()).isNull();
        }
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void anExchangeReturnsWhatWasThere(Pair pair) {
        for (ObjectWord<GlobalPointer> object : pair.both()) {
            assertThat(object.exchange(FIRST)).isNull();
            assertThat(object.exchange(SECOND)).isEqualTo(FIRST);
            assertThat(object.exchange(null)).isEqualTo(SECOND);
        }
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void compareAndSwapChangesOnlyWhatIsExpected(Pair pair) {
        for (ObjectWord<GlobalPointer> object : pair.both()) {
            assertThat(object.compareAndSwap(FIRST, SECOND)).isFalse();
            assertThat(object.compareAndSwap(null, FIRST)).isTrue();
            assertThat(object.compareAndSwap(null, SECOND)).isFalse();
            assertThat(object.compareAndSwap(FIRST, SECOND)).isTrue();
            assertThat(object.read()).isEqualTo(SECOND);
        }
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void everyChangeOfAProtectedObjectCountsWhicheverOperationMakesIt(Pair pair) {
        ObjectWord<GlobalPointer> object = pair.guarded();
        object.write(FIRST);
        object.writeAba(FIRST);
        assertAba(object.exchangeAba(SECOND), FIRST, 2);
        assertThat(object.exchange(FIRST)).isEqualTo(SECOND);
        assertThat(object.compareAndSwap(FIRST, SECOND)).isTrue();
        assertThat(object.compareAndSwap(FIRST, SECOND)).isFalse();
        assertAba(object.readAba(), SECOND, 5);
        assertThat(object.compareAndSwapAba(object.readAba(), null)).isTrue();
        assertAba(object.readAba(), null, 6);
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void anObjectThatWasAwayAndIsBackIsNoticedByTheAbaOperationsAlone(Pair pair) {
        for (ObjectWord<GlobalPointer> object : pair.both()) {
            object.write(FIRST);
        }
        Aba<GlobalPointer> seen = pair.guarded().readAba();
        for (ObjectWord<GlobalPointer> object : pair.both()) {
            object.write(SECOND);
            object.write(FIRST);
        }
        assertThat(pair.guarded().compareAndSwapAba(seen, null)).isFalse();
        pair.both().forEach(object -> assertThat(object.compareAndSwap(FIRST, null)).isTrue());
    }

    @Test
    void theCountComesRoundAfter65536ChangesAndThenAnObjectThatIsBackIsNotNoticed() {
        ObjectWord<GlobalPointer> object = remote().guarded();
        object.write(FIRST);
        Aba<GlobalPointer> seen = object.readAba();
        for (int change = 1; change < 1 << 16; change++) {
            object.write(SECOND);
        }
        assertThat(object.compareAndSwapAba(seen, null)).as("another object").isFalse();
        object.write(FIRST);
        assertThat(object.readAba()).isEqualTo(seen);
        assertThat(object.compareAndSwapAba(seen, null)).isTrue();
    }

    @Test
    void theCountOfALocalObjectHas32Bits() {
        ObjectWord<GlobalPointer> object = local().guarded();
        for (int change = 0; change <= 1 << 16; change++) {
            object.write(FIRST);
        }
        assertAba(object.readAba(), FIRST, (1 << 16) + 1);
        Endpoint endpoint = endpoint();
        endpoint.fabric().local().setRelease(PROTECTED, (1L << 32) - 1);
        ObjectWord<GlobalPointer> round = LocalAtomicObject.abaProtected(endpoint, PROTECTED, ObjectType.POINTER);
        round.write(FIRST);
        assertAba(round.readAba(), FIRST, 0);
    }

    @Test
    void aLocalWordHasItsUnitsAboveItsCount() {
        Endpoint endpoint = endpoint();
        var object = LocalAtomicObject.abaProtected(endpoint, PROTECTED, ObjectType.POINTER);
        GlobalPointer last = new GlobalPointer(endpoint.rank(), (1L << 38) - TaggedPointer.UNIT);
        object.write(last);
        assertThat(endpoint.fabric().local().getAcquire(PROTECTED)).isEqualTo(0xFFFF_FFFF_0000_0001L);
        assertThat(object.exchange(null)).isEqualTo(last);
        assertThat(endpoint.fabric().local().getAcquire(PROTECTED)).isEqualTo(2);
    }

    @Test
    void anyRankAndAnyMultipleOf64BelowTheLimitHasAPlace() {
        ObjectWord<GlobalPointer> object = remote().guarded();
        for (GlobalPointer pointer : List.of(new GlobalPointer(65_535, (1L << 38) - 64), new GlobalPointer(1, 0))) {
            object.write(pointer);
            assertThat(object.read()).isEqualTo(pointer);
        }
        ObjectWord<GlobalPointer> plain = remote().plain();
        plain.write(new GlobalPointer(65_535, (1L << 48) - 1));
        assertThat(plain.read()).isEqualTo(new GlobalPointer(65_535, (1L << 48) - 1));
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void whatHasNoPlaceInAProtectedObjectIsRefused(Pair pair) {
        for (GlobalPointer pointer : List.of(new GlobalPointer(0, 72), new GlobalPointer(0, 1L << 38))) {
            assertThatIllegalArgumentException().isThrownBy(() -> pair.guarded().write(pointer))
                    .withMessageContaining("offset=" + pointer.offset());
        }
        assertThat(pair.guarded().read()).isNull();
    }

    @Test
    void aLocalProtectedObjectRefusesObjectsOfOtherRanks() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> local().guarded().compareAndSwap(null, new GlobalPointer(1, 64)))
                .withMessageContaining("rank=1");
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void theAbaOperationsOfAPlainObjectAreRefused(Pair pair) {
        ObjectWord<GlobalPointer> plain = pair.plain();
        assertThat(plain.isProtected()).isFalse();
        assertThat(pair.guarded().isProtected()).isTrue();
        for (Runnable operation : List.<Runnable>of(plain::readAba, () -> plain.writeAba(FIRST),
                () -> plain.exchangeAba(FIRST), () -> plain.compareAndSwapAba(pair.guarded().readAba(), FIRST))) {
            assertThatIllegalStateException().isThrownBy(operation::run).withMessageContaining("object=");
        }
        assertThat(plain.read()).isNull();
    }

    @Test
    void whatIsExpectedIsReadFromAnObjectThatCountsAlike() {
        Aba<GlobalPointer> seen = local().guarded().readAba();
        assertThatIllegalArgumentException().isThrownBy(() -> remote().guarded().compareAndSwapAba(seen, FIRST))
                .withMessageContaining("AtomicObject or LocalAtomicObject");
    }

    /** A type of the user's own: a node that knows its place. */
    private record Node(long pointer) {}

    @Test
    void objectsAreSeenAsValuesOfAnyType() {
        var object = AtomicObject.abaProtected(endpoint(), 1, PROTECTED, ObjectType.of(Node::pointer, Node::new));
        Node node = new Node(new GlobalPointer(1, 640).toWord());
        object.write(node);
        assertThat(object.read()).isEqualTo(node);
        assertThat(object.compareAndSwapAba(object.readAba(), null)).isTrue();
    }
}
