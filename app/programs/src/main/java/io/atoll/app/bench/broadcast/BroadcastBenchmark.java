package io.atoll.app.bench.broadcast;

import io.atoll.World;
import io.atoll.app.bench.measurement.Rounds;
import io.atoll.app.bench.measurement.Sizes;
import io.atoll.app.job.JobRank;
import io.atoll.collective.Algorithm;
import io.atoll.collective.Broadcast;
import io.atoll.collective.LogGP;
import java.util.List;

/**
 * The work of the ranks. Rank 0 broadcasts, and measures the time until it knows that all ranks have the message
 * (Paznikov, section 4). Beside it stands the time that the model predicts, with parameters that were measured just
 * before.
 *
 * @param sizes in bytes, multiples of 8, ascending
 * @param choices the algorithms to compare
 */
record BroadcastBenchmark(List<Long> sizes, List<Choice> choices, Rounds rounds) implements JobRank.Program {

    static final String UNIT = "us/broadcast";
    private static final long SPARE_BYTES = 16 << 20;
    private static final long MOST_REGION_BYTES = 8 << 20;

    private static final int WARM_UPS = 400;
    private static final long WARM_UP_BYTES = 4 * Broadcast.PIECE_BYTES;

    /** Returns the name of a measured value. */
    static String name(Choice choice, int ranks, long bytes) {
        return choice + ", " + ranks + " ranks, " + Sizes.text(bytes);
    }

    /** Returns the name of a predicted value. */
    static String predicted(Choice choice, int ranks, long bytes) {
        return name(choice, ranks, bytes) + ", predicted";
    }

    @Override
    public void run(JobRank rank) throws InterruptedException {
        long most = sizes.getLast();
        long region = Math.clamp(most, Broadcast.PIECE_BYTES, MOST_REGION_BYTES);
        World world = rank.join(most + region + SPARE_BYTES);
        warmUp(world);
        LogGP costs = world.collectives().measureCosts(region);
        long done = 0;
        for (long bytes : sizes) {
            for (Choice choice : choices) {
                Broadcast window = choice.choose(world.collectives().broadcast("bench").bytes(most), costs).open();
                for (int round = 0; round < rounds.warmups() + rounds.runs(); round++) {
                    measure(rank, world, window, name(choice, world.size(), bytes), bytes, round >= rounds.warmups());
                }
                if (rank.rank() == 0) {
                    double nanos = choice.nanos(costs, world.size(), bytes);
                    rank.print(predicted(choice, world.size(), bytes) + '\t' + nanos / 1_000 + '\t' + UNIT);
                }
                rank.progress(++done, (long) sizes.size() * choices.size());
            }
        }
        world.barrier();
    }

    /** Newly started processes interpret their code, which takes longer than anything that is measured here. */
    private static void warmUp(World world) throws InterruptedException {
        for (Algorithm algorithm : Algorithm.values()) {
            Broadcast window = world.collectives()
                    .broadcast("bench.warm-up")
                    .bytes(WARM_UP_BYTES)
                    .algorithm(algorithm)
                    .open();
            world.barrier();
            for (int number = 0; world.rank() == 0 && number < WARM_UPS; number++) {
                window.send(0, WARM_UP_BYTES);
                window.flush();
            }
            world.barrier();
        }
    }

    private static void measure(JobRank rank, World world, Broadcast window, String name, long bytes,
            boolean reported) throws InterruptedException {
        world.barrier();
        if (rank.rank() == 0) {
            long begin = System.nanoTime();
            window.send(0, bytes);
            window.flush();
            long nanos = System.nanoTime() - begin;
            if (reported) {
                rank.print(name + '\t' + nanos / 1_000.0 + '\t' + UNIT);
            }
        }
    }
}
