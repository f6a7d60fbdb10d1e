package io.atoll.app.isx;

import io.atoll.World;
import io.atoll.app.command.CommandException;
import io.atoll.app.job.JobRank;
import io.atoll.queue.FastQueue;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A rank's part of the ISx benchmark, a bucket sort of evenly spread keys (BCL, section 9.1 and figure 3). Every rank
 * hosts a queue, the bucket of its share of the keys' range. A rank collects keys in a buffer for each bucket, and
 * pushes a buffer when it is full. The writes go on while the next keys are distributed. After a barrier each rank
 * sorts the keys that it was sent.
 *
 * <p>All of this is done once before it counts, so that compiled code is measured. The reference implementation of ISx
 * does the same.
 *
 * @param message how many keys are pushed at once
 */
record IntegerSort(Keys keys, int message, boolean compared) implements JobRank.Program {

    private static final long SPARE_BYTES = 8 << 20;

    private long segmentBytes() {
        return (keys.capacity(message) * Long.BYTES / SPARE_BYTES + 2) * SPARE_BYTES;
    }

    /**
     * The keys that a rank brings, and those that it receives, must fit into the old generation: two thirds of the
     * heap. The rank that sorts all keys in one process has them twice.
     */
    @Override
    public long heapBytes() {
        return JobRank.Program.super.heapBytes()
                + 2 * Long.BYTES * (keys.each() + keys.capacity(message) + (compared ? 2 * keys.all() : 0)) * 3 / 4;
    }

    @Override
    public void run(JobRank rank) throws InterruptedException {
        World world = rank.join(segmentBytes());
        List<FastQueue<Long>> buckets = IntStream.range(0, rank.size())
                .mapToObj(host -> world.fastQueue("bucket" + host, Long.class)
                        .capacity(keys.capacity(message))
                        .host(host)
                        .open())
                .toList();
        long[] own = keys.of(rank.rank());
        long[] sorted = new long[(int) keys.capacity(message)];
        sort(world, own, buckets, sorted);
        Phases phases = sort(world, own, buckets, sorted);
        new Verification(keys, rank.rank()).verify(world, own, Arrays.copyOf(sorted, phases.count()));
        phases.report(rank, world, keys, compared);
    }

    private Phases sort(World world, long[] own, List<FastQueue<Long>> buckets, long[] sorted)
            throws InterruptedException {
        world.barrier();
        long startNanos = System.nanoTime();
        distribute(own, buckets);
        world.barrier();
        long distributedNanos = System.nanoTime();
        int count = (int) buckets.get(world.rank()).popEncoded(MemorySegment.ofArray(sorted));
        Arrays.sort(sorted, 0, count);
        return new Phases(count, distributedNanos - startNanos, System.nanoTime() - distributedNanos);
    }

    private void distribute(long[] own, List<FastQueue<Long>> buckets) {
        long[][] buffers = new long[buckets.size()][message];
        int[] filled = new int[buckets.size()];
        for (long key : own) {
            int bucket = Keys.bucket(key, filled.length);
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
            throw new CommandException(
                    "the bucket of a rank is full: rank=" + bucket + " capacity=" + buckets.get(bucket).capacity());
        }
        filled[bucket] = 0;
    }
}
