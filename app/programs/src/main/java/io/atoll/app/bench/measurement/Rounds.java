package io.atoll.app.bench.measurement;

import io.atoll.World;
import io.atoll.app.job.JobRank;
import java.io.Serializable;

/**
 * How often a benchmark measures.
 *
 * @param warmups the number of rounds whose times are dropped
 * @param runs the number of rounds whose times are reported
 */
public record Rounds(int warmups, int runs) implements Serializable {

    public static final String NANOS = "ns/operation";

    /** The work of one round. */
    public interface Round {
        void run(Clocked clocked) throws InterruptedException;
    }

    /** The code to measure. Its result depends on all its work, so that nothing is optimised away. */
    public interface Loop {
        long run() throws InterruptedException;
    }

    /**
     * Measures a loop at all ranks at once, between barriers. Reports the mean of the ranks' times for one operation.
     */
    public interface Clocked {

        /** Returns the number of the round. Dropped rounds count, too. */
        int round();

        void measure(String name, long operations, Loop loop) throws InterruptedException;

        /** Also measures the same verbs without the structure, the least that the loop does to memory. */
        default void measure(String name, long operations, Loop loop, Loop raw) throws InterruptedException {
            measure(name, operations, loop);
            measure(name + ", raw", operations, raw);
        }

        /** Reports a value of all ranks that was measured in another way. */
        void tell(String name, double value, String unit);
    }

    /** A round. Only rank 0 reports it, and only if it is not dropped. */
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

    /** Returns the number of operations done. All of them must have succeeded. */
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
