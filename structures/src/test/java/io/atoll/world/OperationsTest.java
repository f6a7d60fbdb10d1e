package io.atoll.world;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.AllocatedBytes;
import io.atoll.EveryStructure;
import io.atoll.Inspection;
import io.atoll.World;
import io.atoll.array.DistributedArray;
import io.atoll.array.LongArray;
import io.atoll.filter.LongBloomFilter;
import io.atoll.linked.LinkedQueue;
import io.atoll.linked.LinkedStack;
import io.atoll.lock.Acquisition;
import io.atoll.lock.LockTable;
import io.atoll.map.DistributedMap;
import io.atoll.map.HashMapBuffer;
import io.atoll.map.LongLongMap;
import io.atoll.queue.CircularQueue;
import io.atoll.queue.FastQueue;
import io.atoll.queue.LongCircularQueue;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How often a process uses each structure. */
class OperationsTest {

    private World world;

    @BeforeEach
    void open() {
        world = World.named("operations").segment(32 << 20).open();
    }

    @AfterEach
    void leave() {
        world.close();
    }

    private long counted(String structure, Runnable use) {
        long before = world.inspection().operations(structure);
        use.run();
        return world.inspection().operations(structure) - before;
    }

    @Test
    void aCallIsOneAndSoIsEachKeyOfSeveral() {
        LongLongMap hits = world.longMap("hits").fixedCapacity(1_000).open();
        assertThat(world.inspection().operations("hits")).as("opening is none").isZero();
        assertThat(counted("hits", () -> hits.putIfAbsent(1, 1))).isOne();
        assertThat(counted("hits", () -> hits.putIfAbsent(1, 1))).as("whatever comes of it").isOne();
        assertThat(counted("hits", () -> hits.getOrDefault(2, 0))).isOne();
        assertThat(counted("hits", () -> hits.containsKey(2))).isOne();
        assertThat(counted("hits", () -> hits.addAndGet(1, 1))).isOne();
        assertThat(counted("hits", () -> hits.replace(1, 2, 3))).isOne();
        assertThat(counted("hits", () -> hits.getAll(new long[]{1, 2, 3}, 0))).isEqualTo(3);
        assertThat(counted("hits", hits::size)).isOne();
        assertThat(counted("hits", () -> hits.owner(1))).as("a look at the structure").isZero();
    }

    @ParameterizedTest
    @EnumSource
    void anOperationIsOneWhateverTheStructure(EveryStructure structure) {
        Runnable operation = structure.operation(world, "counted");
        assertThat(counted("counted", operation)).isOne();
    }

    @Test
    void aMapOfObjectsCountsLikewise() {
        DistributedMap<Long, String> names = world.map("names", Long.class, String.class).open();
        assertThat(counted("names", () -> names.put(1L, "one"))).isOne();
        assertThat(counted("names", () -> names.get(1L))).isOne();
        assertThat(counted("names", () -> names.merge(1L, "1", String::concat))).isOne();
        assertThat(counted("names", () -> names.putAll(Map.of(2L, "two", 3L, "three")))).isEqualTo(2);
        assertThat(counted("names", () -> names.getAll(List.of(1L, 2L, 3L, 4L)))).isEqualTo(4);
        assertThat(counted("names", () -> names.asConcurrentMap().get(1L))).isOne();
        assertThat(counted("names", () -> names.getAndRemove(1L))).isOne();
        assertThat(counted("names", () -> names.forEach((key, value) -> {}))).isOne();
    }

    @Test
    void anEntryThatIsInsertedThroughABufferIsOne() {
        DistributedMap<Long, Long> orders = world.map("orders", Long.class, Long.class).open();
        HashMapBuffer<Long, Long> buffer = orders.buffer(64, 8);
        assertThat(counted("orders", () -> {
            for (long key = 0; key < 20; key++) {
                buffer.putIfAbsent(key, key);
            }
        })).isEqualTo(20);
    }

    @Test
    void aPopOfSeveralIsAsManyAsCameButOneAtLeast() {
        CircularQueue<Long> jobs = world.queue("jobs", Long.class).capacity(64).open();
        assertThat(counted("jobs", () -> jobs.push(List.of(1L, 2L, 3L)))).isEqualTo(3);
        assertThat(counted("jobs", () -> jobs.pop(8))).isEqualTo(3);
        assertThat(counted("jobs", () -> jobs.pop(8))).isOne();
        assertThat(counted("jobs", () -> jobs.push(1L))).isOne();
        assertThat(counted("jobs", jobs::pop)).isOne();
        assertThat(counted("jobs", jobs::size)).as("a look at the structure").isZero();

        LongCircularQueue ids = world.longQueue("ids").capacity(64).open();
        assertThat(counted("ids", () -> ids.push(new long[]{1, 2, 3}, 3))).isEqualTo(3);
        assertThat(counted("ids", () -> ids.pop(new long[8]))).isEqualTo(3);

        FastQueue<Long> fast = world.fastQueue("fast", Long.class).capacity(64).open();
        assertThat(counted("fast", () -> fast.push(List.of(1L, 2L, 3L)))).isEqualTo(3);
        assertThat(counted("fast", () -> fast.pop(8))).isEqualTo(3);
        assertThat(counted("fast", fast::pop)).isOne();
    }

