package io.atoll.app.bench;

import io.atoll.World;
import io.atoll.app.job.JobRank;
import io.atoll.array.DistributedArray;
import io.atoll.memory.LocalMemory;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.SplittableRandom;

/**
 * What each rank measures: reads and writes of longs in the next rank's part of a distributed array, at random one by one, and 1,024 that lie one behind the
 * other at once; and in the same run the loads and stores alone, on as much of the same memory.
 *
 * @param elements of each rank's part, and operations
 */
record ArrayBenchmark(int elements, Rounds rounds) implements JobRank.Program {

    private static final int MESSAGE = 1_024;
    private static final long SPARE_BYTES = 8 << 20;

    @Override
    public void run(JobRank rank) throws InterruptedException {
        World world = rank.join((2L * elements * Long.BYTES / SPARE_BYTES + 2) * SPARE_BYTES);
        DistributedArray<Long> array = world.distributedArray("array", Long.class)
                .length((long) elements * world.size())
                .open();
        int next = (rank.rank() + 1) % rank.size();
        long first = (long) next * elements;
        long[] indices = new SplittableRandom(rank.rank()).longs(elements, 0, elements).toArray();
        Raw raw = Raw.open(world, next, elements);
        rounds.run(rank, world, clocked -> {
            clocked.measure("set", elements, () -> set(array, first, indices));
            clocked.measure("get", elements, () -> get(array, first, indices));
            clocked.measure("write of 1,024, each", elements, () -> write(array, first));
            clocked.measure("read of 1,024, each", elements, () -> read(array, first));
            clocked.measure("raw set", elements, () -> raw.set(indices));
            clocked.measure("raw get", elements, () -> raw.get(indices));
        });
    }

    private static long set(DistributedArray<Long> array, long first, long[] indices) {
        for (long index : indices) {
            array.set(first + index, index);
        }
        array.flush();
        return indices.length;
    }

    private static long get(DistributedArray<Long> array, long first, long[] indices) {
        long sum = 0;
        for (long index : indices) {
            sum += array.get(first + index);
        }
        return sum;
    }

    private long write(DistributedArray<Long> array, long first) {
        MemorySegment some = MemorySegment.ofArray(new long[MESSAGE]);
        for (long done = 0; done < elements; done += MESSAGE) {
            array.write(first + done, some.asSlice(0, Math.min(MESSAGE, elements - done) * Long.BYTES));
        }
        array.flush();
        return elements;
    }

    private long read(DistributedArray<Long> array, long first) {
        long[] some = new long[MESSAGE];
        MemorySegment target = MemorySegment.ofArray(some);
        long sum = 0;
        for (long done = 0; done < elements; done += MESSAGE) {
            array.read(first + done, target.asSlice(0, Math.min(MESSAGE, elements - done) * Long.BYTES));
            sum += some[0];
        }
        return sum;
    }

    /** The least that a read, and a write, does to memory. */
    private record Raw(LocalMemory memory, long block) {

        static Raw open(World world, int rank, int elements) {
            long[] blocks = world.participant()
                    .directory()
                    .open("raw", "raw array", owner -> (long) elements * Long.BYTES);
            return new Raw(Objects.requireNonNull(world.participant().endpoint().mapped(rank), "memory of one host"),
                    blocks[rank]);
        }

        long set(long[] indices) {
            for (long index : indices) {
                memory.setRelease(block + index * Long.BYTES, index);
            }
            return indices.length;
        }

        long get(long[] indices) {
            long sum = 0;
            for (long index : indices) {
                sum += memory.getAcquire(block + index * Long.BYTES);
            }
            return sum;
        }
    }
}
