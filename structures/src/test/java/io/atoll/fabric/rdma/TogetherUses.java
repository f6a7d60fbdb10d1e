package io.atoll.fabric.rdma;

import static io.atoll.fabric.rdma.StructureUse.HOST;
import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.World;
import io.atoll.array.LongArray;
import io.atoll.collective.Broadcast;
import io.atoll.collective.Exchange;
import io.atoll.lock.Acquisition;
import io.atoll.lock.LockAlgorithm;
import io.atoll.lock.LockTable;
import io.atoll.map.LongLongMap;
import io.atoll.world.NamedStructure;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** Uses of what ranks do together: collectives, locks, and the directory of names. */
final class TogetherUses {

    private static final int WINDOW_BYTES = 20_000;
    private static final int LOCKS = 4;
    private static final int LOCK_TURNS = 10;

    private TogetherUses() {}

    static void barrier(World world) throws InterruptedException {
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

    static void allReduce(World world) throws InterruptedException {
        long[] values = new long[200];
        Arrays.setAll(values, index -> world.rank() * 1_000L + index);
        world.allReduce(values, Math::max);
        for (int index = 0; index < values.length; index++) {
            assertThat(values[index]).isEqualTo((world.size() - 1) * 1_000L + index);
        }
    }

    /** Broadcasts from each rank in turn, in several pieces. */
    static void broadcast(World world) throws InterruptedException {
        Broadcast window = world.collectives().broadcast("told").bytes(WINDOW_BYTES).open();
        for (int root = 0; root < world.size(); root++) {
            long[] told = numbers(WINDOW_BYTES / Long.BYTES, root);
            if (world.rank() == root) {
                window.write(0, MemorySegment.ofArray(told));
                window.send(0, WINDOW_BYTES);
                window.flush();
            } else {
                window.awaitNext(root);
                long[] received = new long[told.length];
                window.read(0, MemorySegment.ofArray(received));
                assertThat(received).containsExactly(told);
            }
            world.barrier();
        }
    }

    static void exchange(World world) throws InterruptedException {
        Exchange exchange = world.collectives().exchange("given").open();
        long[] all = new long[10 * world.size()];
        exchange.allGather(MemorySegment.ofArray(numbers(10, world.rank())), MemorySegment.ofArray(all));
        long[] sums = numbers(10, world.rank());
        exchange.reduce(HOST, sums, Long::sum);
        for (int rank = 0; rank < world.size(); rank++) {
            assertThat(Arrays.copyOfRange(all, 10 * rank, 10 * (rank + 1))).containsExactly(numbers(10, rank));
        }
        if (world.rank() == HOST) {
            int size = world.size();
            assertThat(sums).containsExactly(IntStream.range(0, 10)
                    .mapToLong(index -> LongStream.range(0, size).map(rank -> numbers(10, (int) rank)[index]).sum())
                    .toArray());
        }
    }

    private static long[] numbers(int count, int rank) {
        return LongStream.range(0, count).map(index -> 1_000L * rank + index).toArray();
    }

    /** Counts under each lock algorithm. Without the locks, some counts would be lost. */
    static void locks(World world) throws InterruptedException {
        for (LockAlgorithm algorithm : LockAlgorithm.values()) {
            LockTable locks = world.lockTable("by " + algorithm).algorithm(algorithm).locks(LOCKS).open();
            LongArray counts = world.longArray("under " + algorithm).length(LOCKS).open();
            for (int turn = 0; turn < LOCK_TURNS; turn++) {
                int index = (turn + world.rank()) % LOCKS;
                try (Acquisition held = locks.lockAt(index)) {
                    assertThat(held.index()).isEqualTo(index);
                    counts.set(index, counts.get(index) + 1);
                    counts.flush();
                }
            }
            world.barrier();
            assertThat(LongStream.range(0, LOCKS).map(counts::get).sum()).isEqualTo((long) LOCK_TURNS * world.size());
            world.barrier();
        }
    }

    static void directory(World world) throws InterruptedException {
        for (int number = 0; number < 5; number++) {
            world.longMap("map" + number).capacity(100).open(); // all ranks at once
        }
        world.barrier();
        assertThat(world.structures()).extracting(NamedStructure::name)
                .contains("map0", "map1", "map2", "map3", "map4")
                .doesNotHaveDuplicates();
    }
}
