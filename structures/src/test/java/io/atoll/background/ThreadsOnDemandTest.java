package io.atoll.background;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ThreadsOnDemandTest {

    private static final Duration SOON = Duration.ofSeconds(60);
    private static final Duration LONG = Duration.ofMinutes(10);

    private ThreadsOnDemand threads = new ThreadsOnDemand("on-demand", 3, LONG);

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    private Thread thread() {
        Thread used = CompletableFuture.supplyAsync(Thread::currentThread, threads).join();
        await().atMost(SOON).until(() -> used.getState() == Thread.State.TIMED_WAITING);
        return used;
    }

    @Test
    void aThreadThatHasNothingToDoIsUsedBeforeAnotherIsMade() {
        Thread first = thread();
        assertThat(IntStream.range(0, 10).mapToObj(_ -> thread()).toList()).containsOnly(first);
        assertThat(first.isDaemon()).isTrue();
    }

    @Test
    void noTaskWaitsForAnotherUntilThereAreAsManyThreadsAsMayBe() {
        CountDownLatch blocked = new CountDownLatch(1);
        CountDownLatch started = new CountDownLatch(3);
        List<CompletableFuture<Void>> tasks = IntStream.range(0, 5)
                .mapToObj(_ -> CompletableFuture.runAsync(() -> {
                    started.countDown();
                    awaitUninterrupted(blocked);
                }, threads))
                .toList();
        awaitUninterrupted(started);
        assertThat(threads.getPoolSize()).isEqualTo(3);
        assertThat(threads.getQueue()).hasSize(2);
        blocked.countDown();
        tasks.forEach(task -> assertThat(task).succeedsWithin(SOON));
    }

    @Test
    void aThreadWithoutATaskEndsAndTheNextTaskHasAnother() {
        threads = new ThreadsOnDemand("on-demand", 1, Duration.ofMillis(10));
        Thread first = CompletableFuture.supplyAsync(Thread::currentThread, threads).join();
        await().atMost(SOON).until(() -> !first.isAlive());
        assertThat(CompletableFuture.supplyAsync(Thread::currentThread, threads)).succeedsWithin(SOON)
                .isNotSameAs(first);
    }

    @Test
    void whatComesAfterTheEndIsDropped() {
        threads.shutdown();
        threads.execute(() -> {
            throw new AssertionError("it is over");
        });
        assertThat(threads.isTerminated()).isTrue();
        assertThat(threads.getQueue()).isEmpty();
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }
}
