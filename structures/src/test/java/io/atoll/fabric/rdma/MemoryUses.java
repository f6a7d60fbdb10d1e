package io.atoll.fabric.rdma;

import static io.atoll.fabric.rdma.StructureUse.HOST;
import static io.atoll.fabric.rdma.StructureUse.KEYS;
import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.World;
import io.atoll.array.Array;
import io.atoll.array.DistributedArray;
import io.atoll.array.LongArray;
import io.atoll.array.Pointer;
import io.atoll.atomic.Aba;
import io.atoll.atomic.AtomicObject;
import io.atoll.atomic.ObjectType;
import io.atoll.epoch.EpochManager;
import io.atoll.epoch.Pin;
import io.atoll.epoch.Token;
import io.atoll.fabric.rdma.StructureUse.Point;
import io.atoll.heap.Heap;
import io.atoll.map.LongLongMap;
import io.atoll.memory.GlobalPointer;
import java.util.Arrays;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** Uses of arrays, pointers, atomic objects and epochs. */
final class MemoryUses {

    private MemoryUses() {}

    static void array(World world) throws InterruptedException {
        Array<Point> array = world.array("array", Point.class).length(KEYS).host(HOST).open();
        for (long index = world.rank(); index < KEYS; index += world.size()) {
            array.set(index, Point.of(index, 4));
        }
        world.barrier();
        for (long index = 0; index < KEYS; index++) {
            assertThat(array.get(index)).isEqualTo(Point.of(index, 4));
        }
    }

    static void distributedArray(World world) throws InterruptedException {
        DistributedArray<Long> array = world.distributedArray("spread", Long.class).length(KEYS).open();
        for (long index = world.rank(); index < KEYS; index += world.size()) {
            array.set(index, 3 * index);
        }
        world.barrier();
        for (long index = 0; index < KEYS; index++) {
            assertThat(array.get(index)).isEqualTo(3 * index);
        }
    }

    static void longArray(World world) throws InterruptedException {
        LongArray array = world.longArray("array of longs").length(KEYS).open();
        for (long index = 0; index < KEYS; index++) {
            array.getAndAdd(index, index);
        }
        world.barrier();
        long[] all = new long[KEYS];
        array.read(0, all);
        assertThat(all).containsExactly(LongStream.range(0, KEYS).map(index -> index * world.size()).toArray());
        world.barrier();
        if (world.rank() == 0) {
            array.write(1, LongStream.range(1, KEYS).toArray());
        }
        world.barrier();
        assertThat(LongStream.range(1, KEYS).filter(index -> array.get(index) != index)).isEmpty();
    }

    static void pointers(World world) throws InterruptedException {
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

    static void atomicObjects(World world) throws InterruptedException {
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
        assertThat(guarded.read()).isEqualTo(last);
        assertThat(guarded.readAba().count()).isEqualTo(1 + KEYS * world.size());
    }

    private static GlobalPointer next(@Nullable GlobalPointer pointer) {
        return new GlobalPointer(HOST, 64 + (pointer == null ? 0 : pointer.offset()));
    }

    static void epochs(World world) throws InterruptedException {
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
}