    @Test
    void elementsThatAreAddedOrReadTogetherCountEach() {
        LongBloomFilter seen = world.longFilter("seen").expectedElements(1_000).open();
        assertThat(counted("seen", () -> seen.addAll(new long[]{1, 2, 3}))).isEqualTo(3);
        LongArray cells = world.longArray("cells").length(100).open();
        assertThat(counted("cells", () -> cells.read(0, new long[10]))).isEqualTo(10);
    }

    @Test
    void whatLooksOrTakesCountsAsWhatPuts() {
        LongBloomFilter seen = world.longFilter("seen").expectedElements(1_000).open();
        assertThat(counted("seen", () -> seen.mightContain(7))).isOne();
        LinkedStack<Long> stack = world.stack("stack", Long.class).open();
        assertThat(counted("stack", stack::pop)).isOne();
        LinkedQueue<Long> line = world.linkedQueue("line", Long.class).open();
        assertThat(counted("line", line::pop)).isOne();
        LongArray cells = world.longArray("cells").length(100).open();
        assertThat(counted("cells", () -> cells.getAndAdd(1, 2))).isOne();
        DistributedArray<Long> objects = world.distributedArray("objects", Long.class).length(100).open();
        assertThat(counted("objects", () -> objects.get(1))).isOne();
    }

    @Test
    void aLockCountsAttemptsAndNoReleases() throws InterruptedException {
        LockTable guards = world.lockTable("guards").locks(10).open();
        try (Acquisition held = guards.lockAt(1)) {
            assertThat(held.isHeld()).isTrue();
            assertThat(counted("guards", () -> guards.tryLockAt(1))).as("also in vain").isOne();
        }
        assertThat(world.inspection().operations("guards")).as("a release is none").isEqualTo(2);
    }

    @Test
    void allThatAreOpenedByOneNameCountTogether() {
        LongLongMap first = world.longMap("hits").open();
        LongLongMap second = world.longMap("hits").openLazily();
        first.putIfAbsent(1, 1);
        second.putIfAbsent(2, 2);
        assertThat(world.inspection().operations("hits")).isEqualTo(2);
        assertThat(world.inspection().operations("nobody's")).isZero();
    }

    @Test
    void threadsLoseNothingAndManyOfThemTakeNoMoreMemory() throws Exception {
        Operations operations = new Operations();
        int structures = 1_000;
        List<OperationCounter> counters = IntStream.range(0, structures)
                .mapToObj(structure -> operations.counter("structure " + structure))
                .toList();
        int threads = 10_000;
        try (ExecutorService each = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> done = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                int structure = thread % structures;
                done.add(each.submit(() -> OperationCounter.add(counters.get(structure).cells(), 100)));
            }
            for (Future<?> future : done) {
                future.get();
            }
        }
        long sum = operations.counters().stream().mapToLong(OperationCounter::count).sum();
        assertThat(sum).isBetween(threads * 99L, threads * 100L);
        assertThat(operations.counters()).hasSize(structures);
        assertThat(counters.getFirst().cells().length * Long.BYTES)
                .as("bytes of a structure, however many threads there are")
                .isLessThanOrEqualTo((4 << 10) + 64);
    }

    @Test
    void threadsOfTheirOwnStripesLoseNothing() throws Exception {
        OperationCounter counter = new Operations().counter("hits");
        Map<Long, Thread> threadsByStripe = new HashMap<>();
        while (threadsByStripe.size() < 8) {
            Thread thread = Thread.ofPlatform().unstarted(() -> {
                for (int time = 0; time < 1_000_000; time++) {
                    OperationCounter.add(counter.cells(), 1);
                }
            });
            threadsByStripe.putIfAbsent(thread.threadId() % OperationCounter.STRIPES, thread);
        }
        threadsByStripe.values().forEach(Thread::start);
        for (Thread thread : threadsByStripe.values()) {
            thread.join();
        }
        assertThat(counter.count()).isEqualTo(8_000_000);
    }

    @Test
    void whatWasToldIsNotTakenBack() {
        OperationCounter counter = new Operations().counter("hits");
        OperationCounter.add(counter.cells(), 10);
        assertThat(counter.count()).isEqualTo(10);
        OperationCounter.add(counter.cells(), -3); // as a thread does that was stopped between its load and its store
        assertThat(counter.count()).isEqualTo(10);
        OperationCounter.add(counter.cells(), 5);
        assertThat(counter.count()).isEqualTo(12);
    }

    @Test
    void countingAllocatesNothing() {
        LongLongMap hits = world.longMap("hits").fixedCapacity(1_000).open();
        hits.putIfAbsent(1, 1);
        Inspection inspection = world.inspection();
        assertThat(AllocatedBytes.of(() -> {
            for (int time = 0; time < 20_000; time++) {
                hits.getOrDefault(1, 0);
            }
            inspection.operations("hits");
        })).isZero();
    }
}
