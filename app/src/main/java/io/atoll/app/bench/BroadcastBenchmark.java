package io.atoll.app.bench;

import io.atoll.World;
import io.atoll.app.job.JobRank;
import io.atoll.collective.broadcast.Broadcast;
import io.atoll.collective.model.Algorithm;
import java.util.List;
import java.util.Locale;

/**
 * What the ranks do: rank 0 broadcasts, and measures until it knows that all have it (Paznikov, section 4), beside what the model predicts with the parameters that the
 * choice of the algorithm goes by.
 *
 * @param sizes in bytes, multiples of 8
 * @param algorithms that are compared
 */
record BroadcastBenchmark(List<Long> sizes, List<Algorithm> algorithms, Rounds rounds) implements JobRank.Program {

    private static final long SPARE_BYTES = 16 << 20;

    @Override
    public void run(JobRank rank) throws InterruptedException {
        long most = sizes.stream().mapToLong(Long::longValue).max().orElseThrow();
        World world = rank.join(algorithms.size() * most + SPARE_BYTES);
        for (Algorithm algorithm : algorithms) {
            Broadcast window = world.collectives()
                    .broadcast(algorithm.toString())
                    .bytes(most)
                    .algorithm(algorithm)
                    .open();
            for (long bytes : sizes) {
                for (int number = 0; number < rounds.warmups() + rounds.runs(); number++) {
                    measure(rank, world, window, algorithm, bytes, number >= rounds.warmups());
                }
            }
        }
        world.barrier();
    }

    private static void measure(JobRank rank, World world, Broadcast window, Algorithm algorithm, long bytes,
            boolean reported) throws InterruptedException {
        world.barrier();
        if (rank.rank() != 0) {
            return;
        }
        long begin = System.nanoTime();
        window.send(0, bytes);
        window.flush();
        long nanos = System.nanoTime() - begin;
        if (reported) {
            String name = algorithm.toString().toLowerCase(Locale.ROOT) + ", " + bytes + " bytes";
            rank.print(name + '\t' + nanos / 1_000.0 + "\tus/broadcast");
            double predicted = algorithm.nanos(world.collectives().costs(), rank.size(), bytes);
            rank.print(name + ", predicted\t" + predicted / 1_000 + "\tus/broadcast");
        }
    }
}
