package io.atoll.fabric.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.World;
import io.atoll.array.Array;
import io.atoll.array.DistributedArray;
import io.atoll.atomic.Aba;
import io.atoll.atomic.AtomicObject;
import io.atoll.atomic.ObjectType;
import io.atoll.epoch.EpochManager;
import io.atoll.epoch.Pin;
import io.atoll.epoch.Token;
import io.atoll.filter.BloomFilter;
import io.atoll.filter.LongBloomFilter;
import io.atoll.heap.Heap;
import io.atoll.map.DistributedMap;
import io.atoll.map.LongLongMap;
import io.atoll.memory.GlobalPointer;
import io.atoll.pointer.Pointer;
import io.atoll.queue.CircularQueue;
import io.atoll.queue.FastQueue;
import io.atoll.queue.LinkedQueue;
import io.atoll.queue.LongCircularQueue;
import io.atoll.stack.LinkedStack;
import io.atoll.world.directory.NamedStructure;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** What every rank does with a structure, at the same time as the others. What is hosted by one rank is so by rank 1. */
enum StructureUse {
    LONG_MAP(StructureUse::longMap), MAP(StructureUse::map), FILTERS(StructureUse::filters), //
    CIRCULAR_QUEUE(StructureUse::circularQueue), LONG_QUEUE(StructureUse::longQueue), FAST_QUEUE(
            StructureUse::fastQueue), //
    STACK(StructureUse::stack), LINKED_QUEUE(StructureUse::linkedQueue), //
    ARRAY(StructureUse::array), DISTRIBUTED_ARRAY(StructureUse::distributedArray), POINTERS(StructureUse::pointers), //
    ATOMIC_OBJECTS(StructureUse::atomicObjects), EPOCHS(StructureUse::epochs), //
    BARRIER(StructureUse::barrier), ALL_REDUCE(StructureUse::allReduce), DIRECTORY(StructureUse::directory);

    private static final int KEYS = 100;
    private static final int HOST = 1;
    private static final long NONE = -1;

    private interface Steps {
        void take(World world) throws InterruptedException;
    }

    private record Point(long x, long y, long z) {

        static Point of(long key, long generation) {
            return new Point(key, generation * key, generation);
        }
    }

    private final Steps steps;

    StructureUse(Steps steps) {
        this.steps = steps;
    }

    void of(World world) throws InterruptedException {
        steps.take(world);
    }

    private static void longMap(World world) throws InterruptedException {
        LongLongMap counts = world.longMap("counts").capacity(1_000).open();
        for (long key = 0; key < KEYS; key++) {
            counts.increment(key, 1 + world.rank());
        }
        world.barrier();
        long all = LongStream.rangeClosed(1, world.size()).sum();
        for (long key = 0; key < KEYS; key++) {
            assertThat(counts.find(key, NONE)).isEqualTo(all);
        }
        world.barrier();
        for (long key = world.rank(); key < KEYS; key += world.size()) {
            assertThat(counts.remove(key, NONE)).isEqualTo(all);
        }
        world.barrier();
        assertThat(LongStream.range(0, KEYS).filter(counts::contains)).isEmpty();
    }

    private static void map(World world) throws InterruptedException {
        DistributedMap<Long, Point> points = world.map("points", Long.class, Point.class).capacity(1_000).open();
        long[] winners = new long[KEYS];
        for (int key = 0; key < KEYS; key++) {
            winners[key] = points.insert((long) key, Point.of(key, 1)) ? 1 : 0;
        }
        world.allReduce(winners, Long::sum);
        assertThat(winners).containsOnly(1);
        for (long key = world.rank(); key < KEYS; key += world.size()) {
            points.put(key, Point.of(key, 2));
        }
        world.barrier();
        for (long key = 0; key < KEYS; key++) {
            assertThat(points.find(key)).isEqualTo(Point.of(key, 2));
        }
    }

    private static void filters(World world) throws InterruptedException {
        BloomFilter<String> texts = world.filter("texts", String.class)
                .expectedElements(10_000)
                .falsePositiveRate(0.001)
                .open();
        LongBloomFilter longs = world.longFilter("longs").expectedElements(10_000).falsePositiveRate(0.001).open();
        long[] added = new long[2];
        for (int element = 0; element < KEYS; element++) {
            added[0] += texts.add("element " + element) ? 1 : 0;
            added[1] += longs.add(element) ? 1 : 0;
        }
        world.allReduce(added, Long::sum);
        for (long each : added) {
            assertThat(each).as("new to one rank only").isBetween(KEYS - 3L, (long) KEYS);
        }
        for (int element = 0; element < KEYS; element++) {
            assertThat(texts.mightContain("element " + element)).isTrue();
            assertThat(longs.mightContain(element)).isTrue();
        }
    }

