package io.atoll.app.bench;

import io.atoll.World;
import io.atoll.app.job.JobRank;
import java.io.Serializable;
import java.util.function.LongSupplier;

/**
 * How often a benchmark measures.
 *
 * @param warmups rounds whose times are dropped
 * @param runs rounds whose times are reported
 */
record Rounds(int warmups, int runs) implements Serializable {

    static final String NANOS = "ns/operation";

    /** What is measured in a round. */
    interface Round {
        void run(Clocked clocked) throws InterruptedException;
    }

    /** Measures a loop: between barriers, all ranks at once; reports the mean of the ranks' times for one operation. */
    interface Clocked {

        /** @param loop returns something that depends on all it does, so that nothing is optimised away */
        void measure(String name, long operations, LongSupplier loop) throws InterruptedException;

        /** Reports what was measured otherwise, of all ranks. */
        void tell(String name, double value, String unit);
    }

    /** A round as rank 0 reports it, or nobody. */
    private record Clock(JobRank rank, World world, boolean reported) implements Clocked {

        @Override
        public void measure(String name, long operations, LongSupplier loop) throws InterruptedException {
            world.barrier();
            long begin = System.nanoTime();
            long sum = loop.getAsLong();
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

    void run(JobRank rank, World world, Round round) throws InterruptedException {
        for (int number = 0; number < warmups + runs; number++) {
            boolean reported = rank.rank() == 0 && number >= warmups;
            round.run(new Clock(rank, world, reported));
            rank.progress(number + 1L, (long) warmups + runs);
        }
    }
}
