package io.atoll.app.bench;

import io.atoll.World;
import io.atoll.app.job.JobRank;
import io.atoll.codec.KeyHash;
import io.atoll.map.LongLongMap;
import io.atoll.memory.LocalMemory;
import io.atoll.promise.Promise;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.ToLongFunction;

/**
 * What each rank measures: operations of a {@link LongLongMap} on random keys, spread over all ranks, at load factor 0.5; and in the same run
 * the loads, stores and compare-and-exchanges alone that such an operation cannot do without, on as much of the same memory.
 *
 * @param keys how many the map has room for, for each rank; twice as many buckets, rounded up to a power of two, are half filled
 * @param warmups rounds whose times are dropped
 * @param runs rounds whose times are reported
 */
record MapBenchmark(long keys, int warmups, int runs) implements JobRank.Program {

    private static final long BUCKET_BYTES = 16;
    private static final long SPARE_BYTES = 8 << 20;
    private static final double MAP_LOAD_FACTOR = 0.5;

    /** Bytes that each rank's segment needs: every round has a map and a raw table of its own. */
    long segmentBytes() {
        long buckets = Long.highestOneBit(4 * keys) << 1;
        return (warmups + runs) * 2 * buckets * BUCKET_BYTES + SPARE_BYTES;
    }

    @Override
    public void run(JobRank rank) throws InterruptedException {
        World world = rank.join(segmentBytes());
        for (int round = 0; round < warmups + runs; round++) {
            measure(rank, world, round);
            rank.progress(round + 1L, (long) warmups + runs);
        }
    }

    private void measure(JobRank rank, World world, int round) throws InterruptedException {
        LongLongMap map = world.longMap("map" + round).fixedCapacity(keys * world.size()).open();
        int filled = (int) (map.buckets() * MAP_LOAD_FACTOR / world.size());
        long[] own = keys(round, world.rank(), filled);
        // Those of another rank: a rank that inserted them would find them in its cache.
        long[] others = keys(round, (world.rank() + 1) % world.size(), filled);
        // A loop of its own for each, as users write it, so that the compiler sees what is called.
        report(rank, world, round, "insert", own, keys -> {
            long inserted = 0;
            for (long key : keys) {
                inserted += map.insert(key, key >>> 3) ? 1 : 0;
            }
            return inserted;
        });
        report(rank, world, round, "find", others, keys -> {
            long sum = 0;
            for (long key : keys) {
                sum += map.find(key, 0);
            }
            return sum;
        });
        report(rank, world, round, "find, only finds promised", others, keys -> {
            long sum = 0;
            for (long key : keys) {
                sum += map.find(key, 0, Promise.onlyFinds());
            }
            return sum;
        });
        report(rank, world, round, "increment", others, keys -> {
            long sum = 0;
            for (long key : keys) {
                sum += map.increment(key, 1);
            }
            return sum;
        });
        RawTable raw = RawTable.open(world, "raw" + round, map.buckets() / world.size());
        report(rank, world, round, "raw insert", own, keys -> {
            long sum = 0;
            for (long key : keys) {
                sum += raw.insert(key);
            }
            return sum;
        });
        report(rank, world, round, "raw find", others, keys -> {
            long sum = 0;
            for (long key : keys) {
                sum += raw.find(key);
            }
            return sum;
        });
    }

    private static long[] keys(int round, int rank, int count) {
        return new SplittableRandom(round * 1_000_003L + rank).longs(count).toArray();
    }

    /** Between barriers, all ranks at once; the mean of the ranks' times. */
    private void report(JobRank rank, World world, int round, String name, long[] keys, ToLongFunction<long[]> loop)
            throws InterruptedException {
        world.barrier();
        long begin = System.nanoTime();
        long sum = loop.applyAsLong(keys); // used, so that nothing is optimised away
        long[] nanos = {System.nanoTime() - begin, sum};
        world.allReduce(nanos, Long::sum);
        if (rank.rank() == 0 && round >= warmups) {
            rank.print(name + '\t' + (double) nanos[0] / world.size() / keys.length + "\tns/operation");
        }
    }

    /** A table without a protocol: the least that one insertion, and one find, does to memory. */
    private record RawTable(LocalMemory[] memories, long[] blocks, long buckets) {

        static RawTable open(World world, String name, long buckets) {
            long[] blocks = world.participant().directory().open(name, "raw table", rank -> buckets * BUCKET_BYTES);
            LocalMemory[] memories = new LocalMemory[world.size()];
            for (int rank = 0; rank < world.size(); rank++) {
                memories[rank] = Objects.requireNonNull(world.participant().endpoint().mapped(rank),
                        "memory of one host");
            }
            return new RawTable(memories, blocks, buckets);
        }

        long insert(long key) {
            long hash = KeyHash.of(key);
            int owner = KeyHash.rank(hash, memories.length);
            long bucket = blocks[owner] + (hash & buckets - 1) * BUCKET_BYTES;
            long found = memories[owner].compareAndExchange(bucket, 0, 1);
            memories[owner].setRelease(bucket + Long.BYTES, key);
            memories[owner].setRelease(bucket, key);
            return found;
        }

        long find(long key) {
            long hash = KeyHash.of(key);
            int owner = KeyHash.rank(hash, memories.length);
            long bucket = blocks[owner] + (hash & buckets - 1) * BUCKET_BYTES;
            return memories[owner].getAcquire(bucket) + memories[owner].getAcquire(bucket + Long.BYTES)
                    + memories[owner].getAcquire(bucket);
        }
    }
}
