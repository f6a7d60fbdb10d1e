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
 * Looks at many ranks at once, and waits for those that do not answer no longer than it was told, all of them together. A
 * look of one kind at a rank that is still under way is not begun again. Threads are there only while there is something to do. Any
 * thread may use it.
 */
final class Patrol implements AutoCloseable {

    private static final int THREADS = 8;
    private static final long IDLE_SECONDS = 10;

    private static final Logger LOG = LoggerFactory.getLogger(Patrol.class);

    /** What looks are for. */
    enum Kind {
        SEGMENT, DIRECTORY, HEAP, HISTORY, EPOCHS, LOCKS, COLLECTIVES, RECENT_LOCKS, RECENT_STRUCTURES
    }

    private record Look(Kind kind, int rank) {}

    private final Map<Look, CompletableFuture<?>> underWay = new ConcurrentHashMap<>();
    private final ThreadPoolExecutor threads;

    Patrol(int rank) {
        threads = new ThreadPoolExecutor(THREADS, THREADS, IDLE_SECONDS, TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(), Thread.ofPlatform().daemon().name("atoll-look-" + rank + "-", 0).factory(),
                new ThreadPoolExecutor.DiscardPolicy());
        threads.allowCoreThreadTimeOut(true);
    }

    /** Returns when all ranks have been looked at, or the time is over. */
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
                underWay.remove(begun); // before it is over: whoever waits for it may look again
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
