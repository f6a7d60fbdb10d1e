package io.atoll.app.bench.map;

import io.atoll.World;
import io.atoll.app.bench.measurement.Rounds;
import io.atoll.app.bench.raw.RawBuffer;
import io.atoll.app.bench.raw.RawTable;
import io.atoll.app.job.JobRank;
import io.atoll.map.DistributedMap;
import io.atoll.map.HashMapBuffer;
import io.atoll.map.LongLongMap;
import io.atoll.memory.LocalMemory;
import io.atoll.promise.Promise;
import java.util.SplittableRandom;

/**
 * The measurements of each rank: operations of a {@link LongLongMap}, and of a {@link DistributedMap} of longs (BCL,
 * figure 9). Keys are random and spread over all ranks, and the load factor is 0.5. Beside each stands the time of the
 * verbs alone that the operation needs at least, on as much memory.
 *
 * <p>Each round has maps of its own, since a map that was filled once keeps the buckets of its keys. So the raw tables
 * are new in each round, too: both loops meet memory that this process has not touched, or both do not.
 *
 * @param keys the number of keys of each rank that the maps have room for. The buckets are twice as many, rounded up to
 * a power of two, and half of them are filled
 * @param touched true if each process touches all segments before the first round
 */
record MapBenchmark(long keys, boolean touched, Rounds rounds) implements JobRank.Program {

    private static final int MESSAGE = 1_024;

    private static final int LONG_BUCKET_WORDS = 2;
    private static final int BUCKET_WORDS = 4;
    private static final long SPARE_BYTES = 16 << 20;

    /** The structures without a protocol. */
    private record Raw(RawTable longs, RawTable objects, RawBuffer buffer) {

        static Raw open(World world, int round, long buckets, long received) {
            return new Raw(RawTable.open(world, "raw longs" + round, buckets, LONG_BUCKET_WORDS),
                    RawTable.open(world, "raw objects" + round, buckets, BUCKET_WORDS),
                    RawBuffer.open(world, "raw buffered" + round,
                            RawTable.open(world, "raw buffered objects" + round, buckets, BUCKET_WORDS), received,
                            MESSAGE));
        }
    }

    /**
     * The keys that a rank inserts, and those that it looks for. It looks for another rank's keys, since it would find
     * its own in its cache.
     */
    private record Keys(long[] own, long[] others) {}

    private long buckets(int ranks) {
        return LongLongMap.bytesPerRank(ranks, keys * ranks) / Long.BYTES / LONG_BUCKET_WORDS;
    }

    /** Returns half of the buckets of one rank. */
    private int filled(int ranks) {
        return (int) (buckets(ranks) / 2);
    }

    /** The number of keys that are sent to a rank differs from its share by about the share's square root. */
    private long received(int ranks) {
        return filled(ranks) + 10 * (long) Math.sqrt(filled(ranks)) + (long) ranks * MESSAGE;
    }

    /** Every round has three maps and a buffer, and as much without a structure. */
    private long segmentBytes(int ranks) {
        long maps = buckets(ranks) * (LONG_BUCKET_WORDS + 2 * BUCKET_WORDS) * Long.BYTES
                + RawBuffer.bytes(received(ranks));
        return (rounds.warmups() + rounds.runs()) * 2 * maps + SPARE_BYTES;
    }

    @Override
    public void run(JobRank rank) throws InterruptedException {
        World world = rank.join(segmentBytes(rank.size()));
        if (touched) {
            touch(world);
        }
        rounds.run(rank, world, clocked -> {
            Raw raw = Raw.open(world, clocked.round(), buckets(world.size()), received(world.size()));
            Keys keys = new Keys(keys(clocked.round(), world.rank(), filled(world.size())),
                    keys(clocked.round(), (world.rank() + 1) % world.size(), filled(world.size())));
            measureLongs(clocked, keys, world.longMap("longs" + clocked.round())
                    .fixedCapacity(this.keys * world.size())
                    .open(), raw.longs);
            measureObjects(clocked, keys, map(world, "objects" + clocked.round()), raw.objects);
            measureBuffer(clocked, keys, map(world, "buffered" + clocked.round())
                    .buffer(Math.toIntExact(received(world.size())), MESSAGE), raw.buffer);
        });
    }

    /** Makes the kernel map all pages of the segments that this process maps. */
    private static void touch(World world) {
        for (int rank = 0; rank < world.size(); rank++) {
            LocalMemory mapped = world.participant().endpoint().mapped(rank);
            if (mapped != null) {
                mapped.view(0, mapped.size()).load();
            }
        }
    }

