package io.atoll.app.bench.container;

import io.atoll.World;
import io.atoll.app.bench.measurement.Rounds;
import io.atoll.app.bench.raw.RawWords;
import io.atoll.app.job.JobRank;
import io.atoll.filter.FilterSize;
import io.atoll.filter.LongBloomFilter;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * The measurements of each rank. It adds random longs to a filter that is large enough for the elements of all ranks.
 * Then it asks the filter for them. Beside each stands the time of the verbs alone that the operation needs at least,
 * on as much memory.
 *
 * @param elements the number of elements that each rank adds
 */
record FilterBenchmark(int elements, Rounds rounds) implements JobRank.Program {

    private static final double RATE = 0.01;
    private static final int MESSAGE = 1_024;
    private static final long SPARE_BYTES = 8 << 20;

    @Override
    public void run(JobRank rank) throws InterruptedException {
        FilterSize size = FilterSize.of((long) elements * rank.size(), RATE);
        World world = rank.join(2 * size.bytesPerRank(rank.size()) + SPARE_BYTES);
        LongBloomFilter filter = world.longFilter("filter")
                .expectedElements(size.expectedElements())
                .falsePositiveRate(RATE)
                .open();
        RawWords raw = RawWords.open(world, size.bytesPerRank(rank.size()) / Long.BYTES);
        rounds.run(rank, world, clocked -> {
            long[] own = elements(clocked.round(), world.rank());
            long[] others = elements(clocked.round(), (world.rank() + 1) % world.size());
            measureEach(clocked, filter, own, others, raw);
            clear(world, filter);
            measureSeveral(clocked, filter, own, others, raw);
            tellFalsePositives(world, clocked, filter);
            clear(world, filter);
        });
    }

    private long[] elements(int round, int rank) {
        return new SplittableRandom(round * 1_000_003L + rank).longs(elements).toArray();
    }

    private void measureEach(Rounds.Clocked clocked, LongBloomFilter filter, long[] own, long[] others, RawWords raw)
            throws InterruptedException {
        clocked.measure("add", elements, () -> add(filter, own), () -> raw.set(own));
        clocked.measure("add, was there", elements, () -> add(filter, others), () -> raw.set(others));
        clocked.measure("find", elements, () -> find(filter, others), () -> raw.read(others));
    }

    private void measureSeveral(Rounds.Clocked clocked, LongBloomFilter filter, long[] own, long[] others,
            RawWords raw) throws InterruptedException {
        clocked.measure("add of 1,024, each", elements, () -> addSeveral(filter, own), () -> raw.setSeveral(own));
        clocked.measure("find of 1,024, each", elements, () -> findSeveral(filter, others),
                () -> raw.readSeveral(others));
    }

    /** Asks for the elements of a rank that does not exist, and reports how many the filter seems to contain. */
    private void tellFalsePositives(World world, Rounds.Clocked clocked, LongBloomFilter filter)
            throws InterruptedException {
        long[] found = {Arrays.stream(elements(clocked.round(), world.size() + world.rank()))
                .filter(filter::mightContain)
                .count()};
        world.allReduce(found, Long::sum);
        clocked.tell("found though not added", 100.0 * found[0] / elements / world.size(), "%");
    }

    private static void clear(World world, LongBloomFilter filter) throws InterruptedException {
        world.barrier();
        if (world.rank() == 0) {
            filter.clear();
        }
        world.barrier();
    }

    // Each loop stands by itself, as users write it, so that the compiler sees which method is called.

    private static long add(LongBloomFilter filter, long[] elements) {
        long added = 0;
        for (long element : elements) {
            added += filter.add(element) ? 1 : 0;
        }
        return added;
    }

    private static long find(LongBloomFilter filter, long[] elements) {
        long found = 0;
        for (long element : elements) {
            found += filter.mightContain(element) ? 1 : 0;
        }
        return Rounds.required(found, elements.length);
    }

    private static long addSeveral(LongBloomFilter filter, long[] elements) {
        long added = 0;
        for (int from = 0; from < elements.length; from += MESSAGE) {
            added += count(filter.addAll(some(elements, from)));
        }
        return added;
    }

    private static long findSeveral(LongBloomFilter filter, long[] elements) {
        long found = 0;
        for (int from = 0; from < elements.length; from += MESSAGE) {
            found += count(filter.mightContainAll(some(elements, from)));
        }
        return Rounds.required(found, elements.length);
    }

    private static long[] some(long[] elements, int from) {
        return Arrays.copyOfRange(elements, from, Math.min(from + MESSAGE, elements.length));
    }

    private static long count(boolean[] answers) {
        long count = 0;
        for (boolean answer : answers) {
            count += answer ? 1 : 0;
        }
        return count;
    }
}
