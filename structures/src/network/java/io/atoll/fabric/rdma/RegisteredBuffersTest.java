package io.atoll.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import java.lang.Thread.State;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
@Tag("network")
class RegisteredBuffersTest {

    private static final Duration SOON = Duration.ofSeconds(60);

    private final AtomicInteger slabs = new AtomicInteger();

    private RegisteredBuffers buffers(int most) {
        return new RegisteredBuffers(
                bytes -> new Registered(Arena.ofAuto().allocate(bytes, 64), slabs.incrementAndGet()), 32 << 10, most);
    }

    @Test
    void buffersDoNotOverlapAndKnowTheKeyOfTheirSlab() {
        RegisteredBuffers buffers = buffers(RegisteredBuffers.ANY);
        Set<Long> addresses = new HashSet<>();
        Set<Integer> keys = new HashSet<>();
        for (int index = 0; index < 16; index++) {
            Registered buffer = buffers.take();
            assertThat(buffer.bytes().byteSize()).isEqualTo(32 << 10);
            addresses.add(buffer.bytes().address());
            keys.add(buffer.key());
        }
        assertThat(addresses).hasSize(16);
        assertThat(keys).containsExactlyInAnyOrder(1, 2);
    }

    @Test
    void aThreadWaitsInLineUntilABufferIsGivenBack() throws Exception {
        RegisteredBuffers buffers = buffers(1);
        Registered held = buffers.take();
        try (ExecutorService executor = Executors.newCachedThreadPool()) {
            Thread[] waiter = new Thread[1];
            Future<Registered> waiting = executor.submit(() -> {
                waiter[0] = Thread.currentThread();
                return buffers.take();
            });
            await().atMost(SOON)
                    .until(() -> waiter[0] != null && waiter[0].getState() == State.TIMED_WAITING
                            || waiting.isDone());
            buffers.giveBack(held);
            assertThat(waiting.get(60, TimeUnit.SECONDS)).isSameAs(held);
        }
    }

    /** No thread gives a buffer back: all holders wait for the thread that waits for a buffer. */
    @Test
    void aThreadThatWouldWaitForEverGetsOneMoreThanThereShouldBe() {
        RegisteredBuffers buffers = buffers(1);
        Registered first = buffers.take();
        Registered beyond = buffers.take();
        assertThat(beyond.bytes().address()).isNotEqualTo(first.bytes().address());
        buffers.giveBack(beyond);
        buffers.giveBack(first);
        long beganNanos = System.nanoTime();
        buffers.giveBack(buffers.take());
        Registered again = buffers.take();
        buffers.take(); // beyond the limit again: giving back twice has freed one place
        assertThat(System.nanoTime() - beganNanos).isGreaterThanOrEqualTo(RegisteredBuffers.PATIENCE.toNanos());
        buffers.giveBack(again);
    }

    @Test
    void anInterruptedThreadGetsItsBufferAndIsInterruptedStill() {
        RegisteredBuffers buffers = buffers(1);
        buffers.take();
        Thread.currentThread().interrupt();
        assertThat(buffers.take()).isNotNull();
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void aThreadThatGetsNoMemoryTakesNoPlace() {
        int[] asked = {0};
        RegisteredBuffers buffers = new RegisteredBuffers(bytes -> {
            if (asked[0]++ == 0) {
                throw new IllegalStateException("the device has registered all that it may");
            }
            return new Registered(Arena.ofAuto().allocate(bytes, 64), 1);
        }, 32 << 10, 1);
        assertThatIllegalStateException().isThrownBy(buffers::take);
        long beganNanos = System.nanoTime();
        assertThat(buffers.take()).isNotNull();
        assertThat(asked[0]).isEqualTo(2);
        assertThat(System.nanoTime() - beganNanos).isLessThan(TimeUnit.SECONDS.toNanos(60));
    }

    @Test
    void manyThreadsAreServedInTurn() throws Exception {
        RegisteredBuffers buffers = buffers(4);
        AtomicInteger lent = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        List<Future<Boolean>> running = new ArrayList<>();
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int thread = 0; thread < 2_000; thread++) {
                running.add(executor.submit(() -> {
                    Registered buffer = buffers.take();
                    most.accumulateAndGet(lent.incrementAndGet(), Math::max);
                    Thread.yield();
                    lent.decrementAndGet();
                    buffers.giveBack(buffer);
                    return true;
                }));
            }
            for (Future<Boolean> each : running) {
                assertThat(each.get()).isTrue();
            }
        }
        assertThat(most.get()).isBetween(1, 8);
        assertThat(slabs).hasValue(1);
    }
}
