package io.atoll.spring.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.spring.state.ParallelLook.Kind;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class ParallelLookTest {

    private static final Duration LONG = Duration.ofSeconds(60);

    @Test
    void allAreLookedAt() {
        Set<Integer> seen = ConcurrentHashMap.newKeySet();
        try (ParallelLook parallelLook = new ParallelLook(0)) {
            parallelLook.look(Kind.SEGMENT, IntStream.range(0, 300).boxed().toList(), seen::add, LONG);
        }
        assertThat(seen).hasSize(300);
    }

    @Test
    void whoDoesNotAnswerKeepsNobodyWaitingAndIsNotAskedTwice() throws InterruptedException {
        CountDownLatch answers = new CountDownLatch(1);
        AtomicInteger asked = new AtomicInteger();
        Set<Integer> seen = ConcurrentHashMap.newKeySet();
        try (ParallelLook parallelLook = new ParallelLook(0)) {
            for (int round = 0; round < 3; round++) {
                parallelLook.look(Kind.SEGMENT, List.of(7), rank -> {
                    asked.incrementAndGet();
                    await(answers);
                }, Duration.ofMillis(20));
                parallelLook.look(Kind.SEGMENT, List.of(1, 2, 3), seen::add, LONG);
            }
            assertThat(seen).containsExactlyInAnyOrder(1, 2, 3);
            assertThat(asked).hasValue(1);
            answers.countDown();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void aLookThatFailsIsOverAndTakenAgain() {
        AtomicInteger asked = new AtomicInteger();
        try (ParallelLook parallelLook = new ParallelLook(0)) {
            for (int round = 0; round < 2; round++) {
                parallelLook.look(Kind.SEGMENT, List.of(7), _ -> {
                    asked.incrementAndGet();
                    throw new IllegalStateException("by the test");
                }, LONG);
            }
        }
        assertThat(asked).hasValue(2);
    }
}
