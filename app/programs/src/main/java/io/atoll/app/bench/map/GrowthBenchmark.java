package io.atoll.app.bench.map;

import io.atoll.World;
import io.atoll.app.bench.measurement.Rounds;
import io.atoll.app.job.JobRank;
import io.atoll.map.LongLongMap;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * The measurements of each rank: insertions of random keys, timed one by one, since only some of them pay for growth.
 *
 * @param elements the number of keys that each rank inserts
 */
record GrowthBenchmark(int elements, Rounds rounds) implements JobRank.Program {

    private static final long FIRST_CAPACITY = 1_000;
    private static final long SPARE_BYTES = 32 << 20;

    /**
     * Each round needs one map of twice the keys, rounded up. It also needs one that grows to that size or twice that
     * size, together with its earlier tables.
     */
    private long segmentBytes(int ranks) {
        long largest = Long.highestOneBit(elements) * 4 * 2 * Long.BYTES;
        return (rounds.warmups() + rounds.runs()) * 3 * largest + ranks * SPARE_BYTES;
    }

    @Override
    public void run(JobRank rank) throws InterruptedException {
        World world = rank.join(segmentBytes(rank.size()));
        rounds.run(rank, world, clocked -> {
            long[] keys = new SplittableRandom(31L * clocked.round() + world.rank()).longs(elements).toArray();
            long capacity = (long) elements * world.size();
            measure(world, clocked, "growing", keys,
                    world.longMap("growing" + clocked.round()).capacity(FIRST_CAPACITY).open());
            measure(world, clocked, "fixed", keys,
                    world.longMap("fixed" + clocked.round()).fixedCapacity(capacity).open());
        });
    }

    private static void measure(World world, Rounds.Clocked clocked, String kind, long[] keys, LongLongMap map)
            throws InterruptedException {
        int[] nanos = new int[keys.length];
        clocked.measure(kind + ", insert", keys.length, () -> insert(map, keys, nanos));
        Arrays.sort(nanos);
        for (double percent : new double[]{50, 99, 99.99, 100}) {
            long[] worst = {nanos[(int) Math.min(nanos.length - 1L, (long) (nanos.length * percent / 100))]};
            world.allReduce(worst, Math::max);
            clocked.tell(kind + ", insert, " + (percent == 100 ? "longest" : percent + " %"), worst[0],
                    Rounds.NANOS);
        }
        clocked.measure(kind + ", find", keys.length, () -> MapBenchmark.find(map, keys));
        clocked.measure(kind + ", increment", keys.length, () -> MapBenchmark.increment(map, keys));
    }

    private static long insert(LongLongMap map, long[] keys, int[] nanos) {
        long inserted = 0;
        long before = System.nanoTime();
        for (int number = 0; number < keys.length; number++) {
            inserted += map.putIfAbsent(keys[number], 1) ? 1 : 0;
            long after = System.nanoTime();
            nanos[number] = (int) Math.min(Integer.MAX_VALUE, after - before);
            before = after;
        }
        return inserted;
    }
}
