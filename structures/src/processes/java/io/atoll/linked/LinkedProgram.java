package io.atoll.linked;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.epoch.EpochManager;
import io.atoll.failure.SegmentFullException;
import io.atoll.process.Program;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rank 1 of a world, which uses what rank 0 hosts until it is killed. It pushes ascending numbers into the queue, or
 * pushes two onto the stack for each that it pops.
 */
final class LinkedProgram implements Program {

    /** The numbers of an incarnation begin with it. */
    static final long PER_INCARNATION = 1_000_000_000;

    private @Nullable World world;

    static World join(int rank, Path folder) {
        return World.named("linked")
                .size(2)
                .rank(rank)
                .segment(2 << 20)
                .fabric(Fabrics.sharedMemory(folder, false))
                .joinTimeout(Duration.ofSeconds(30))
                .open();
    }

    @Override
    public String obey(String command, List<String> arguments) {
        World joined = join(1, Path.of(arguments.getFirst()));
        world = joined;
        long first = joined.incarnation() * PER_INCARNATION;
        LinkedQueue<Long> queue = joined.linkedQueue("jobs", Long.class).open();
        LinkedStack<Long> stack = joined.stack("undone", Long.class).open();
        Thread.ofPlatform()
                .daemon()
                .start(command.equals("queue") ? () -> use(queue, first) : () -> use(stack, joined.epochs(), first));
        return "" + joined.incarnation();
    }

    private static void use(LinkedQueue<Long> queue, long first) {
        for (long number = first; true;) {
            try {
                queue.push(number);
                number++;
            } catch (SegmentFullException full) {
                Thread.onSpinWait(); // the other rank pops, and reclaims
            }
        }
    }

    private static void use(LinkedStack<Long> stack, EpochManager epochs, long first) {
        for (long number = first; true; number++) {
            try {
                stack.push(number);
            } catch (SegmentFullException full) {
                stack.pop();
            }
            if (number % 2 == 0) {
                stack.pop();
                epochs.tryReclaim();
            }
        }
    }

    @Override
    public void close() {
        if (world != null) {
            world.close();
        }
    }
}
