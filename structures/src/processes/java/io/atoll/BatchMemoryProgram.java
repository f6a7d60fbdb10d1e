package io.atoll;

import io.atoll.map.DistributedMap;
import io.atoll.map.LongLongMap;
import io.atoll.process.Program;
import io.atoll.queue.CircularQueue;
import io.atoll.queue.LongCircularQueue;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Both ranks of a world. One of them does operations in the given number of virtual threads. All threads live until the
 * last one is done.
 */
final class BatchMemoryProgram implements Program {

    private static final int KEYS = 100;

    private final List<World> worlds = new ArrayList<>();
    private @Nullable DistributedMap<Long, Long> sums;

    @Override
    public String obey(String command, List<String> arguments) throws Exception {
        return switch (command) {
            case "open" -> open(Path.of(arguments.getFirst()));
            case "small" -> run(Integer.parseInt(arguments.getFirst()), small());
            case "large" -> run(Integer.parseInt(arguments.getFirst()), large());
            case "sum" ->
                "" + LongStream.range(0, KEYS).map(key -> Objects.requireNonNullElse(sums().get(key), 0L)).sum();
            case "direct" -> "" + direct();
            default -> throw new IllegalArgumentException("no such command: command=" + command);
        };
    }

    private String open(Path folder) {
        for (int rank = 0; rank < 2; rank++) {
            worlds.add(World.named("threads")
                    .size(2)
                    .rank(rank)
                    .segment(32 << 20)
                    .operationTimeout(Duration.ofSeconds(60))
                    .fabric(Fabrics.sharedMemory(folder, false))
                    .open());
        }
        sums = world().map("sums", Long.class, Long.class).capacity(1 << 10).open();
        return "opened";
    }

    private World world() {
        return worlds.getFirst();
    }

    private DistributedMap<Long, Long> sums() {
        return Objects.requireNonNull(sums, "not opened");
    }

    /** The work of a thread, which gets its number. */
    private interface Work {
        void run(long number) throws Exception;
    }

    /** Does operations on one key or element. */
    private Work small() {
        LongLongMap counts = world().longMap("counts").capacity(1 << 10).open();
        DistributedMap<Long, String> texts = world().map("texts", Long.class, String.class).capacity(1 << 15).open();
        CircularQueue<Long> objects = world().queue("objects", Long.class).host(1).open();
        LongCircularQueue longs = world().longQueue("longs").open();
        return number -> {
            sums().merge(number % KEYS, 1L, Long::sum);
            counts.addAndGet(number % KEYS, 1);
            texts.put(number, "text of " + number);
            objects.push(number);
            objects.pop();
            longs.push(number);
            longs.pop(-1);
        };
    }

    /** Does operations on several keys or elements at once. */
    private Work large() {
        LongLongMap counts = world().longMap("counts").capacity(1 << 10).open();
        CircularQueue<Long> objects = world().queue("objects", Long.class).host(1).open();
        LongCircularQueue longs = world().longQueue("longs").open();
        List<Long> several = LongStream.range(0, KEYS).boxed().toList();
        return number -> {
            sums().merge(number % KEYS, 1L, Long::sum);
            sums().getAll(several);
            counts.getAll(several.stream().mapToLong(Long::longValue).toArray(), 0);
            objects.push(several);
            objects.pop(KEYS);
            longs.pop(new long[KEYS]);
        };
    }

    /** Returns how many threads succeeded, and how many reported that there is no memory. */
    private static String run(int threads, Work work) throws InterruptedException {
        AtomicInteger done = new AtomicInteger();
        AtomicInteger refused = new AtomicInteger();
        CountDownLatch through = new CountDownLatch(threads);
        CountDownLatch all = new CountDownLatch(threads);
        for (int number = 0; number < threads; number++) {
            long own = number;
            Thread.ofVirtual().start(() -> {
                try {
                    work.run(own);
                    done.incrementAndGet();
                } catch (OutOfMemoryError exhausted) {
                    refused.incrementAndGet();
                } catch (Exception failure) {
                    throw new IllegalStateException("thread=" + own, failure);
                } finally {
                    through.countDown();
                    stay(through);
                    all.countDown();
                }
            });
        }
        all.await();
        return done + "+" + refused;
    }

    private static void stay(CountDownLatch until) {
        try {
            until.await();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static long direct() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)
                .stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
    }

    @Override
    public void close() {
        worlds.forEach(World::close);
    }
}
