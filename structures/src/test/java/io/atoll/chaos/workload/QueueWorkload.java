package io.atoll.chaos.workload;

import io.atoll.chaos.history.Entry;
import io.atoll.chaos.history.Structure;
import io.atoll.chaos.history.Verb;
import io.atoll.queue.CircularQueue;
import io.atoll.queue.LinkedQueue;
import io.atoll.stack.LinkedStack;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What is pushed once and popped once. */
abstract class QueueWorkload extends Workload {

    QueueWorkload(Scene scene, Structure structure, int thread) {
        super(scene, structure, thread);
    }

    abstract boolean push(int handle, Long value);

    abstract @Nullable Long pop(int handle);

    @Override
    protected void step() throws Exception {
        if (random.nextBoolean()) {
            long value = value();
            record(Verb.PUSH, 0, value, 0, () -> bit(push(handle(), value)));
        } else {
            takeOne();
        }
    }

    private long takeOne() throws Exception {
        return record(Verb.POP, 0, 1, 0, () -> orAbsent(pop(handle())));
    }

    @Override
    public void drain() throws Exception {
        while (takeOne() != Entry.ABSENT) {
            Thread.onSpinWait();
        }
    }

    /** A {@link CircularQueue}, whose size and host change now and then. */
    static final class Circular extends QueueWorkload {

        private static final int CAPACITY = 64;

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
            switch (random.nextInt(1000)) {
                case 0, 1 -> record(Verb.OPEN, 1, 0, 0, () -> {
                    queue.resize(CAPACITY + random.nextInt(CAPACITY));
                    return 0;
                });
                case 2 -> record(Verb.OPEN, 2, 0, 0, () -> {
                    queue.migrate(random.nextInt(scene.setting.size()));
                    return 0;
                });
                default -> super.step();
            }
        }

        @Override
        boolean push(int handle, Long value) {
            return queues.get(handle).push(value);
        }

        @Override
        @Nullable Long pop(int handle) {
            return queues.get(handle).pop();
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
