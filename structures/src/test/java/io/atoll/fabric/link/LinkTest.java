package io.atoll.fabric.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.atoll.failure.RankUnreachableException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How threads of a process come to a rank that does not answer. */
@Timeout(120)
class LinkTest {

    private static final int OTHER = 1;
    private static final int THREADS = 8;

    private final AtomicInteger attempts = new AtomicInteger();
    private final CountDownLatch answer = new CountDownLatch(1);
    private final Link<Lane> link = new Link<>(OTHER, new Silent(), 1);

    /** Attempts take until the latch is open, and fail. */
    private final class Silent extends FakeConnecting<Lane> {

        @Override
        public Lane connect(Target target, int lane, String verb, long offset) {
            attempts.incrementAndGet();
            try {
                answer.await();
            } catch (InterruptedException impossible) {
                throw new IllegalStateException("nobody interrupts it", impossible);
            }
            throw new RankUnreachableException("it does not answer", "lane=" + lane, verb, OTHER, offset);
        }
    }

    private static Target target(int port) {
        return new Target(OTHER, 1, InetSocketAddress.createUnresolved("localhost", port));
    }

    private void isNotReached(String verb) {
        assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(() -> link.lane(0, verb, 64))
                .withMessage("it does not answer: verb=" + verb + " rank=1 offset=64 lane=0");
    }

    @Test
    void threadsThatWaitForAnAttemptAreToldWhatItWasTold() throws Exception {
        link.open(target(1));
        ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
        List<Thread> threads = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
            String verb = "read-" + thread;
            threads.add(Thread.ofPlatform().start(() -> {
                try {
                    isNotReached(verb);
                } catch (Throwable failure) {
                    failures.add(failure);
                }
            }));
        }
        await().atMost(Duration.ofSeconds(60))
                .until(() -> threads.stream().allMatch(thread -> thread.getState() == Thread.State.WAITING));
        answer.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(failures).isEmpty();
        assertThat(attempts).hasValue(1);
    }

    @Test
    void aThreadThatComesLaterMakesAnAttemptOfItsOwn() {
        link.open(target(1));
        answer.countDown();
        isNotReached("read");
        isNotReached("write");
        assertThat(attempts).hasValue(2);
    }

    @Test
    void whatWasToldOfAnotherAddressSaysNothingOfThisOne() throws Exception {
        link.open(target(1));
        Thread first = Thread.ofPlatform().start(() -> isNotReached("read"));
        await().atMost(Duration.ofSeconds(60)).until(() -> attempts.get() == 1);
        Thread second = Thread.ofPlatform().start(() -> isNotReached("write"));
        await().atMost(Duration.ofSeconds(60)).until(() -> second.getState() == Thread.State.WAITING);
        link.open(target(2));
        answer.countDown();
        first.join();
        second.join();
        assertThat(attempts).hasValue(2);
    }
}
