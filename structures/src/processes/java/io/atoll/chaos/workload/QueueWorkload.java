package io.atoll.chaos.workload;

import io.atoll.chaos.history.Entry;
import io.atoll.chaos.history.Structure;
import io.atoll.chaos.history.Verb;
import io.atoll.linked.LinkedQueue;
import io.atoll.linked.LinkedStack;
import io.atoll.queue.CircularQueue;
import io.atoll.queue.LongCircularQueue;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Elements are pushed once and popped once. */
abstract class QueueWorkload extends Workload {

    QueueWorkload(Scene scene, Structure structure, int thread) {
        super(scene, structure, thread);
    }

    abstract boolean push(int handle, Long value) throws Exception;

    abstract @Nullable Long pop(int handle) throws Exception;

    @Override
    protected void step() throws Exception {
        // There are more pops than pushes, so the queue is empty time and again. From such a moment on, the rest can be
        // judged by itself.
        if (random.nextInt(20) < 9) {
            long value = value();
            record(Verb.PUSH, 0, value, 0, () -> bit(push(handle(), value)));
        } else {
            takeOne();
        }
    }

    private long takeOne() throws Exception {
        return record(Verb.POP, 0, 0, 0, () -> orAbsent(pop(handle())));
    }

    @Override
    public void drain() throws Exception {
        while (takeOne() != Entry.ABSENT) {
            Thread.onSpinWait();
        }
    }

    /** A {@link CircularQueue}. Its size and host change now and then. */
    static final class Circular extends QueueWorkload {

        private static final int CAPACITY = 64;
        private static final int MOST_AT_ONCE = 8;
        private static final Duration SOON = Duration.ofMillis(2);

        private List<CircularQueue<Long>> queues = List.of();

        Circular(Scene scene, int thread) {
            super(scene, Structure.CIRCULAR_QUEUE, thread);
        }

        @Override
        protected void open() {
            queues = List.of(queue(), queue());
        }

        private CircularQueue<Long> queue() {
            return scene.world.queue("circular-queue", Long.class).capacity(CAPACITY).open();
        }

        @Override
        protected void step() throws Exception {
            CircularQueue<Long> queue = queues.get(handle());
            if (random.nextInt(4) == 0) {
                several(queue);
                return;
            }
            switch (random.nextInt(1000)) {
                case 0, 1 -> record(Verb.OPEN, 1, 0, 0, () -> {
                    queue.resize(CAPACITY + random.nextInt(CAPACITY));
                    return 0;
                });
                case 2 -> record(Verb.OPEN, 2, 0, 0, () -> {
                    queue.migrate(random.nextInt(scene.setting.size()));
                    return 0;
                });
                case 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 -> poll(queue);
                default -> super.step();
            }
        }

        /**
         * A poll that returns nothing at its timeout does not show that the queue is empty. The pusher of the element
         * at its head may have been slow.
         */
        private void poll(CircularQueue<Long> queue) throws Exception {
            recordAll(List.of(new Part(Verb.POP, 0, 0, 0)), () -> {
                Long taken = queue.poll(SOON);
                return taken == null ? new long[0] : new long[]{taken};
            });
        }

        /** All elements are pushed, or none. Elements that are taken leave in their order. */
        private void several(CircularQueue<Long> queue) throws Exception {
            long batch = value();
            int count = 2 + random.nextInt(MOST_AT_ONCE - 1);
            if (random.nextBoolean()) {
                List<Part> parts = Stream.generate(() -> new Part(Verb.PUSH, 0, value(), batch)).limit(count).toList();
                recordAll(parts, () -> {
                    long[] results = new long[count];
                    Arrays.fill(results, bit(queue.push(parts.stream().map(Part::argument).toList())));
                    return results;
                });
            } else {
                recordAll(IntStream.range(0, count).mapToObj(place -> new Part(Verb.POP, 0, place, batch)).toList(),
                        () -> {
                            List<Long> taken = queue.pop(count);
                            return taken.isEmpty()
                                    ? new long[]{Entry.ABSENT}
                                    : taken.stream().mapToLong(Long::longValue).toArray();
                        });
            }
        }

        @Override
        boolean push(int handle, Long value) throws InterruptedException {
            CircularQueue<Long> queue = queues.get(handle);
            return random.nextInt(16) == 0 ? queue.offer(value, SOON) : queue.push(value);
        }

        @Override
        @Nullable Long pop(int handle) {
            return queues.get(handle).pop();
        }
    }

    /** A {@link LongCircularQueue}. Its host changes now and then. */
    static final class Longs extends QueueWorkload {

        private static final int CAPACITY = 32;

        private List<LongCircularQueue> queues = List.of();

        Longs(Scene scene, int thread) {
            super(scene, Structure.LONG_QUEUE, thread);
        }

        @Override
        protected void open() {
            queues = List.of(queue(), queue());
        }

        private LongCircularQueue queue() {
            return scene.world.longQueue("long-queue").capacity(CAPACITY).open();
        }

        @Override
        protected void step() throws Exception {
            if (random.nextInt(1000) == 0) {
                record(Verb.OPEN, 1, 0, 0, () -> {
                    queues.get(handle()).migrate(random.nextInt(scene.setting.size()));
                    return 0;
                });
            } else {
                super.step();
            }
        }

        @Override
        boolean push(int handle, Long value) {
            return queues.get(handle).push(value);
        }

        @Override
        Long pop(int handle) {
            return queues.get(handle).pop(Entry.ABSENT);
        }
    }

    /** A {@link LinkedQueue}. */
    static final class Linked extends QueueWorkload {

        private List<LinkedQueue<Long>> queues = List.of();

        Linked(Scene scene, int thread) {
            super(scene, Structure.LINKED_QUEUE, thread);
        }

        @Override
        protected void open() {
            queues = List.of(queue(), queue());
        }

        private LinkedQueue<Long> queue() {
            return scene.world.linkedQueue("linked-queue", Long.class).host(1).open();
        }

        @Override
        boolean push(int handle, Long value) {
            queues.get(handle).push(value);
            return true;
        }

        @Override
        @Nullable Long pop(int handle) {
            return queues.get(handle).pop();
        }
    }

    /** A {@link LinkedStack}. */
    static final class Stack extends QueueWorkload {

        private List<LinkedStack<Long>> stacks = List.of();

        Stack(Scene scene, int thread) {
            super(scene, Structure.STACK, thread);
        }

        @Override
        protected void open() {
            stacks = List.of(stack(), stack());
        }

        private LinkedStack<Long> stack() {
            return scene.world.stack("stack", Long.class).host(scene.setting.size() - 1).open();
        }

        @Override
        boolean push(int handle, Long value) {
            stacks.get(handle).push(value);
            return true;
        }

        @Override
        @Nullable Long pop(int handle) {
            return stacks.get(handle).pop();
        }
    }
}
