package io.atoll.app.bench.measurement;

import io.atoll.World;
import io.atoll.app.job.JobRank;
import java.io.Serializable;

/**
 * How often a benchmark measures.
 *
 * @param warmups rounds whose times are dropped
 * @param runs rounds whose times are reported
 */
public record Rounds(int warmups, int runs) implements Serializable {

    public static final String NANOS = "ns/operation";

    /** What is measured in a round. */
    public interface Round {
        void run(Clocked clocked) throws InterruptedException;
    }

    /** What is measured; returns something that depends on all it does, so that nothing is optimised away. */
    public interface Loop {
        long run() throws InterruptedException;
    }

    /** Measures a loop: between barriers, all ranks at once; reports the mean of the ranks' times for one operation. */
    public interface Clocked {

        /** Which round it is, those that are dropped included. */
        int round();

        void measure(String name, long operations, Loop loop) throws InterruptedException;

        /** And beside it the least that it does to memory: the same verbs, without the structure. */
        default void measure(String name, long operations, Loop loop, Loop raw) throws InterruptedException {
            measure(name, operations, loop);
            measure(name + ", raw", operations, raw);
        }

        /** Reports what was measured otherwise, of all ranks. */
        void tell(String name, double value, String unit);
    }

    /** A round as rank 0 reports it, or nobody. */
    private record Clock(JobRank rank, World world, int round, boolean reported) implements Clocked {

        @Override
        public void measure(String name, long operations, Loop loop) throws InterruptedException {
            world.barrier();
            long begin = System.nanoTime();
            long sum = loop.run();
            long[] nanos = {System.nanoTime() - begin, sum};
            world.allReduce(nanos, Long::sum);
            tell(name, (double) nanos[0] / world.size() / operations, NANOS);
        }

        @Override
        public void tell(String name, double value, String unit) {
            if (reported) {
                rank.print(name + '\t' + value + '\t' + unit);
            }
        }
    }

    /** How many operations were done, all of which had to succeed. */
    public static long required(long done, long count) {
        if (done != count) {
            throw new IllegalStateException("operations failed: done=" + done + " count=" + count);
        }
        return done;
    }

    public void run(JobRank rank, World world, Round round) throws InterruptedException {
        for (int number = 0; number < warmups + runs; number++) {
            boolean reported = rank.rank() == 0 && number >= warmups;
            round.run(new Clock(rank, world, number, reported));
            rank.progress(number + 1L, (long) warmups + runs);
        }
    }
}
