package io.atoll.spring.state;

import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at many ranks at once. Waits for all ranks that do not answer together, for at most a given time. If a look of
 * one kind at a rank is still under way, it is not begun again. Threads exist only while there is something to do. Any
 * thread may use it.
 */
final class ParallelLook implements AutoCloseable {

    private static final int THREADS = 8;
    private static final long IDLE_SECONDS = 10;

    private static final Logger LOG = LoggerFactory.getLogger(ParallelLook.class);

    /** The purposes of looks. */
    enum Kind {
        SEGMENT, DIRECTORY, HEAP, HISTORY, EPOCHS, LOCKS, COLLECTIVES, RECENT_LOCKS, RECENT_STRUCTURES
    }

    private record Look(Kind kind, int rank) {}

    private final Map<Look, CompletableFuture<?>> underWay = new ConcurrentHashMap<>();
    private final ThreadPoolExecutor threads;

    ParallelLook(int rank) {
        threads = new ThreadPoolExecutor(THREADS, THREADS, IDLE_SECONDS, TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(), Thread.ofPlatform().daemon().name("atoll-look-" + rank + "-", 0).factory(),
                new ThreadPoolExecutor.DiscardPolicy());
        threads.allowCoreThreadTimeOut(true);
    }

    /** Returns when all ranks have been looked at, or when the time is over. */
    void look(Kind kind, Collection<Integer> ranks, IntConsumer look, Duration patience) {
        CompletableFuture<?>[] looks = ranks.stream()
                .map(rank -> underWay.computeIfAbsent(new Look(kind, rank), begun -> begin(begun, look)))
                .toArray(CompletableFuture<?>[]::new);
        try {
            CompletableFuture.allOf(looks).get(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException late) {
            LOG.debug("ranks do not answer: {} of {} looks are over", done(looks), looks.length);
        } catch (ExecutionException failure) {
            LOG.debug("a rank cannot be looked at", failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private CompletableFuture<?> begin(Look begun, IntConsumer look) {
        return CompletableFuture.runAsync(() -> {
            try {
                look.accept(begun.rank);
            } finally {
                underWay.remove(begun); // before the look completes, so that a thread that waits for it may look again
            }
        }, threads);
    }

    private static long done(CompletableFuture<?>[] looks) {
        return Arrays.stream(looks).filter(CompletableFuture::isDone).count();
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
