package io.atoll.fabric.rdma;

import static io.atoll.fabric.rdma.StructureUse.HOST;
import static io.atoll.fabric.rdma.StructureUse.KEYS;
import static io.atoll.fabric.rdma.StructureUse.NONE;
import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.World;
import io.atoll.fabric.rdma.StructureUse.Point;
import io.atoll.linked.LinkedQueue;
import io.atoll.linked.LinkedStack;
import io.atoll.queue.CircularQueue;
import io.atoll.queue.FastQueue;
import io.atoll.queue.LongCircularQueue;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** Uses of queues and stacks. */
final class QueueUses {

    private QueueUses() {}

    static void circularQueue(World world) throws InterruptedException {
        CircularQueue<Point> queue = world.queue("points in a circle", Point.class).capacity(64).host(HOST).open();
        exchange(world, number -> assertThat(queue.push(Point.of(number, 3))).isTrue(), () -> {
            Point popped = queue.pop();
            assertThat(popped == null || popped.equals(Point.of(popped.x(), 3))).as("%s is whole", popped).isTrue();
            return popped == null ? NONE : popped.x();
        });
    }

    static void longQueue(World world) throws InterruptedException {
        LongCircularQueue queue = world.longQueue("longs in a circle").capacity(64).host(HOST).open();
        exchange(world, number -> assertThat(queue.push(number)).isTrue(), () -> queue.pop(NONE));
    }

    /** While all ranks push and pop, one rank moves the queue to its own segment, and then gives it more room. */
    static void moves(World world) throws InterruptedException {
        LongCircularQueue queue = world.longQueue("moving").capacity(64).host(HOST).open();
        long migration = 10L * world.size();
        long resizing = 20L * world.size();
        exchange(world, number -> {
            if (number == migration) {
                queue.migrate(0);
            } else if (number == resizing) {
                queue.resize(100);
            }
            assertThat(queue.push(number)).isTrue();
        }, () -> queue.pop(NONE));
        assertThat(queue.host()).isZero();
        assertThat(queue.capacity()).isEqualTo(100);
    }

    static void stack(World world) throws InterruptedException {
        LinkedStack<Long> stack = world.stack("stacked", Long.class).host(HOST).open();
        exchange(world, stack::push, () -> orNone(stack.pop()));
    }

    static void linkedQueue(World world) throws InterruptedException {
        LinkedQueue<Long> queue = world.linkedQueue("linked", Long.class).host(HOST).open();
        exchange(world, queue::push, () -> orNone(queue.pop()));
    }

    private static long orNone(@Nullable Long popped) {
        return popped == null ? NONE : popped;
    }

    /**
     * Each rank pops only after it has pushed, so it always finds a number. In the end each number has been popped
     * once.
     */
    private static void exchange(World world, LongConsumer push, LongSupplier pop) throws InterruptedException {
        long[] sums = new long[2];
        for (int turn = 0; turn < KEYS; turn++) {
            push.accept((long) turn * world.size() + world.rank());
            long popped = pop.getAsLong();
            assertThat(popped).isNotEqualTo(NONE);
            sums[0] += popped;
            sums[1] += popped * popped;
        }
        world.allReduce(sums, Long::sum);
        long all = (long) KEYS * world.size();
        assertThat(sums).containsExactly(LongStream.range(0, all).sum(),
                LongStream.range(0, all).map(number -> number * number).sum());
        assertThat(pop.getAsLong()).isEqualTo(NONE);
    }

    static void fastQueue(World world) throws InterruptedException {
        FastQueue<Long> queue = world.fastQueue("fast", Long.class).capacity(1_000).host(HOST).open();
        for (long number = 0; number < KEYS; number += 2) {
            assertThat(queue.push(List.of(number, number + 1))).isTrue();
        }
        world.barrier();
        long[] sum = new long[1];
        for (List<Long> popped = queue.pop(7); !popped.isEmpty(); popped = queue.pop(7)) {
            sum[0] += popped.stream().mapToLong(Long::longValue).sum();
        }
        world.allReduce(sum, Long::sum);
        assertThat(sum).containsExactly(world.size() * LongStream.range(0, KEYS).sum());
    }
}
