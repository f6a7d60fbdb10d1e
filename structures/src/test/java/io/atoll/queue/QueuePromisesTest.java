package io.atoll.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.promise.BrokenPromiseException;
import io.atoll.promise.Promise;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class QueuePromisesTest {

    @TempDir
    Path folder;

    private World world;
    private CircularQueue<Long> queue;

    @BeforeEach
    void join() {
        world = World.named("promises").segment(1 << 20).fabric(Fabrics.sharedMemory(folder, false)).open();
        queue = world.queue("jobs", Long.class).capacity(100).checkedPromises().open();
    }

    @AfterEach
    void leave() {
        world.close();
    }

    private void assertBroken(Runnable operation, String there) {
        assertThatExceptionOfType(BrokenPromiseException.class).isThrownBy(operation::run)
                .satisfies(broken -> assertThat(broken.here()).contains("QueuePromisesTest"))
                .satisfies(broken -> assertThat(broken.there()).startsWith(there + " at ")
                        .contains("QueuePromisesTest"));
    }

    @Test
    void whoPopsWhereAllOnlyPushIsToldOfBoth() {
        queue.push(1L, Promise.onlyPushes());
        queue.push(2L);
        assertBroken(() -> queue.pop(), "PUSH_WHILE_ALL_ONLY_PUSH");
        assertBroken(() -> queue.pop(2), "PUSH_WHILE_ALL_ONLY_PUSH");
        assertBroken(() -> queue.pop(Promise.onlyPops()), "PUSH");
        assertThat(queue.size()).as("nothing was done").isEqualTo(2);
    }

    @Test
    void whoPushesWhereAllOnlyPopIsToldOfBoth() {
        queue.pop(Promise.onlyPops());
        assertBroken(() -> queue.push(1L), "POP_WHILE_ALL_ONLY_POP");
        assertBroken(() -> queue.push(List.of(1L, 2L)), "POP_WHILE_ALL_ONLY_POP");
        assertBroken(() -> {
            try {
                queue.offer(1L, Duration.ZERO);
            } catch (InterruptedException interrupted) {
                throw new AssertionError(interrupted);
            }
        }, "POP_WHILE_ALL_ONLY_POP");
        assertThat(queue.size()).isZero();
    }

    @Test
    void whoLooksAtWhatIsBeingPushedWithoutOrderIsToldOfBoth() throws InterruptedException {
        queue.push(1L, Promise.onlyPushes());
        assertBroken(() -> queue.peek(), "PUSH_WHILE_ALL_ONLY_PUSH");
        assertBroken(() -> queue.forEach(_ -> {}), "PUSH_WHILE_ALL_ONLY_PUSH");
        world.barrier();
        queue.pop(Promise.onlyPops());
        assertThat(queue.peek()).isNull();
    }

    @Test
    void aThreadAloneIsAlone() {
        queue.push(1L, Promise.local());
        assertThat(queue.localPop()).isEqualTo(1);
        assertBroken(() -> queue.push(1L), "LOCAL");
        assertBroken(() -> queue.peek(), "LOCAL");
    }

    @Test
    void ofTwoThreadsThatPromiseToBeAloneOneIsToldOfBoth() throws InterruptedException {
        queue.push(1L, Promise.local());
        CompletableFuture.runAsync(() -> assertBroken(() -> queue.localPop(), "LOCAL")).join();
        assertThat(queue.localPop()).isEqualTo(1);
        world.barrier();
        CompletableFuture.runAsync(() -> assertThat(queue.push(2L, Promise.local())).isTrue()).join();
        assertBroken(() -> queue.localPop(), "LOCAL");
    }

    @Test
    void phasesThatBarriersSeparateKeepTheirPromises() throws Exception {
        LongCircularQueue longs = world.longQueue("longs").capacity(100).checkedPromises().open();
        for (long phase = 0; phase < 3; phase++) {
            assertThat(longs.push(phase, Promise.onlyPushes())).isTrue();
            world.barrier();
            assertThat(longs.pop(-1, Promise.onlyPops())).isEqualTo(phase);
            world.barrier();
            assertThat(longs.push(phase)).isTrue();
            assertThat(longs.pop(-1)).isEqualTo(phase);
            world.barrier();
        }
    }
}
