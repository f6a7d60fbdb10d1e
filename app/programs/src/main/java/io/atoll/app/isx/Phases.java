package io.atoll.app.isx;

import io.atoll.World;
import io.atoll.app.job.JobRank;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * The times that a rank took to sort.
 *
 * @param count the number of keys that the rank was sent
 */
record Phases(int count, long distributionNanos, long sortNanos) {

    private static final double NANOS_PER_SECOND = 1e9;

    /** Rank 0 prints the times of the slowest rank. */
    void report(JobRank rank, World world, Keys keys, boolean compared) throws InterruptedException {
        long[] nanos = {distributionNanos, sortNanos, distributionNanos + sortNanos};
        world.allReduce(nanos, Math::max);
        if (rank.rank() > 0) {
            return;
        }
        rank.print(String.format(Locale.ROOT, "%-26s%d", "keys", keys.all()));
        print(rank, "distribution", nanos[0]);
        print(rank, "local sort", nanos[1]);
        print(rank, "both", nanos[2]);
        rank.print(String.format(Locale.ROOT, "%-26s%.1f", "million keys a second", keys.all() * 1e3 / nanos[2]));
        if (compared) {
            long alone = inOneProcess(keys);
            print(rank, "parallel sort, 1 process", alone);
            rank.print(String.format(Locale.ROOT, "%-26s%.2f", "times as long", (double) nanos[2] / alone));
        }
    }

    private static void print(JobRank rank, String what, long nanos) {
        rank.print(String.format(Locale.ROOT, "%-26s%.3f s", what, nanos / NANOS_PER_SECOND));
    }

    /**
     * Sorts in this process alone, which has the machine for itself now that the other ranks are done. Sorts once
     * before it counts, as the ranks do.
     */
    private static long inOneProcess(Keys keys) {
        long[] all = IntStream.range(0, keys.ranks()).mapToObj(keys::of).flatMapToLong(LongStream::of).toArray();
        Arrays.parallelSort(all.clone());
        long startNanos = System.nanoTime();
        Arrays.parallelSort(all);
        return System.nanoTime() - startNanos;
    }
}
