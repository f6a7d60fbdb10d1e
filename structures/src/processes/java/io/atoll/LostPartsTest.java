package io.atoll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.atoll.array.LongArray;
import io.atoll.collective.Broadcast;
import io.atoll.collective.Exchange;
import io.atoll.epoch.EpochSnapshot;
import io.atoll.failure.ConfigurationMismatchException;
import io.atoll.failure.RankUnreachableException;
import io.atoll.failure.SegmentLostException;
import io.atoll.linked.LinkedQueue;
import io.atoll.linked.LinkedStack;
import io.atoll.map.DistributedMap;
import io.atoll.map.HashMapBuffer;
import io.atoll.map.LongLongMap;
import io.atoll.memory.LocalMemory;
import io.atoll.promise.BrokenPromiseException;
import io.atoll.promise.Promise;
import io.atoll.queue.CircularQueue;
import io.atoll.queue.FastQueue;
import io.atoll.queue.LongCircularQueue;
import io.atoll.world.Barrier;
import io.atoll.world.OnLoss;
import io.atoll.world.Participant;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests each kind of structure after a rank has come back without its segment. This class uses shared memory, and its
 * subclasses use other fabrics.
 */
@Tag("processes")
class LostPartsTest extends LossyWorlds {

    @Test
    void whatHasLostAPartIsOpenedByNobody() throws IOException {
        survivor().longMap("hits").open();
        survivor().longFilter("seen").open();
        survivor().longQueue("tasks").host(2).capacity(16).open();
        lose(2);
        for (World world : worlds) {
            assertThatThrownBy(() -> world.longMap("hits").open()).isInstanceOf(SegmentLostException.class);
            assertThatThrownBy(() -> world.longFilter("seen").open()).isInstanceOf(SegmentLostException.class);
        }
        assertThatThrownBy(() -> worlds.get(2).longQueue("tasks").host(2).capacity(16).open())
                .isInstanceOf(SegmentLostException.class);
    }

    @Test
    void newStructuresUseTheRankAgain() throws IOException {
        survivor().longMap("hits").open();
        lose(2);
        LongLongMap map = survivor().longMap("others").open();
        LongStream.range(0, 1_000).forEach(key -> map.put(key, key));
        for (World world : worlds) {
            assertThat(world.longMap("others").open().size()).isEqualTo(1_000);
        }
    }

    @Test
    void allMustAgreeWhatBecomesOfALoss() {
        survivor().longMap("hits").onLoss(OnLoss.EMPTY).open();
        assertThatThrownBy(() -> worlds.get(1).longMap("hits").open())
                .isInstanceOf(ConfigurationMismatchException.class)
                .hasMessageContaining("on-loss=empty");
    }

    @Test
    void barriersAndReductionsAreOfAllAgain() throws Exception {
        for (int rank : new int[]{2, 0}) {
            lose(rank);
            assertThat(atOnce(world -> {
                long[] sum = {world.rank() + 1};
                world.barrier();
                world.allReduce(sum, Long::sum);
                return sum[0];
            })).containsOnly(6L);
        }
    }

    /** The work of a process with its world. */
    interface Program<T> {

        T run(World world) throws Exception;
    }

