package io.atoll.app.bench.reclamation;

import io.atoll.World;
import io.atoll.app.bench.measurement.Rounds;
import io.atoll.app.job.JobRank;
import io.atoll.epoch.EpochManager;
import io.atoll.epoch.Pin;
import io.atoll.epoch.Token;
import io.atoll.heap.Heap;
import io.atoll.memory.GlobalPointer;
import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import java.util.SplittableRandom;

/**
 * The measurements of each rank, with one thread.
 *
 * @param operations the number of operations of each measurement and round
 */
record EpochsBenchmark(int operations, Rounds rounds) implements JobRank.Program {

    private static final long OBJECT_BYTES = 64;
    private static final long SPARE_BYTES = 32 << 20;
    // Measurements that reclaim every time do this fraction of the operations.
    private static final int EAGER = 20;
    private static final int SEED = 1;

    /**
     * The number of objects after which the loop tries to reclaim. It may also free all remaining objects at the end;
     * that time counts as well.
     */
    private enum When {

        NEVER("never reclaim", Integer.MAX_VALUE, false), //
        AT_THE_END("reclaim at the end", Integer.MAX_VALUE, true), //
        OFTEN("reclaim every 1024", 1_024, true), //
        ALWAYS("reclaim every 1", 1, true);

        final String text;
        final int every;
        final boolean clears;

        When(String text, int every, boolean clears) {
            this.text = text;
            this.every = every;
            this.clears = clears;
        }
    }

    /** The objects of all ranks may lie at one rank. Each object has a word beside it. */
    private long segmentBytes(int ranks) {
        return Layouts.roundUp(ranks * operations * (OBJECT_BYTES + 24) + SPARE_BYTES, 4096);
    }

    @Override
    public void run(JobRank rank) throws InterruptedException {
        try (World world = rank.join(segmentBytes(rank.size())); Token token = world.epochs().register()) {
            long[] blocks = world.participant().directory().open("word", "word", any -> Layouts.CACHE_LINE);
            rounds.run(rank, world, clocked -> {
                measureOneOfEach(world, clocked, token, blocks[world.rank()]);
                measureFigures(world, clocked, token);
            });
        }
    }

    private void measureOneOfEach(World world, Rounds.Clocked clocked, Token token, long word)
            throws InterruptedException {
        LocalMemory memory = world.participant().endpoint().fabric().local();
        clocked.measure("compare-and-exchange and full fence", operations, () -> exchange(memory, word, operations));
        clocked.measure("pin and unpin", operations, () -> pin(token, operations));
        for (int remote : new int[]{0, 100}) {
            long[] objects = objects(world, operations, remote);
            clocked.measure("retire alone, " + remote + " % remote", operations, () -> retire(token, objects));
            clocked.measure("free, " + remote + " % remote", operations, world.epochs()::clear);
        }
    }

    /** Measures listing 5 of the paper. */
    private void measureFigures(World world, Rounds.Clocked clocked, Token token) throws InterruptedException {
        for (int remote : new int[]{0, 50, 100}) {
            for (When when : When.values()) {
                int count = when == When.ALWAYS ? Math.max(1, operations / EAGER) : operations;
                long[] objects = objects(world, count, remote);
                clocked.measure("retire, " + when.text + ", " + remote + " % remote", count,
                        () -> retireAndReclaim(world.epochs(), token, objects, when));
                world.barrier();
                world.epochs().clear();
                world.barrier();
            }
        }
    }

    private static long exchange(LocalMemory memory, long word, int count) {
        long sum = 0;
        for (int number = 0; number < count; number++) {
            sum += memory.compareAndExchange(word, number, number + 1L);
            memory.fullFence();
        }
        memory.setVolatile(word, 0);
        return sum;
    }

    private static long pin(Token token, int count) {
        for (int number = 0; number < count; number++) {
            token.pin();
            token.unpin();
        }
        return count;
    }

    private static long retire(Token token, long[] objects) {
        try (Pin _ = token.pin()) {
            for (long object : objects) {
                token.retire(object, OBJECT_BYTES);
            }
        }
        return objects.length;
    }

    private static long retireAndReclaim(EpochManager epochs, Token token, long[] objects, When when) {
        int untilReclaim = when.every;
        for (long object : objects) {
            token.pin();
            token.retire(object, OBJECT_BYTES);
            token.unpin();
            if (--untilReclaim == 0) {
                token.tryReclaim();
                untilReclaim = when.every;
            }
        }
        return when.clears ? epochs.clear() : objects.length;
    }

    private static long[] objects(World world, int count, int remotePercent) {
        Heap heap = world.participant().heap();
        int other = (world.rank() + 1) % world.size();
        SplittableRandom random = new SplittableRandom(SEED);
        long[] objects = new long[count];
        for (int number = 0; number < count; number++) {
            int rank = random.nextInt(100) < remotePercent ? other : world.rank();
            objects[number] = new GlobalPointer(rank, heap.allocate(rank, OBJECT_BYTES)).toWord();
        }
        return objects;
    }
}
