package io.atoll.queue;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.process.Program;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rank 1 of a world, which pushes ascending numbers into the queue at rank 0, one by one and two at once, until it is killed. */
final class PusherProgram implements Program {

    /** The numbers of an incarnation begin with it. */
    static final long PER_INCARNATION = 1_000_000_000;

    private @Nullable World world;

    @Override
    public String obey(String command, List<String> arguments) throws Exception {
        World joined = World.named("queue")
                .size(2)
                .rank(1)
                .segment(1 << 20)
                .fabric(Fabrics.sharedMemory(Path.of(arguments.getFirst()), false))
                .join(Duration.ofSeconds(30));
        world = joined;
        LongCircularQueue queue = joined.longQueue("jobs").capacity(QueueProcessesTest.CAPACITY).open();
        Thread.ofPlatform().daemon().start(() -> push(queue, joined.incarnation() * PER_INCARNATION));
        return "" + joined.incarnation();
    }

    private static void push(LongCircularQueue queue, long first) {
        try {
            long[] two = new long[2];
            for (long number = first;; number++) {
                queue.put(number);
                two[0] = number + 1;
                two[1] = number + 2;
                number += queue.push(two, 2) ? 2 : 0;
            }
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        if (world != null) {
            world.close();
        }
    }
}
