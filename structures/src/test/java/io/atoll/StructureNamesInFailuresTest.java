package io.atoll;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.atoll.failure.FabricException;
import io.atoll.failure.FabricTimeoutException;
import io.atoll.failure.FencedException;
import io.atoll.failure.RankUnreachableException;
import io.atoll.failure.SegmentFullException;
import io.atoll.failure.StructureName;
import io.atoll.linked.LinkedQueue;
import io.atoll.linked.LinkedStack;
import io.atoll.lock.LockAlgorithm;
import io.atoll.map.DistributedMap;
import io.atoll.map.LongLongMap;
import io.atoll.queue.CircularQueue;
import io.atoll.queue.FastQueue;
import io.atoll.world.Membership;
import io.atoll.world.NamedStructure;
import io.atoll.world.Participant;
import io.atoll.world.Peers.PeerStatus;
import io.atoll.world.Reservations;
import io.atoll.world.WaitReason;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The failure of an operation names the structure. */
@Timeout(120)
@Tag("slow")
class StructureNamesInFailuresTest {

    private static final Duration SOON = Duration.ofSeconds(30);
    private static final String NAME = "orders";
    private static final long SEGMENT_BYTES = 4 << 20;

    @TempDir
    private Path folder;

    private final RefusingMembership membership = new RefusingMembership();
    private World world;
    private World other;

    @BeforeEach
    void join() {
        world = open(0, membership);
        other = open(1, Membership.ofOneHost());
    }

    @AfterEach
    void leave() {
        world.close();
        other.close();
    }

    private World open(int rank, Membership member) {
        return World.named("naming")
                .size(2)
                .rank(rank)
                .segment(SEGMENT_BYTES)
                .membership(member)
                .operationTimeout(Duration.ofMillis(100))
                .fabric(Fabrics.sharedMemory(folder, false))
                .open();
    }

    /**
     * A structure that needs rank 1.
     *
     * @param opening opens it and returns an operation that needs rank 1
     */
    private record Kind(String name, Function<World, ThrowingCallable> opening) {

        @Override
        public String toString() {
            return name;
        }
    }

    private static Kind kind(String name, Function<World, ThrowingCallable> opening) {
        return new Kind(name, opening);
    }

    static Stream<Kind> kinds() {
        return Stream.concat(
                Stream.of(LockAlgorithm.values())
                        .map(algorithm -> kind("lock-table", world -> locking(world, algorithm))),
                Stream.of(kind("long-map", world -> {
                    LongLongMap map = world.longMap(NAME).open();
                    long key = LongStream.range(0, 1000).filter(any -> map.owner(any) == 1).findFirst().orElseThrow();
                    map.put(key, 1);
                    return () -> map.getOrDefault(key, 0);
                }), kind("long-map", world -> {
                    LongLongMap map = world.longMap(NAME).fixedCapacity(1000).open();
                    long key = LongStream.range(0, 1000).filter(any -> map.owner(any) == 1).findFirst().orElseThrow();
                    return () -> map.addAndGet(key, 1);
                }), kind("map", world -> {
                    DistributedMap<Long, Long> map = world.map(NAME, Long.class, Long.class).open();
                    long key = keyAtOne(map);
                    map.put(key, 1L);
                    return () -> map.get(key);
                }), kind("map", world -> {
                    DistributedMap<Long, String> map = world.map(NAME, Long.class, String.class).open();
                    long key = keyAtOne(map);
                    return () -> map.put(key, "value");
                }), kind("bloom-filter", world -> {
                    var filter = world.longFilter(NAME).expectedElements(1000).open();
                    return () -> LongStream.range(0, 1000).forEach(filter::add);
                }), kind("queue", world -> {
                    CircularQueue<Long> queue = world.queue(NAME, Long.class).capacity(8).host(1).open();
                    return () -> queue.push(1L);
                }), kind("queue", world -> {
                    CircularQueue<Long> queue = world.queue(NAME, Long.class).capacity(8).host(0).open();
                    queue.migrate(1);
                    return () -> queue.push(1L);
                }), kind("fast-queue", world -> {
                    FastQueue<Long> queue = world.fastQueue(NAME, Long.class).capacity(8).host(1).open();
                    return () -> queue.push(1L);
                }), kind("fast-queue", world -> {
                    FastQueue<Long> queue = world.fastQueue(NAME, Long.class).capacity(8).host(0).open();
                    queue.migrate(1);
                    return () -> queue.push(1L);
                }), kind("linked-queue", world -> {
                    LinkedQueue<Long> queue = world.linkedQueue(NAME, Long.class).host(1).open();
                    return () -> queue.push(1L);
                }), kind("linked-stack", world -> {
                    LinkedStack<Long> stack = world.stack(NAME, Long.class).host(1).open();
                    stack.push(1L);
                    return stack::pop;
                }), kind("array", world -> {
                    var array = world.array(NAME, Long.class).length(8).host(1).open();
                    return () -> array.set(1, 1L);
                }), kind("distributed-array", world -> {
                    var array = world.longArray(NAME).length(8).open();
                    return () -> array.get(7);
                }), kind("distributed-array", world -> {
                    var array = world.distributedArray(NAME, Long.class).length(8).open();
                    return () -> array.get(7);
                }), kind("broadcast", world -> {
                    var broadcast = world.collectives().broadcast(NAME).bytes(8).open();
                    return () -> broadcast.send(0, 8);
                }), kind("exchange", world -> {
                    var exchange = world.collectives().exchange(NAME).open();
                    return exchange::barrier;
                })));
    }

