package io.atoll.queue;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.process.Program;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rank 1 of a world, which uses the queue at rank 0 until it is killed. It pushes ascending numbers, or pops them, one
 * element and two elements in turn.
 */
final class QueueProgram implements Program {

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
        LongCircularQueue popped = joined.longQueue("popped").capacity(QueueProcessesTest.POPPED).open();
        Thread.ofPlatform()
                .daemon()
                .start(command.equals("push")
                        ? () -> push(queue, joined.incarnation() * PER_INCARNATION)
                        : () -> pop(queue, popped));
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

    /** Passes on what it has popped. */
    private static void pop(LongCircularQueue queue, LongCircularQueue popped) {
        try {
            long[] two = new long[2];
            while (true) {
                popped.put(queue.take());
                for (int index = 0, count = queue.pop(two); index < count; index++) {
                    popped.put(two[index]);
                }
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