    private static void circularQueue(World world) throws InterruptedException {
        CircularQueue<Point> queue = world.queue("points in a circle", Point.class).capacity(64).host(HOST).open();
        exchange(world, number -> assertThat(queue.push(Point.of(number, 3))).isTrue(), () -> {
            Point popped = queue.pop();
            assertThat(popped == null || popped.equals(Point.of(popped.x(), 3))).as("%s is whole", popped).isTrue();
            return popped == null ? NONE : popped.x();
        });
    }

    private static void longQueue(World world) throws InterruptedException {
        LongCircularQueue queue = world.longQueue("longs in a circle").capacity(64).host(HOST).open();
        exchange(world, number -> assertThat(queue.push(number)).isTrue(), () -> queue.pop(NONE));
    }

    private static void stack(World world) throws InterruptedException {
        LinkedStack<Long> stack = world.stack("stacked", Long.class).host(HOST).open();
        exchange(world, stack::push, () -> orNone(stack.pop()));
    }

    private static void linkedQueue(World world) throws InterruptedException {
        LinkedQueue<Long> queue = world.linkedQueue("linked", Long.class).host(HOST).open();
        exchange(world, queue::push, () -> orNone(queue.pop()));
    }

    private static long orNone(@Nullable Long popped) {
        return popped == null ? NONE : popped;
    }

    /** As each rank pops only after it has pushed, there is always something for it; in the end each number has been popped once. */
    private static void exchange(World world, LongConsumer push, LongSupplier pop) throws InterruptedException {
        long[] sums = new long[2];
        for (int turn = 0; turn < KEYS; turn++) {
            push.accept((long) turn * world.size() + world.rank());
            long popped = pop.getAsLong();
            assertThat(popped).isNotEqualTo(NONE);
            sums[0] += popped;
            sums[1] += popped * popped;
        }
        world.allReduce(sums, Long::sum);
        long all = (long) KEYS * world.size();
        assertThat(sums).containsExactly(LongStream.range(0, all).sum(),
                LongStream.range(0, all).map(number -> number * number).sum());
        assertThat(pop.getAsLong()).isEqualTo(NONE);
    }

    private static void fastQueue(World world) throws InterruptedException {
        FastQueue<Long> queue = world.fastQueue("fast", Long.class).capacity(1_000).host(HOST).open();
        for (long number = 0; number < KEYS; number += 2) {
            assertThat(queue.push(List.of(number, number + 1))).isTrue();
        }
        world.barrier();
        long[] sum = new long[1];
        for (List<Long> popped = queue.pop(7); !popped.isEmpty(); popped = queue.pop(7)) {
            sum[0] += popped.stream().mapToLong(Long::longValue).sum();
        }
        world.allReduce(sum, Long::sum);
        assertThat(sum).containsExactly(world.size() * LongStream.range(0, KEYS).sum());
    }

    private static void array(World world) throws InterruptedException {
        Array<Point> array = world.array("array", Point.class).length(KEYS).host(HOST).open();
        for (long index = world.rank(); index < KEYS; index += world.size()) {
            array.set(index, Point.of(index, 4));
        }
        world.barrier();
        for (long index = 0; index < KEYS; index++) {
            assertThat(array.get(index)).isEqualTo(Point.of(index, 4));
        }
    }

    private static void distributedArray(World world) throws InterruptedException {
        DistributedArray<Long> array = world.distributedArray("spread", Long.class).length(KEYS).open();
        for (long index = world.rank(); index < KEYS; index += world.size()) {
            array.set(index, 3 * index);
        }
        world.barrier();
        for (long index = 0; index < KEYS; index++) {
            assertThat(array.get(index)).isEqualTo(3 * index);
        }
    }

