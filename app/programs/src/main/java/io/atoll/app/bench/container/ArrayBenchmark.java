package io.atoll.app.bench.container;

import io.atoll.World;
import io.atoll.app.bench.measurement.Rounds;
import io.atoll.app.bench.raw.RawMemory;
import io.atoll.app.job.JobRank;
import io.atoll.array.DistributedArray;
import io.atoll.array.LongArray;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;

/**
 * The measurements of each rank. It reads and writes longs in the next rank's part of a distributed array: single ones
 * at random, and 1,024 neighbours at once; without boxing, and with it. Beside each stands the time of the verbs alone
 * that the operation needs at least, on as much memory.
 *
 * @param elements the size of each rank's part, and the number of operations
 */
record ArrayBenchmark(int elements, Rounds rounds) implements JobRank.Program {

    private static final int MESSAGE = 1_024;
    // Including the raw memory.
    private static final int ARRAYS = 3;
    private static final long SPARE_BYTES = 8 << 20;

    /** The rank whose part of the arrays is used, the part's first index, and the order of access. */
    private record Part(int rank, long first, long[] indices) {}

    @Override
    public void run(JobRank rank) throws InterruptedException {
        World world = rank.join(((long) ARRAYS * elements * Long.BYTES / SPARE_BYTES + 2) * SPARE_BYTES);
        long length = (long) elements * world.size();
        LongArray longs = world.longArray("longs").length(length).open();
        DistributedArray<Long> objects = world.distributedArray("objects", Long.class).length(length).open();
        RawMemory raw = RawMemory.open(world, "raw", (long) elements * Long.BYTES);
        int next = (rank.rank() + 1) % rank.size();
        Part part = new Part(next, (long) next * elements,
                new SplittableRandom(rank.rank()).longs(elements, 0, elements).toArray());
        rounds.run(rank, world, clocked -> {
            measureLongs(clocked, longs, part, raw);
            measureObjects(clocked, objects, part, raw);
        });
    }

    private void measureLongs(Rounds.Clocked clocked, LongArray array, Part part, RawMemory raw)
            throws InterruptedException {
        clocked.measure("LongArray, set", elements, () -> set(array, part), () -> set(raw, part));
        clocked.measure("LongArray, get", elements, () -> get(array, part), () -> get(raw, part));
        clocked.measure("LongArray, add", elements, () -> add(array, part), () -> add(raw, part));
    }

    private void measureObjects(Rounds.Clocked clocked, DistributedArray<Long> array, Part part, RawMemory raw)
            throws InterruptedException {
        clocked.measure("DistributedArray, set", elements, () -> set(array, part), () -> set(raw, part));
        clocked.measure("DistributedArray, get", elements, () -> get(array, part), () -> get(raw, part));
        clocked.measure("DistributedArray, write of 1,024, each", elements, () -> write(array, part),
                () -> write(raw, part));
        clocked.measure("DistributedArray, read of 1,024, each", elements, () -> read(array, part),
                () -> read(raw, part));
    }

    // Each loop stands by itself, as users write it, so that the compiler sees which method is called.

    private static long set(LongArray array, Part part) {
        for (long index : part.indices) {
            array.set(part.first + index, index);
        }
        array.flush();
        return part.indices.length;
    }

    private static long get(LongArray array, Part part) {
        long sum = 0;
        for (long index : part.indices) {
            sum += array.get(part.first + index);
        }
        return sum;
    }

    private static long add(LongArray array, Part part) {
        long sum = 0;
        for (long index : part.indices) {
            sum += array.getAndAdd(part.first + index, 1);
        }
        return sum;
    }

    private static long set(DistributedArray<Long> array, Part part) {
        for (long index : part.indices) {
            array.set(part.first + index, index);
        }
        array.flush();
        return part.indices.length;
    }

    private static long get(DistributedArray<Long> array, Part part) {
        long sum = 0;
        for (long index : part.indices) {
            sum += array.get(part.first + index);
        }
        return sum;
    }

    private long write(DistributedArray<Long> array, Part part) {
        MemorySegment some = MemorySegment.ofArray(new long[MESSAGE]);
        for (long done = 0; done < elements; done += MESSAGE) {
            array.write(part.first + done, some.asSlice(0, bytes(done)));
        }
        array.flush();
        return elements;
    }

    private long read(DistributedArray<Long> array, Part part) {
        long[] some = new long[MESSAGE];
        long sum = 0;
        for (long done = 0; done < elements; done += MESSAGE) {
            array.read(part.first + done, MemorySegment.ofArray(some).asSlice(0, bytes(done)));
            sum += some[0];
        }
        return sum;
    }

    private static long set(RawMemory raw, Part part) {
        for (long index : part.indices) {
            raw.writeWord(part.rank, index * Long.BYTES, index);
        }
        raw.flush(part.rank);
        return part.indices.length;
    }

    private static long get(RawMemory raw, Part part) {
        long sum = 0;
        for (long index : part.indices) {
            sum += raw.read(part.rank, index * Long.BYTES, 1);
        }
        return sum;
    }

    private static long add(RawMemory raw, Part part) {
        long sum = 0;
        for (long index : part.indices) {
            sum += raw.getAndAdd(part.rank, index * Long.BYTES, 1);
        }
        return sum;
    }

    private long write(RawMemory raw, Part part) {
        MemorySegment some = MemorySegment.ofArray(new long[MESSAGE]);
        for (long done = 0; done < elements; done += MESSAGE) {
            raw.write(part.rank, done * Long.BYTES, some, bytes(done));
        }
        raw.flush(part.rank);
        return elements;
    }

    private long read(RawMemory raw, Part part) {
        long[] some = new long[MESSAGE];
        long sum = 0;
        for (long done = 0; done < elements; done += MESSAGE) {
            raw.read(part.rank, done * Long.BYTES, MemorySegment.ofArray(some), bytes(done));
            sum += some[0];
        }
        return sum;
    }

    private long bytes(long done) {
        return Math.min(MESSAGE, elements - done) * Long.BYTES;
    }
}