    private DistributedMap<Long, Long> map(World world, String name) {
        return world.map(name, Long.class, Long.class).fixedCapacity(keys * world.size()).open();
    }

    private static long[] keys(int round, int rank, int count) {
        return new SplittableRandom(round * 1_000_003L + rank).longs(count).toArray();
    }

    private static void measureLongs(Rounds.Clocked clocked, Keys keys, LongLongMap map, RawTable raw)
            throws InterruptedException {
        int count = keys.own.length;
        clocked.measure("LongLongMap, insert", count, () -> insert(map, keys.own), () -> insert(raw, keys.own));
        clocked.measure("LongLongMap, find", count, () -> find(map, keys.others), () -> find(raw, keys.others));
        clocked.measure("LongLongMap, find, only finds promised", count, () -> findOnly(map, keys.others),
                () -> find(raw, keys.others));
        clocked.measure("LongLongMap, increment", count, () -> increment(map, keys.others),
                () -> increment(raw, keys.others));
    }

    private static void measureObjects(Rounds.Clocked clocked, Keys keys, DistributedMap<Long, Long> map, RawTable raw)
            throws InterruptedException {
        int count = keys.own.length;
        clocked.measure("DistributedMap, insert", count, () -> insert(map, keys.own), () -> insert(raw, keys.own));
        clocked.measure("DistributedMap, find", count, () -> find(map, keys.others), () -> find(raw, keys.others));
        clocked.measure("DistributedMap, find, only finds promised", count, () -> findOnly(map, keys.others),
                () -> find(raw, keys.others));
    }

    private static void measureBuffer(Rounds.Clocked clocked, Keys keys, HashMapBuffer<Long, Long> buffer,
            RawBuffer raw) throws InterruptedException {
        clocked.measure("DistributedMap, insert, buffered", keys.own.length, () -> insert(buffer, keys.own),
                () -> insert(raw, keys.own));
    }

    // Each loop stands by itself, as users write it, so that the compiler sees which method is called.

    private static long insert(LongLongMap map, long[] keys) {
        long inserted = 0;
        for (long key : keys) {
            inserted += map.putIfAbsent(key, key >>> 3) ? 1 : 0;
        }
        return Rounds.required(inserted, keys.length);
    }

    static long find(LongLongMap map, long[] keys) {
        long sum = 0;
        for (long key : keys) {
            sum += map.getOrDefault(key, 0);
        }
        return sum;
    }

    private static long findOnly(LongLongMap map, long[] keys) {
        long sum = 0;
        for (long key : keys) {
            sum += map.getOrDefault(key, 0, Promise.onlyReads());
        }
        return sum;
    }

    static long increment(LongLongMap map, long[] keys) {
        long sum = 0;
        for (long key : keys) {
            sum += map.addAndGet(key, 1);
        }
        return sum;
    }

    private static long insert(DistributedMap<Long, Long> map, long[] keys) {
        long inserted = 0;
        for (long key : keys) {
            inserted += map.putIfAbsent(key, key) ? 1 : 0;
        }
        return Rounds.required(inserted, keys.length);
    }

    private static long find(DistributedMap<Long, Long> map, long[] keys) {
        long found = 0;
        for (long key : keys) {
            found += map.get(key) != null ? 1 : 0;
        }
        return Rounds.required(found, keys.length);
    }

    private static long findOnly(DistributedMap<Long, Long> map, long[] keys) {
        long found = 0;
        for (long key : keys) {
            found += map.get(key, Promise.onlyReads()) != null ? 1 : 0;
        }
        return Rounds.required(found, keys.length);
    }

    private static long insert(HashMapBuffer<Long, Long> buffer, long[] keys) throws InterruptedException {
        for (long key : keys) {
            buffer.putIfAbsent(key, key);
        }
        buffer.flush();
        return keys.length;
    }

    private static long insert(RawTable table, long[] keys) {
        long sum = 0;
        for (long key : keys) {
            sum += table.insert(key);
        }
        return sum;
    }

    private static long find(RawTable table, long[] keys) {
        long sum = 0;
        for (long key : keys) {
            sum += table.find(key);
        }
        return sum;
    }

    private static long increment(RawTable table, long[] keys) {
        long sum = 0;
        for (long key : keys) {
            sum += table.increment(key);
        }
        return sum;
    }

    private static long insert(RawBuffer buffer, long[] keys) throws InterruptedException {
        for (long key : keys) {
            buffer.insert(key, key);
        }
        return buffer.flush();
    }
}
