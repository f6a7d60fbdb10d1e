package io.atoll.app.bench.reclamation;

import io.atoll.World;
import io.atoll.app.bench.measurement.Rounds;
import io.atoll.app.job.JobRank;
import io.atoll.epoch.Pin;
import io.atoll.epoch.Token;
import io.atoll.heap.Heap;
import io.atoll.memory.GlobalPointer;

/**
 * Shows if memory in limbo stays bounded. One thread of each rank allocates objects at all ranks in turn, and retires
 * them at once.
 *
 * @param operations the number of objects of each rank and round
 */
record LimboBenchmark(int operations, Rounds rounds) implements JobRank.Program {

    private static final long SEGMENT_BYTES = 64 << 20;
    private static final long OBJECT_BYTES = 64;
    private static final int RECLAIM_EVERY = 1_024;
    // The number of looks in each round.
    private static final int LOOKS = 64;
    private static final double MEGABYTE = 1 << 20;

    @Override
    public void run(JobRank rank) throws InterruptedException {
        try (World world = rank.join(SEGMENT_BYTES); Token token = world.epochs().register()) {
            rounds.run(rank, world, clocked -> {
                long[] most = {0};
                clocked.measure("allocate, retire and free", operations, () -> retire(world, token, most));
                world.allReduce(most, Math::max);
                clocked.tell("segment of 64 MB, in use at most", most[0] / MEGABYTE, "MB");
            });
        }
    }

    private long retire(World world, Token token, long[] most) {
        Heap heap = world.participant().heap();
        int lookEvery = Math.max(1, operations / LOOKS);
        for (int number = 0; number < operations; number++) {
            int owner = (world.rank() + number) % world.size();
            long object = new GlobalPointer(owner, heap.allocate(owner, OBJECT_BYTES)).toWord();
            try (Pin _ = token.pin()) {
                token.retire(object, OBJECT_BYTES);
            }
            if (number % RECLAIM_EVERY == 0) {
                token.tryReclaim();
            }
            if (number % lookEvery == 0) {
                most[0] = Math.max(most[0], heap.usage(world.rank()).objectSlabBytes());
            }
        }
        return most[0];
    }
}