    private static ThrowingCallable locking(World world, LockAlgorithm algorithm) {
        var table = world.lockTable(NAME).locks(8).algorithm(algorithm).open();
        long lock = LongStream.range(0, 8).filter(any -> table.owner(any) == 1).findFirst().orElseThrow();
        return () -> requireNonNull(table.tryLockAt(lock)).close();
    }

    private static long keyAtOne(DistributedMap<Long, ?> map) {
        return LongStream.range(0, 1000).filter(any -> map.owner(any) == 1).findFirst().orElseThrow();
    }

    private static void assertNames(String kind, FabricException failure) {
        assertThat(failure.structure()).as(failure.getMessage()).contains(NAME);
        assertThat(failure.kind()).contains(kind);
        assertThat(failure).hasMessageMatching(
                "[^:=]+: structure=" + NAME + " kind=" + kind + " verb=\\w+ rank=\\d( offset=\\d+)?( .*)?");
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void anOperationThatNeedsARankThatIsAwayNamesItsStructure(Kind kind) {
        ThrowingCallable operation = kind.opening().apply(world);
        other.close();
        await().atMost(SOON)
                .until(() -> world.peers().snapshot().get(1).status() == PeerStatus.LOST);

        assertNames(kind.name(), catchThrowableOfType(RankUnreachableException.class, operation));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void anOperationOfAProcessThatTakesPartNoMoreNamesItsStructure(Kind kind) {
        ThrowingCallable operation = kind.opening().apply(world);
        membership.refuse();
        await().atMost(SOON).until(() -> world.refusal().isPresent());

        assertNames(kind.name(), catchThrowableOfType(FencedException.class, operation));
    }

    /** Structures that take more of a heap as they are used. */
    static Stream<Kind> growing() {
        return Stream.of(kind("long-map", world -> {
            LongLongMap map = world.longMap(NAME).open();
            return () -> LongStream.range(0, 10_000_000).forEach(key -> map.put(key, key));
        }), kind("map", world -> {
            DistributedMap<Long, String> map = world.map(NAME, Long.class, String.class).fixedCapacity(1000).open();
            return () -> map.put(keyAtOne(map), "x".repeat(100_000));
        }), kind("linked-queue", world -> {
            LinkedQueue<Long> queue = world.linkedQueue(NAME, Long.class).host(1).open();
            return () -> LongStream.range(0, 10_000_000).forEach(queue::push);
        }), kind("linked-stack", world -> {
            LinkedStack<Long> stack = world.stack(NAME, Long.class).host(1).open();
            return () -> LongStream.range(0, 10_000_000).forEach(stack::push);
        }), kind("queue", world -> {
            CircularQueue<Long> queue = world.queue(NAME, Long.class).capacity(8).host(1).open();
            return () -> queue.resize(SEGMENT_BYTES);
        }), kind("fast-queue", world -> {
            FastQueue<Long> queue = world.fastQueue(NAME, Long.class).capacity(8).host(1).open();
            return () -> queue.resize(SEGMENT_BYTES);
        }), kind("array", world -> () -> world.array(NAME, Long.class).length(SEGMENT_BYTES).host(1).open()));
    }

    @ParameterizedTest
    @MethodSource("growing")
    void anOperationThatFindsNoRoomNamesItsStructure(Kind kind) {
        ThrowingCallable operation = kind.opening().apply(world);
        fill(world.participant());

        assertNames(kind.name(), catchThrowableOfType(SegmentFullException.class, operation));
        // A growing map fails at once with the same message as before.
        assertNames(kind.name(), catchThrowableOfType(SegmentFullException.class, operation));
    }

    /** Fills the heap, so that no whole slab is free. */
    private static void fill(Participant self) {
        long bytes = SEGMENT_BYTES;
        while (bytes >= 4096) {
            try {
                self.heap().allocate(1, bytes);
            } catch (SegmentFullException full) {
                assertThat(full.structure()).isEmpty();
                bytes /= 2;
            }
        }
    }

    @Test
    void aWaitForARankThatDoesNotGoOnNamesTheStructureWhereverItsWordLies() {
        world.longMap(NAME).fixedCapacity(1000).open();
        NamedStructure block = world.structures()
                .stream()
                .filter(each -> each.name().equals(NAME))
                .findFirst()
                .orElseThrow();
        Participant self = world.participant();
        for (WaitReason waitReason : List.of(new WaitReason("insert into", NAME), WaitReason.of("lock"))) {
            FabricTimeoutException late = catchThrowableOfType(FabricTimeoutException.class,
                    () -> self.reservations()
                            .awaitSettled(0, block.offset(), 0, 1, () -> Reservations.NOBODY + 2, waitReason));
            assertNames("long-map", late);
            assertThat(late).hasMessageContainingAll("or raise the operation timeout (atoll.world.operation-timeout): ",
                    " doing=[" + waitReason + "]", " holder=1", " timeoutMillis=100");
        }
    }

    @Test
    void aBlockThatHasTakenThePlaceOfAnotherIsNamedAndWhatWasFreedIsNot() {
        LongLongMap map = world.longMap(NAME).capacity(64).open();
        put(map, 10);
        long before = presentRun();
        assertThat(nameAt(before)).isEqualTo(NAME);
        put(map, 10_000);
        world.epochs().clear();

        assertThat(presentRun()).isNotEqualTo(before);
        assertThat(nameAt(presentRun())).isEqualTo(NAME);
        assertThat(nameAt(before)).isNull();
    }

    private static void put(LongLongMap map, long keys) {
        LongStream.range(0, keys).forEach(key -> map.put(key, key));
    }

    /** Returns the block of the map at rank 0. */
    private long presentRun() {
        Participant self = world.participant();
        NamedStructure map = self.directory()
                .structures(0)
                .stream()
                .filter(each -> each.name().equals(NAME))
                .findFirst()
                .orElseThrow();
        return LongLongMap.figures(self::seedAt).runs(self.endpoint(), 0, map).getFirst();
    }

    private @Nullable String nameAt(long offset) {
        StructureName structure = world.participant().endpoint().structures().find(0, offset);
        return structure == null ? null : structure.name();
    }

    @Test
    void anOperationOfAWorldThatWasClosedNamesItsStructure() {
        LongLongMap map = world.longMap(NAME).fixedCapacity(1000).open();
        world.close();
        assertThat(catchThrowable(() -> LongStream.range(0, 100).forEach(key -> map.getOrDefault(key, 0))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("structure=" + NAME + " kind=long-map ");
    }
}