    private static void atomicObjects(World world) throws InterruptedException {
        long[] words = {0, 0};
        if (world.rank() == HOST) {
            Arrays.setAll(words, index -> world.participant().heap().allocate(HOST, Long.BYTES));
        }
        world.allReduce(words, Long::sum);
        var endpoint = world.participant().endpoint();
        var plain = AtomicObject.plain(endpoint, HOST, words[0], ObjectType.POINTER);
        var guarded = AtomicObject.abaProtected(endpoint, HOST, words[1], ObjectType.POINTER);
        if (world.rank() == 0) {
            plain.write(next(null));
            guarded.write(next(null));
        }
        world.barrier();
        for (int change = 0; change < KEYS; change++) {
            GlobalPointer found;
            do {
                found = plain.read();
            } while (!plain.compareAndSwap(found, next(found)));
            Aba<GlobalPointer> counted;
            do {
                counted = guarded.readAba();
            } while (!guarded.compareAndSwapAba(counted, next(counted.object())));
        }
        world.barrier();
        GlobalPointer last = new GlobalPointer(HOST, 64L * (1 + KEYS * world.size()));
        assertThat(plain.read()).isEqualTo(last);
        assertThat(guarded.readAba()).isEqualTo(new Aba<>(last, 1 + KEYS * world.size()));
    }

    private static GlobalPointer next(@Nullable GlobalPointer pointer) {
        return new GlobalPointer(HOST, 64 + (pointer == null ? 0 : pointer.offset()));
    }

    private static void epochs(World world) throws InterruptedException {
        EpochManager epochs = world.epochs();
        Heap heap = world.participant().heap();
        clear(world);
        long before = heap.usage(world.rank()).objects();
        world.barrier();
        try (Token reader = epochs.register(); Token writer = epochs.register()) {
            Pin held = world.rank() == 0 ? reader.pin() : null;
            world.barrier();
            try (Pin _ = writer.pin()) {
                for (int number = 0; number < KEYS; number++) {
                    writer.retire(heap.allocatePointer((world.rank() + number) % world.size(), 64));
                }
            }
            for (int attempt = 0; attempt < 4; attempt++) {
                assertThat(writer.tryReclaim()).as("rank 0 is pinned").isZero();
            }
            world.barrier();
            if (held != null) {
                held.close();
            }
        }
        clear(world);
        assertThat(heap.usage(world.rank()).objects()).isEqualTo(before);
    }

    private static void clear(World world) throws InterruptedException {
        world.barrier();
        world.epochs().clear();
        world.barrier();
    }

    private static void pointers(World world) throws InterruptedException {
        int next = (world.rank() + 1) % world.size();
        Pointer<Point> points = world.allocate(next, Point.class, KEYS);
        LongLongMap addresses = world.longMap("addresses").capacity(100).open();
        addresses.put(next, points.address().toWord());
        for (int index = 0; index < KEYS; index++) {
            points.write(index, Point.of(index, world.rank()));
        }
        world.barrier();
        GlobalPointer told = GlobalPointer.fromWord(addresses.find(world.rank(), 0));
        Pointer<Point> own = world.pointer(told, Point.class);
        int previous = (world.rank() + world.size() - 1) % world.size();
        assertThat(own.isLocal()).isTrue();
        for (int index = 0; index < KEYS; index++) {
            assertThat(own.read(index)).isEqualTo(Point.of(index, previous));
        }
    }

    private static void barrier(World world) throws InterruptedException {
        LongLongMap rounds = world.longMap("rounds").capacity(100).open();
        for (long round = 1; round <= 10; round++) {
            rounds.put(world.rank(), round);
            world.barrier();
            for (int rank = 0; rank < world.size(); rank++) {
                assertThat(rounds.find(rank, 0)).isEqualTo(round);
            }
            world.barrier();
        }
    }

    private static void allReduce(World world) throws InterruptedException {
        long[] values = new long[200];
        Arrays.setAll(values, index -> world.rank() * 1_000L + index);
        world.allReduce(values, Math::max);
        for (int index = 0; index < values.length; index++) {
            assertThat(values[index]).isEqualTo((world.size() - 1) * 1_000L + index);
        }
    }

    private static void directory(World world) throws InterruptedException {
        for (int number = 0; number < 5; number++) {
            world.longMap("map" + number).capacity(100).open(); // all ranks at once
        }
        world.barrier();
        assertThat(world.structures()).extracting(NamedStructure::name)
                .contains("map0", "map1", "map2", "map3", "map4")
                .doesNotHaveDuplicates();
    }
}
