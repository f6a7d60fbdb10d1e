package io.atoll.fabric.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.atoll.failure.RankUnreachableException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
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
        public Lane connect(Target target, int lane, Patience patience, String verb, long offset) {
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

    /** Attempts take as long as there is patience. */
    private static final class Patient extends FakeConnecting<Lane> {

        private final CountDownLatch begun = new CountDownLatch(1);

        @Override
        public Lane connect(Target target, int lane, Patience patience, String verb, long offset) {
            begun.countDown();
            while (patience.leftNanos() > 0) {
                Thread.onSpinWait();
            }
            throw new RankUnreachableException("it does not answer in time", verb, OTHER, offset);
        }
    }

    private static void isEnded(Consumer<Link<Lane>> by, String reason) throws Exception {
        Patient connector = new Patient();
        Link<Lane> patient = new Link<>(OTHER, connector, 1);
        patient.open(target(1));
        CompletableFuture<Throwable> ended = new CompletableFuture<>();
        Thread.ofPlatform().start(() -> ended.complete(catchThrowable(() -> patient.lane(0, "read", 64))));
        connector.begun.await();
        by.accept(patient);
        assertThat(ended.get()).isInstanceOf(RankUnreachableException.class).hasMessageContaining(reason);
    }

    @Test
    void anAttemptEndsWhenTheRankIsReachedNoMoreOrElsewhere() throws Exception {
        isEnded(link -> link.close("fenced"), "has left or has died");
        isEnded(link -> link.open(target(2)), "has moved or was started again");
        isEnded(link -> {}, "does not answer in time");
    }

    @Test
    void allThatAnOperationConnectsTakesTheTimeOfOne() {
        List<Patience> patience = new ArrayList<>();
        List<BreakableLane> lanes = new ArrayList<>();
        Link<Lane> broken = new Link<>(OTHER, new FakeConnecting<>() {

            @Override
            public Lane connect(Target target, int lane, Patience left, String verb, long offset) {
                patience.add(left);
                lanes.add(new BreakableLane());
                return lanes.getLast();
            }
        }, 4);
        broken.open(target(1));
        for (int lane = 0; lane < 3; lane++) {
            broken.lane(lane, "read", 64);
        }
        lanes.forEach(lane -> lane.isBroken = true);
        patience.clear();

        broken.lane(3, "read", 64);

        assertThat(patience).hasSize(4);
        assertThat(patience.stream().map(Patience::deadlineNanos).distinct()).hasSize(1);
    }

    private static final class BreakableLane extends UnusedLane {

        private boolean isBroken;

        @Override
        public boolean isUsable() {
            return !isBroken;
        }
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
        Thread first = Thread.ofPlatform().start(() -> catchThrowable(() -> link.lane(0, "read", 64)));
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
