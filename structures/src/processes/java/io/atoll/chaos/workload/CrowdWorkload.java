package io.atoll.chaos.workload;

import io.atoll.chaos.history.Entry;
import io.atoll.chaos.history.Structure;
import io.atoll.chaos.history.Verb;
import io.atoll.linked.LinkedQueue;
import io.atoll.lock.Acquisition;
import io.atoll.lock.LockTable;
import io.atoll.map.DistributedMap;
import io.atoll.map.LongLongMap;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Hundreds or thousands of virtual threads at once, each of which does one thing. Counters go up by 1. */
final class CrowdWorkload extends Workload {

    private static final int LARGEST = 3000;
    // The heap of such a world is small.
    private static final int LARGEST_OF_PRESSED = 300;
    private static final int SMALLEST = 100;
    // The longest time of a crowd before it is made smaller, on a machine that is too slow for it.
    private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int COUNTERS = 4;
    private static final int LOCKS = 6;
    // The index in the records, so that it differs from the locks of other workloads.
    private static final long FIRST_LOCK = 100;
    private static final Duration PATIENCE = Duration.ofMillis(500);
    private static final int WAYS = 4;
    private static final long LONGEST_REST_NANOS = TimeUnit.SECONDS.toNanos(2);

    private List<Opened> handles = List.of();
    // The largest crowd for each kind of work. Over the network, threads that change one word take turns.
    private final int[] largest = new int[WAYS];

    private record Opened(LongLongMap counters, DistributedMap<Long, Long> sums, LockTable locks,
            LinkedQueue<Long> queue) {}

    CrowdWorkload(Scene scene, int thread) {
        super(scene, Structure.COUNTER, thread);
        Arrays.fill(largest, SMALLEST);
    }

    @Override
    protected void open() {
        handles = List.of(openAll(), openAll());
    }

    private Opened openAll() {
        return new Opened(scene.world.longMap("counters").capacity(64).open(),
                scene.world.map("sums", Long.class, Long.class).capacity(64).open(),
                scene.world.lockTable("crowd-locks").locks(LOCKS).open(),
                scene.world.linkedQueue("linked-queue", Long.class).host(1).open());
    }

    @Override
    protected void step() throws Exception {
        int way = random.nextInt(WAYS);
        int count = 1 + random.nextInt(largest[way]);
        long began = System.nanoTime();
        AtomicInteger served = new AtomicInteger();
        record(Verb.OPEN, 1 + way, count, 0, () -> {
            // Ends when all threads have ended. If this thread is interrupted, so are they.
            try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
                for (int member = 0; member < count && !scene.isResting(); member++) {
                    SplittableRandom dice = random.split();
                    long value = value();
                    Opened used = handles.get(handle());
                    threads.execute(() -> take(used, way, dice, value, served));
                }
            }
            return 0;
        });
        adapt(way, count, System.nanoTime() - began, served.get() == count);
        LockSupport.parkNanos(random.nextLong(LONGEST_REST_NANOS));
    }

    /**
     * Adapts the size of a crowd. It must end soon on a slow machine, and be as large as possible on a fast one. A
     * crowd that fails since a rank cannot be reached does not count.
     */
    private void adapt(int way, int count, long nanos, boolean areServed) {
        if (nanos > LONG_NANOS) {
            largest[way] = Math.max(SMALLEST, count / 2);
        } else if (areServed && nanos < LONG_NANOS / 4) {
            largest[way] = Math.min(2 * largest[way], scene.setting.pressed() ? LARGEST_OF_PRESSED : LARGEST);
        }
    }

    private void take(Opened used, int way, SplittableRandom dice, long value, AtomicInteger served) {
        long key = dice.nextInt(way == 3 ? LOCKS : COUNTERS);
        var subject = new Lateness.Subject(name(), way * LOCKS + key);
        try {
            switch (way) {
                case 0 -> count(key, () -> used.counters.addAndGet(key, 1));
                case 1 -> count(COUNTERS + key, () -> orAbsent(used.sums.merge(key, 1L, Long::sum)));
                case 2 -> pass(used.queue, value);
                default -> lock(used.locks, key);
            }
            served.incrementAndGet();
            scene.works(subject);
        } catch (Throwable failure) {
            scene.failed(name(), List.of(subject), failure);
        }
    }

    private void count(long key, Operation increment) throws Exception {
        recordAmongOthers(Structure.COUNTER, Verb.INCREMENT, key, 1, 0, () -> 0, increment);
    }

    private void pass(LinkedQueue<Long> queue, long value) throws Exception {
        recordAmongOthers(Structure.LINKED_QUEUE, Verb.PUSH, 0, value, 0, () -> 0, () -> {
            queue.push(value);
            return 1;
        });
        recordAmongOthers(Structure.LINKED_QUEUE, Verb.POP, 0, 0, 0, () -> 0, () -> orAbsent(queue.pop()));
    }

    /** Not all threads get the lock in time. */
    private void lock(LockTable table, long index) throws Exception {
        var acquired = new Acquisition[1];
        try {
            recordAmongOthers(Structure.ALOCK, Verb.ACQUIRE, FIRST_LOCK + index, 1, 0,
                    () -> bit(acquired[0] != null && acquired[0].recovered()), () -> {
                        acquired[0] = table.tryLockAt(index, PATIENCE);
                        return acquired[0] == null ? Entry.ABSENT : acquired[0].fencingToken();
                    });
            Acquisition held = acquired[0];
            if (held != null) {
                recordAmongOthers(Structure.ALOCK, Verb.RELEASE, FIRST_LOCK + index, held.fencingToken(), 0, () -> 0,
                        () -> {
                            held.close();
                            return 0;
                        });
            }
        } finally {
            if (acquired[0] != null) {
                acquired[0].close();
            }
        }
    }

    @Override
    public void hurry() {
        interrupt();
    }
}
