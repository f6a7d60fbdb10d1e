package io.atoll.app.isx;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.atoll.World;
import io.atoll.app.job.JobException;
import io.atoll.app.job.JobRank;
import io.atoll.codec.KeyHash;
import io.atoll.queue.FastQueue;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * A rank's part of the ISx benchmark, a bucket sort of keys that are spread evenly (BCL, section 9.1 and figure 3): every rank hosts a queue, the bucket of its
 * share of the keys' range. Keys are collected in a buffer for each bucket and pushed when it is full; the writes go on while the next keys are
 * distributed. After a barrier each rank sorts what it was sent.
 *
 * @param keys of each rank
 * @param message how many are pushed at once
 * @param comparison keys of all ranks that rank 0 sorts by itself afterwards, to compare; 0 for none
 */
record IntegerSort(int keys, int message, int comparison) implements JobRank.Program {

    static final long RANGE = 1L << Integer.SIZE;

    private static final long SPARE_BYTES = 8 << 20;
    private static final double NANOS_PER_SECOND = 1e9;

    /** What a bucket must hold: its share of the keys is off by about their number's square root. */
    private long capacity() {
        return keys + 10 * (long) Math.sqrt(keys) + message;
    }

    private long segmentBytes() {
        return (capacity() * Long.BYTES / SPARE_BYTES + 2) * SPARE_BYTES;
    }

    /**
     * The keys that a rank brings, and those that it has received, beside what it needs otherwise; in the older generation, two thirds of all. Who sorts all of them in one process
     * has them twice.
     */
    @Override
    public long heapBytes() {
        return JobRank.Program.super.heapBytes()
                + 2 * Long.BYTES * (keys + capacity() + 2L * comparison) * 3 / 4;
    }

    @Override
    public void run(JobRank rank) throws InterruptedException {
        World world = rank.join(segmentBytes());
        List<FastQueue<Long>> buckets = IntStream.range(0, rank.size())
                .mapToObj(host -> world.fastQueue("bucket" + host, Long.class).capacity(capacity()).host(host).open())
                .toList();
        long[] own = keys(rank.rank()).toArray();
        world.barrier();
        long startNanos = System.nanoTime();
        distribute(own, buckets);
        world.barrier();
        long distributedNanos = System.nanoTime();
        long[] sorted = received(buckets.get(rank.rank()));
        Arrays.sort(sorted);
        long sortedNanos = System.nanoTime();
        verify(rank, world, own, sorted);
        long[] nanos = {distributedNanos - startNanos, sortedNanos - distributedNanos, sortedNanos - startNanos};
        world.allReduce(nanos, Math::max);
        if (rank.rank() == 0) {
            print(rank, nanos);
            if (comparison > 0) {
                compare(rank, nanos[2]);
            }
        }
    }

    private LongStream keys(int rank) {
        return new SplittableRandom(rank).longs(keys, 0, RANGE);
    }

    /** The others are done: this process has the machine for itself. */
    private void compare(JobRank rank, long sortNanos) {
        long[] all = IntStream.range(0, rank.size()).mapToObj(this::keys).flatMapToLong(each -> each).toArray();
        long startNanos = System.nanoTime();
        Arrays.parallelSort(all);
        long nanos = System.nanoTime() - startNanos;
        rank.print(String.format(Locale.ROOT, "%-26s%.3f s", "parallel sort, 1 process", nanos / NANOS_PER_SECOND));
        rank.print(String.format(Locale.ROOT, "%-26s%.2f", "times as long", (double) sortNanos / nanos));
    }

    private void distribute(long[] own, List<FastQueue<Long>> buckets) {
        long[][] buffers = new long[buckets.size()][message];
        int[] filled = new int[buckets.size()];
        for (long key : own) {
            int bucket = bucket(key, filled.length);
            buffers[bucket][filled[bucket]++] = key;
            if (filled[bucket] == message) {
                push(buffers[bucket], filled, bucket, buckets);
            }
        }
        for (int bucket = 0; bucket < filled.length; bucket++) {
            push(buffers[bucket], filled, bucket, buckets);
        }
    }

    private static void push(long[] buffer, int[] filled, int bucket, List<FastQueue<Long>> buckets) {
        MemorySegment whole = MemorySegment.ofArray(buffer).asSlice(0, (long) filled[bucket] * Long.BYTES);
        if (!buckets.get(bucket).pushEncoded(whole)) {
            throw new JobException("a bucket is full: rank=" + bucket + " capacity=" + buckets.get(bucket).capacity());
        }
        filled[bucket] = 0;
    }

    static int bucket(long key, int buckets) {
        return (int) (key * buckets / RANGE);
    }

    /** In one piece: a ring that was empty is not filled beyond its end. */
    private static long[] received(FastQueue<Long> bucket) {
        List<MemorySegment> pieces = bucket.local();
        return pieces.isEmpty() ? new long[0] : pieces.getFirst().toArray(JAVA_LONG);
    }

    /** None is lost, none has come from nowhere, and one rank's keys follow the other's. */
    private static void verify(JobRank rank, World world, long[] own, long[] sorted) throws InterruptedException {
        requireSorted(sorted, rank.rank(), rank.size());
        long[] sums = {own.length - sorted.length, checksum(own) - checksum(sorted)};
        world.allReduce(sums, Long::sum);
        if (sums[0] != 0 || sums[1] != 0) {
            throw new IllegalStateException("keys are lost, or have come from nowhere: missing=" + sums[0]
                    + " checksum=" + sums[1]);
        }
    }

    static void requireSorted(long[] sorted, int rank, int ranks) {
        for (int at = 0; at < sorted.length; at++) {
            if (bucket(sorted[at], ranks) != rank || at > 0 && sorted[at - 1] > sorted[at]) {
                throw new IllegalStateException("not sorted: rank=" + rank + " index=" + at + " key=" + sorted[at]);
            }
        }
    }

    /** Of the keys in any order. */
    static long checksum(long[] keys) {
        return Arrays.stream(keys).map(KeyHash::of).sum();
    }

    private void print(JobRank rank, long[] nanos) {
        long all = (long) keys * rank.size();
        rank.print(String.format(Locale.ROOT, "%-26s%d", "keys", all));
        rank.print(String.format(Locale.ROOT, "%-26s%.3f s", "distribution", nanos[0] / NANOS_PER_SECOND));
        rank.print(String.format(Locale.ROOT, "%-26s%.3f s", "local sort", nanos[1] / NANOS_PER_SECOND));
        rank.print(String.format(Locale.ROOT, "%-26s%.3f s", "both", nanos[2] / NANOS_PER_SECOND));
        rank.print(String.format(Locale.ROOT, "%-26s%.1f", "million keys a second", all * 1e3 / nanos[2]));
    }
}