    /** Runs the program at all ranks at the same time. Returns the results. */
    final <T> List<T> atOnce(Program<T> program) throws Exception {
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            List<Callable<T>> programs = new ArrayList<>();
            worlds.forEach(world -> programs.add(() -> program.run(world)));
            List<T> results = new ArrayList<>();
            for (Future<T> result : threads.invokeAll(programs)) {
                results.add(result.get());
            }
            return results;
        }
    }

    private static final long NONE = -1;

    /** Each rank pushes and pops by its own object of the queue. */
    private void useFromAllRanks(List<LongCircularQueue> queues) {
        for (int rank = 0; rank < RANKS; rank++) {
            assertThat(queues.get(rank).push(rank)).isTrue();
        }
        for (int rank = 0; rank < RANKS; rank++) {
            assertThat(queues.get((rank + 1) % RANKS).pop(NONE)).isEqualTo(rank);
        }
        assertThat(queues.getFirst().pop(NONE)).isEqualTo(NONE);
    }

    @Test
    void aCircularQueueSurvivesTheLossesOfAllRanksButItsHost() throws IOException {
        List<LongCircularQueue> queues = new ArrayList<>();
        worlds.forEach(world -> queues.add(world.longQueue("tasks").host(0).capacity(16).open()));
        useFromAllRanks(queues);
        for (int lost : new int[]{2, 1, 2}) {
            queues.getFirst().push(100 + lost);
            World again = lose(lost);
            assertThat(again.longQueue("tasks").host(0).capacity(16).open().pop(NONE)).isEqualTo(100 + lost);
            queues.set(lost, again.longQueue("tasks").host(0).capacity(16).open());
            useFromAllRanks(queues);
        }
        lose(0);
        for (World world : worlds) {
            assertThatThrownBy(() -> world.longQueue("tasks").host(0).capacity(16).open())
                    .isInstanceOf(SegmentLostException.class);
        }
        assertThatThrownBy(() -> queues.get(1).push(1)).isInstanceOf(SegmentLostException.class);
    }

    @Test
    void queuesAndStacksWhoseHostIsLostBeginEmpty() throws IOException {
        List<Supplier<Pushed>> kinds = List.of(
                () -> Pushed.of(survivor().longQueue("longs").host(2).capacity(16).onLoss(OnLoss.EMPTY).open()),
                () -> Pushed.of(
                        survivor().queue("queue", Long.class).host(2).capacity(16).onLoss(OnLoss.EMPTY).open()),
                () -> Pushed.of(
                        survivor().fastQueue("fast", Long.class).host(2).capacity(16).onLoss(OnLoss.EMPTY).open()),
                () -> Pushed.of(survivor().linkedQueue("linked", Long.class).host(2).onLoss(OnLoss.EMPTY).open()),
                () -> Pushed.of(survivor().stack("stack", Long.class).host(2).onLoss(OnLoss.EMPTY).open()));
        List<Pushed> before = kinds.stream().map(Supplier::get).toList();
        for (int turn = 0; turn < 3; turn++) {
            before.forEach(structure -> LongStream.range(0, 10).forEach(structure.push()::accept));
            before.forEach(structure -> assertThat(structure.pop().get()).isNotNull());
            lose(2);
            List<Pushed> since = kinds.stream().map(Supplier::get).toList();
            for (int kind = 0; kind < kinds.size(); kind++) {
                assertThat(before.get(kind).pop().get()).as("%s", before.get(kind)).isNull();
                before.get(kind).push().accept(7L);
                assertThat(since.get(kind).pop().get()).as("%s", before.get(kind)).isEqualTo(7);
                assertThat(since.get(kind).pop().get()).as("%s", before.get(kind)).isNull();
            }
        }
    }

    /** A structure with pushes and pops, of any kind. */
    private record Pushed(Object structure, Consumer<Long> push, Supplier<@Nullable Long> pop) {

        static Pushed of(LongCircularQueue queue) {
            return new Pushed(queue, queue::push, () -> {
                long popped = queue.pop(NONE);
                return popped == NONE ? null : popped;
            });
        }

        static Pushed of(CircularQueue<Long> queue) {
            return new Pushed(queue, queue::push, queue::pop);
        }

        static Pushed of(FastQueue<Long> queue) {
            return new Pushed(queue, queue::push, queue::pop);
        }

        static Pushed of(LinkedQueue<Long> queue) {
            return new Pushed(queue, queue::push, queue::pop);
        }

        static Pushed of(LinkedStack<Long> stack) {
            return new Pushed(stack, stack::push, stack::pop);
        }

        @Override
        public String toString() {
            return structure.toString();
        }
    }

    @Test
    void aQueueThatWasMovedToALostRankIsLostAndOneThatWasMovedAwayIsNot() throws IOException {
        LongCircularQueue there = survivor().longQueue("there").capacity(16).onLoss(OnLoss.EMPTY).open();
        FastQueue<Long> fastThere = survivor().fastQueue("fast there", Long.class).capacity(16).open();
        LongCircularQueue away = survivor().longQueue("away").capacity(16).open();
        FastQueue<Long> fastAway = survivor().fastQueue("fast away", Long.class).capacity(16).open();
        there.migrate(2);
        fastThere.migrate(2);
        away.migrate(2);
        away.push(3);
        away.migrate(1);
        assertThat(away.pop(NONE)).isEqualTo(3);
        away.push(4);
        away.pop(NONE);
        away.push(5);
        fastAway.push(6L);
        fastAway.migrate(1);
        World again = lose(2);

        // The data of a new structure lies where the rings were.
        LongArray filled = again.longArray("filled").host(2).length(300_000).open();
        filled.write(0, LongStream.range(1, 300_001).toArray());
        filled.flush();
        for (World world : worlds) {
            assertThatThrownBy(
                    () -> world.longQueue("there").capacity(16).onLoss(OnLoss.EMPTY).open().push(1))
                    .isInstanceOf(SegmentLostException.class)
                    .hasMessageContaining("there");
            assertThatThrownBy(() -> world.fastQueue("fast there", Long.class).capacity(16).open().push(1L))
                    .isInstanceOf(SegmentLostException.class)
                    .hasMessageContaining("fast there");
        }
        assertThatThrownBy(() -> there.push(1)).isInstanceOf(SegmentLostException.class);
        assertThatThrownBy(() -> fastThere.push(1L)).isInstanceOf(SegmentLostException.class);
        assertThat(again.longQueue("away").capacity(16).open().pop(NONE)).isEqualTo(5);
        assertThat(again.fastQueue("fast away", Long.class).capacity(16).open().pop()).isEqualTo(6);
        assertThat(away.pop(NONE)).isEqualTo(NONE);
        long[] left = new long[300_000];
        filled.read(0, left);
        assertThat(left).isEqualTo(LongStream.range(1, 300_001).toArray());
    }

    private void assertIsEmptyBut(long value, Pushed structure) {
        assertThat(structure.pop().get()).as("%s", structure).isEqualTo(value);
        assertThat(structure.pop().get()).as("%s", structure).isNull();
    }

    @Test
    void whileARankIsAwayWhatOthersHaveIsUsedAsBefore() throws IOException {
        List<Pushed> pushed = List.of( //
                Pushed.of(survivor().longQueue("plain").capacity(16).open()),
                Pushed.of(survivor().longQueue("longs").capacity(16).onLoss(OnLoss.EMPTY).open()),
                Pushed.of(survivor().queue("queue", Long.class).capacity(16).onLoss(OnLoss.EMPTY).open()),
                Pushed.of(survivor().fastQueue("fast", Long.class).capacity(16).onLoss(OnLoss.EMPTY).open()),
                Pushed.of(survivor().linkedQueue("linked", Long.class).onLoss(OnLoss.EMPTY).open()),
                Pushed.of(survivor().stack("stack", Long.class).onLoss(OnLoss.EMPTY).open()));
        LongLongMap longs = survivor().longMap("hits").onLoss(OnLoss.EMPTY).open();
        DistributedMap<Long, String> texts = survivor().map("texts", Long.class, String.class)
                .onLoss(OnLoss.EMPTY)
                .open();
        LongArray array = survivor().longArray("cells").length(RANKS * 100).onLoss(OnLoss.EMPTY).open();
        long own = LostSegmentTest.keyOf(longs, 0);
        long lost = LostSegmentTest.keyOf(longs, 2);
        long text = LongStream.range(0, 1_000).filter(key -> texts.owner(key) == 0).findFirst().orElseThrow();
        pushed.forEach(structure -> structure.push().accept(1L));
        longs.put(own, 1);
        texts.put(text, "text");
        array.set(0, 1);
        end(2);
        worlds.get(1).close();
        begin(2);
        await().atMost(LONG_ENOUGH).until(() -> survivor().participant().lossesSeen() == 1);

        pushed.forEach(structure -> assertIsEmptyBut(1, structure));
        pushed.forEach(structure -> structure.push().accept(2L));
        assertThat(longs.addAndGet(own, 1)).isEqualTo(2);
        assertThat(array.get(0)).isEqualTo(1);
        assertThat(texts.get(text)).isEqualTo("text");
        assertThatThrownBy(() -> longs.put(lost, 1)).isInstanceOf(SegmentLostException.class);

        begin(1);
        awaitAll();
        assertThat(worlds.get(2).longQueue("plain").capacity(16).open().pop(NONE)).isEqualTo(2);
        assertThat(pushed.getFirst().pop().get()).isNull();
        pushed.stream().skip(1).forEach(structure -> assertIsEmptyBut(2, structure));
        await().atMost(LONG_ENOUGH).ignoreException(SegmentLostException.class).until(() -> longs.put(lost, 1));
        assertThat(worlds.get(2).longMap("hits").onLoss(OnLoss.EMPTY).open().getOrDefault(lost, NONE)).isEqualTo(1);
    }

    @Test
    void promisesAreWatchedOverAgain() throws Exception {
        List<LongCircularQueue> queues = new ArrayList<>();
        worlds.forEach(world -> queues.add(world.longQueue("tasks").capacity(16).checkedPromises().open()));
        queues.getFirst().push(1);
        queues.get(2).pop(NONE);
        queues.set(2, lose(2).longQueue("tasks").capacity(16).checkedPromises().open());
        atOnce(world -> {
            world.barrier();
            return "";
        });
        queues.get(2).push(1);
        assertThatThrownBy(() -> queues.getFirst().pop(NONE, Promise.onlyPops()))
                .isInstanceOf(BrokenPromiseException.class)
                .hasMessageContaining("PUSH");
        assertThatThrownBy(() -> queues.get(1).pop(NONE, Promise.onlyPops()))
                .isInstanceOf(BrokenPromiseException.class);
    }

    @Test
    void buffersOfAMapThatBeginsEmptyGoOn() throws Exception {
        List<DistributedMap<Long, Long>> maps = new ArrayList<>();
        worlds.forEach(world -> maps.add(world.map("map", Long.class, Long.class).onLoss(OnLoss.EMPTY).open()));
        for (int turn = 0; turn < 3; turn++) {
            long first = turn * 10_000L;
            if (turn > 0) {
                maps.set(2, lose(2).map("map", Long.class, Long.class).onLoss(OnLoss.EMPTY).open());
            }
            atOnce(world -> {
                HashMapBuffer<Long, Long> buffer = maps.get(world.rank()).buffer(1_000, 10);
                LongStream.range(0, 1_000).forEach(key -> buffer.putIfAbsent(first + key * RANKS + world.rank(), key));
                buffer.flush();
                return "";
            });
            for (DistributedMap<Long, Long> map : maps) {
                assertThat(LongStream.range(0, 3_000).filter(key -> map.get(first + key) == null).count()).isZero();
            }
        }
    }

    @Test
    void collectivesAreOfAllAgain() throws Exception {
        List<Broadcast> windows = new ArrayList<>();
        List<Exchange> exchanges = new ArrayList<>();
        worlds.forEach(world -> {
            windows.add(world.collectives().broadcast("window").bytes(1 << 10).open());
            exchanges.add(world.collectives().exchange("exchange").open());
        });
        useFromAllRanks(windows, exchanges, 1);
        int turn = 1;
        for (int lost : new int[]{2, 0, 2}) {
            World again = lose(lost);
            windows.set(lost, again.collectives().broadcast("window").bytes(1 << 10).open());
            exchanges.set(lost, again.collectives().exchange("exchange").open());
            useFromAllRanks(windows, exchanges, ++turn);
            Broadcast other = survivor().collectives().broadcast("window").bytes(1 << 10).open();
            assertThat(other.team().size()).isEqualTo(RANKS);
        }
    }

    /** Members that receive do not call anything. */
    private void useFromAllRanks(List<Broadcast> windows, List<Exchange> exchanges, int turn) throws Exception {
        for (int root = 0; root < RANKS; root++) {
            long value = 10 * turn + root;
            windows.get(root).write(8, MemorySegment.ofArray(new long[]{value}));
            windows.get(root).send(8, 8);
            windows.get(root).flush();
            for (Broadcast window : windows) {
                long[] received = new long[1];
                window.read(8, MemorySegment.ofArray(received));
                assertThat(received).containsExactly(value);
            }
        }
        assertThat(atOnce(world -> {
            Exchange exchange = exchanges.get(world.rank());
            exchange.barrier();
            long[] sum = {world.rank() + turn};
            exchange.allReduce(sum, Long::sum);
            long[] all = new long[RANKS];
            exchange.allGather(MemorySegment.ofArray(new long[]{world.rank()}), MemorySegment.ofArray(all));
            return sum[0] * 1_000 + all[0] * 100 + all[1] * 10 + all[2];
        })).containsOnly((3L * turn + 3) * 1_000 + 12);
    }

    /** The barrier was found just before the loss, and is entered when the rank is back. */
    @Test
    void aBarrierThatReachesTheLostSegmentFailsAtOnce() throws IOException {
        Participant former = survivor().participant();
        int[] ranks = IntStream.range(0, RANKS).toArray();
        long[] areas = Arrays.stream(ranks)
                .mapToLong(rank -> former.heap().allocate(rank, Barrier.areaBytes(RANKS)))
                .toArray();
        Barrier barrier = Barrier.of(former, ranks, areas);
        // The first rank that it tells.
        lose(1);
        long beganNanos = System.nanoTime();
        assertThatThrownBy(() -> barrier.together(Barrier.Steps::pass)).isInstanceOf(SegmentLostException.class);
        assertThat(System.nanoTime() - beganNanos).as("not as long as one waits for a broken connection")
                .isLessThan(former.reservations().timeout().toNanos() / 2);
    }

    @Test
    void costsAreMeasuredAgain() throws Exception {
        for (int turn = 0; turn < 2; turn++) {
            assertThat(new HashSet<>(atOnce(world -> world.collectives().measureCosts(Broadcast.PIECE_BYTES))))
                    .hasSize(1);
            lose(1);
        }
    }

    /**
     * The array's parts are filled with a word. It may occur in no other memory, unless an operation on the lost part
     * wrote it there.
     */
    @Test
    void nothingIsWrittenIntoTheSegmentThatIsMadeAnew() throws Exception {
        long stray = 0x5AFE_0000_BAD0_0001L;
        AtomicBoolean isOver = new AtomicBoolean();
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            List<Future<Long>> writers = new ArrayList<>();
            for (int turn = 0; turn < 4; turn++) {
                LongArray array = worlds.get(turn % 2).longArray("cells " + turn).length(30_000).open();
                writers.add(threads.submit(() -> writeUntil(isOver, array, stray)));
                LocalMemory memory = lose(2).participant().endpoint().fabric().local();
                for (int look = 0; look < 3; look++) {
                    assertThat(isIn(memory, stray)).as("turn=%d", turn).isFalse();
                }
            }
            isOver.set(true);
            for (Future<Long> writer : writers) {
                assertThat(writer.get()).as("writes that were refused since what they meant was lost").isPositive();
            }
        }
    }

    private static boolean isIn(LocalMemory memory, long word) {
        return LongStream.iterate(0, at -> at < SEGMENT_BYTES, at -> at + Long.BYTES)
                .anyMatch(at -> memory.getAcquire(at) == word);
    }

    private static long writeUntil(AtomicBoolean isOver, LongArray array, long word) {
        long refused = 0;
        for (long at = 0; !isOver.get(); at = (at + 1) % 10_000) {
            try {
                array.set(20_000 + at, word);
            } catch (SegmentLostException lost) {
                refused++;
            } catch (RankUnreachableException away) {
                // The rank ends, or begins.
                Thread.onSpinWait();
            }
        }
        return refused;
    }

    @Test
    void limboOfALostSegmentIsLostAndEpochsGoOn() throws IOException {
        for (int rank : new int[]{2, 0}) {
            DistributedMap<Long, String> texts = worlds.get(1)
                    .map("texts " + rank, Long.class, String.class)
                    .onLoss(OnLoss.EMPTY)
                    .open();
            replaceAll(texts, 50);
            World again = lose(rank);
            DistributedMap<Long, String> there = again.map("texts " + rank, Long.class, String.class)
                    .onLoss(OnLoss.EMPTY)
                    .open();
            // A replacement by TCP takes a hundred times as long.
            int turns = hosts.areMapped() ? 20 : 4;
            for (int turn = 0; turn < turns; turn++) {
                replaceAll(texts, 20);
                replaceAll(there, 20);
                for (long key = 0; key < 100; key++) {
                    assertThat(texts.get(key)).isNotNull().isEqualTo(there.get(key));
                }
            }
            for (World world : worlds) {
                await().atMost(LONG_ENOUGH).untilAsserted(() -> {
                    world.epochs().tryReclaim();
                    EpochSnapshot.Rank own = world.epochs().snapshot().ranks().get(world.rank());
                    assertThat(own.retired() - own.freed() - own.lost()).as("in limbo: %s", own).isLessThan(200);
                });
            }
            assertThat(worlds.get(1).epochs().snapshot().ranks()).allSatisfy(
                    each -> assertThat(each.present()).isTrue());
        }
    }

    private static void replaceAll(DistributedMap<Long, String> texts, int times) {
        for (int turn = 0; turn < times; turn++) {
            for (long key = 0; key < 100; key++) {
                texts.put(key, "a text that is no longer than others: " + turn);
            }
        }
    }
}
