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

    /** What is measured in a round. */
    interface Round {
        void run(Clocked clocked) throws InterruptedException;
    }

    /** Measures a loop: between barriers, all ranks at once; reports the mean of the ranks' times for one operation. */
    interface Clocked {

        /** @param loop returns something that depends on all it does, so that nothing is optimised away */
        void measure(String name, long operations, LongSupplier loop) throws InterruptedException;
    }

    void run(JobRank rank, World world, Round round) throws InterruptedException {
        for (int number = 0; number < warmups + runs; number++) {
            boolean reported = rank.rank() == 0 && number >= warmups;
            round.run((name, operations, loop) -> measure(rank, world, reported, name, operations, loop));
            rank.progress(number + 1L, (long) warmups + runs);
        }
    }

    private static void measure(JobRank rank, World world, boolean reported, String name, long operations,
            LongSupplier loop) throws InterruptedException {
        world.barrier();
        long begin = System.nanoTime();
        long sum = loop.getAsLong();
        long[] nanos = {System.nanoTime() - begin, sum};
        world.allReduce(nanos, Long::sum);
        if (reported) {
            rank.print(name + '\t' + (double) nanos[0] / world.size() / operations + "\tns/operation");
        }
    }
}
