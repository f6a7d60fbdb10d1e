package io.atoll.fabric.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.atoll.fabric.Clock;
import io.atoll.fabric.LateVerbs;
import io.atoll.failure.RankUnreachableException;
import io.atoll.failure.SegmentLostException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests how threads of a process reach a rank that does not answer. */
@Timeout(120)
@Tag("network")
class PeerConnectionTest {

    private static final int OTHER = 1;
    private static final int THREADS = 8;
    private static final Duration SOON = Duration.ofSeconds(60);

    private final AtomicInteger attempts = new AtomicInteger();
    private final CountDownLatch answer = new CountDownLatch(1);
    private final PeerConnection<Lane> peerConnection = new PeerConnection<>(OTHER, new Silent(), 1, new LateVerbs());

    /** Attempts take until the latch is open, and then fail. */
    private final class Silent extends FakeConnecting<Lane> {

        @Override
        public Lane connect(PeerAddress peerAddress, int lane, ConnectDeadline connectDeadline, String verb,
                long offset) {
            attempts.incrementAndGet();
            try {
                answer.await();
            } catch (InterruptedException impossible) {
                throw new IllegalStateException("nobody interrupts it", impossible);
            }
            throw new RankUnreachableException("it does not answer", "lane=" + lane, verb, OTHER, offset);
        }
    }

    private static PeerAddress target(int port) {
        return new PeerAddress(OTHER, 1, InetSocketAddress.createUnresolved("localhost", port));
    }

    private void isNotReached(String verb) {
        assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(() -> peerConnection.lane(0, verb, 64))
                .withMessage("it does not answer: verb=" + verb + " rank=1 offset=64 lane=0");
    }

    @Test
    void threadsThatWaitForAnAttemptAreToldWhatItWasTold() throws Exception {
        peerConnection.open(target(1));
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
        await().atMost(SOON)
                .until(() -> threads.stream().allMatch(thread -> thread.getState() == Thread.State.WAITING));
        answer.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(failures).isEmpty();
        assertThat(attempts).hasValue(1);
    }

    /** Attempts take until the deadline. */
    private static final class Patient extends FakeConnecting<Lane> {

        private final CountDownLatch begun = new CountDownLatch(1);

        @Override
        public Lane connect(PeerAddress peerAddress, int lane, ConnectDeadline connectDeadline, String verb,
                long offset) {
            begun.countDown();
            while (connectDeadline.leftNanos() > 0) {
                Thread.onSpinWait();
            }
            throw new RankUnreachableException("it does not answer in time", verb, OTHER, offset);
        }
    }

    private static void isEnded(Consumer<PeerConnection<Lane>> by, String reason) throws Exception {
        Patient connector = new Patient();
        PeerConnection<Lane> patient = new PeerConnection<>(OTHER, connector, 1, new LateVerbs());
        patient.open(target(1));
        CompletableFuture<Throwable> ended = new CompletableFuture<>();
        Thread.ofPlatform().start(() -> ended.complete(catchThrowable(() -> patient.lane(0, "read", 64))));
        connector.begun.await();
        by.accept(patient);
        assertThat(ended.get()).isInstanceOf(RankUnreachableException.class).hasMessageContaining(reason);
    }

    @Test
    void anAttemptEndsWhenTheRankIsReachedNoMoreOrElsewhere() throws Exception {
        isEnded(peerConnection -> peerConnection.close("fenced"), "has left or has died");
        isEnded(peerConnection -> peerConnection.open(target(2)), "has moved or was started again");
        isEnded(peerConnection -> peerConnection.renewed(2), "what lay in this rank's segment was lost");
        isEnded(peerConnection -> {}, "does not answer in time");
    }

    @Test
    void aConnectionToALostSegmentFailsForGoodAndTheOneThatFollowsLeadsToThePresentOne() {
        PeerConnection<Lane> former = new PeerConnection<>(OTHER, new FakeConnecting<>() {

            @Override
            public Lane connect(PeerAddress peerAddress, int lane, ConnectDeadline left, String verb, long offset) {
                return new UnusedLane();
            }
        }, 1, new LateVerbs());
        former.open(target(1));
        former.lane(0, "read", 64);

        PeerConnection<Lane> renewed = former.renewed(2);

        assertThatExceptionOfType(SegmentLostException.class).isThrownBy(() -> former.lane(0, "read", 64))
                .satisfies(lost -> assertThat(lost.born()).isEqualTo(2));
        assertThatExceptionOfType(SegmentLostException.class).isThrownBy(former::flush);
        assertThatIllegalStateException().isThrownBy(() -> former.open(target(1)))
                .withMessageContaining("lostSince=2");
        renewed.open(target(1));
        assertThat(renewed.lane(0, "read", 64)).isNotNull();
    }

    @Test
    void allThatAnOperationConnectsTakesTheTimeOfOne() {
        List<ConnectDeadline> patience = new ArrayList<>();
        List<BreakableLane> lanes = new ArrayList<>();
        PeerConnection<Lane> broken = new PeerConnection<>(OTHER, new FakeConnecting<>() {

            @Override
            public Lane connect(PeerAddress peerAddress, int lane, ConnectDeadline left, String verb, long offset) {
                patience.add(left);
                lanes.add(new BreakableLane());
                return lanes.getLast();
            }
        }, 4, new LateVerbs());
        broken.open(target(1));
        for (int lane = 0; lane < 3; lane++) {
            broken.lane(lane, "read", 64);
        }
        lanes.forEach(lane -> lane.isBroken = true);
        patience.clear();

        broken.lane(3, "read", 64);

        assertThat(patience).hasSize(4);
        assertThat(patience.stream().map(ConnectDeadline::deadlineNanos).distinct()).hasSize(1);
    }

    private static final class BreakableLane extends UnusedLane {

        private volatile boolean isBroken;
        private volatile boolean isSilent;

        @Override
        public boolean isUsable() {
            return !isBroken;
        }

        @Override
        public boolean hasFallenSilent() {
            return isSilent;
        }

        private void fallSilent() {
            isSilent = true;
            isBroken = true;
        }
    }

    /** A clock on which time passes only during pauses, and only if the test allows it. */
    private static final class PausedTime implements Clock {

        private static final long STEP_NANOS = Duration.ofMillis(10).toNanos();

        private final AtomicLong now = new AtomicLong();
        private volatile boolean passes = true;

        @Override
        public long nanoTime() {
            return now.get();
        }

        @Override
        public void pause(int attempt) {
            if (passes) {
                now.addAndGet(STEP_NANOS);
            }
            Thread.yield();
        }

        private Duration since(long beganNanos) {
            return Duration.ofNanos(now.get() - beganNanos);
        }
    }

    /** Answers at first. Later attempts wait until the test decides their result. */
    private final class Falling extends FakeConnecting<Lane> {

        private final List<ConnectDeadline> given = new CopyOnWriteArrayList<>();
        private final CountDownLatch end = new CountDownLatch(1);
        private final PausedTime time = new PausedTime();
        private final Thread caller = Thread.currentThread();
        private final PeerConnection<Lane> to = new PeerConnection<>(OTHER, this, 2, new LateVerbs(), time);
        private volatile boolean answers = true;
        private volatile boolean waits;
        private volatile Exception cause; // of a refusal
        private volatile BreakableLane last;

        private Falling() {
            to.open(target(1));
            to.lane(0, "read", 64);
        }

        @Override
        public Lane connect(PeerAddress peerAddress, int lane, ConnectDeadline connectDeadline, String verb,
                long offset) {
            given.add(connectDeadline);
            if (waits && Thread.currentThread() == caller) {
                throw new IllegalStateException("the caller makes the attempt itself: verb=" + verb);
            }
            while (waits && end.getCount() > 0 && connectDeadline.leftNanos() > 0) {
                Thread.onSpinWait();
            }
            if (!answers) {
                RankUnreachableException refusal = new RankUnreachableException("it refuses", "lane=" + lane, verb,
                        OTHER, offset);
                refusal.initCause(cause);
                throw refusal;
            }
            last = new BreakableLane();
            return last;
        }

        private List<Duration> timeouts() {
            return given.stream().map(ConnectDeadline::timeout).toList();
        }

        private void isToldThatTheRankIsSilent(String verb) {
            assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(() -> to.lane(0, verb, 64))
                    .withMessageContaining("the rank has been silent and does not answer yet")
                    .withMessageContaining("verb=" + verb + " rank=1 offset=64 incarnation=1 address=");
        }
    }

    @Test
    void aProcessThatHasLetThisOneInIsGivenLessTimeThanAnother() {
        Falling rank = new Falling();
        rank.last.isBroken = true;
        rank.to.lane(0, "read", 64);
        rank.to.open(new PeerAddress(OTHER, 2, target(1).address()));
        rank.to.lane(0, "read", 64);
        assertThat(rank.timeouts()).containsExactly(rank.timeout(), rank.timeoutAnew(), rank.timeout());
    }

    @Test
    void anOperationWaitsHalfASecondForARankThatHasFallenSilentAndItsNextVerbsNotAtAll() throws Exception {
        Falling rank = new Falling();
        rank.waits = true;
        rank.last.fallSilent();
        long beganNanos = rank.time.nanoTime();

        rank.isToldThatTheRankIsSilent("read");
        assertThat(rank.time.since(beganNanos)).isBetween(PeerConnection.SILENT_WAIT,
                PeerConnection.SILENT_WAIT.multipliedBy(2));
        rank.time.passes = false;
        rank.isToldThatTheRankIsSilent("write");
        rank.isToldThatTheRankIsSilent("getAndAdd");

        await().atMost(SOON).until(() -> rank.given.size() == 2);
        rank.end.countDown();
        await().atMost(SOON).ignoreExceptions().until(() -> rank.to.lane(0, "read", 64) == rank.last);
        assertThat(rank.timeouts()).as("the attempt went on").containsExactly(rank.timeout(), rank.timeoutAnew());
    }

    @Test
    void theSameHoldsAfterAnAttemptThatWasNotAnsweredInTime() {
        Falling rank = new Falling();
        rank.last.isBroken = true;
        rank.answers = false;
        rank.cause = new SocketTimeoutException("no answer");
        assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(() -> rank.to.lane(0, "read", 64))
                .withMessageContaining("it refuses");
        rank.waits = true;
        long beganNanos = rank.time.nanoTime();

        rank.isToldThatTheRankIsSilent("read");

        assertThat(rank.time.since(beganNanos)).isBetween(PeerConnection.SILENT_WAIT,
                PeerConnection.SILENT_WAIT.multipliedBy(2));
        rank.to.close("over");
        rank.to.awaitAttempts();
    }

    @Test
    void aRankThatRefusesIsNotTakenForSilent() {
        Falling rank = new Falling();
        rank.answers = false;
        Thread caller = Thread.currentThread();
        List<Thread> attempting = new CopyOnWriteArrayList<>();
        PeerConnection<Lane> peerConnection = new PeerConnection<>(OTHER, new FakeConnecting<>() {

            @Override
            public Lane connect(PeerAddress peerAddress, int lane, ConnectDeadline connectDeadline, String verb,
                    long offset) {
                attempting.add(Thread.currentThread());
                return rank.connect(peerAddress, lane, connectDeadline, verb, offset);
            }
        }, 1, new LateVerbs(), rank.time);
        peerConnection.open(target(1));
        for (int attempt = 0; attempt < 2; attempt++) {
            assertThatExceptionOfType(RankUnreachableException.class)
                    .isThrownBy(() -> peerConnection.lane(0, "read", 64));
        }
        assertThat(attempting).containsExactly(caller, caller);
    }

    @Test
    void whoeverWaitsForASilentRankHasTheLaneAsSoonAsItAnswersOrIsToldWhyItRefuses() {
        Falling rank = new Falling();
        rank.time.passes = false; // so that no thread waits too long
        rank.last.fallSilent();
        assertThat(rank.to.lane(1, "read", 64)).isSameAs(rank.last);
        assertThat(rank.to.lane(0, "read", 64).isUsable()).isTrue();

        rank.last.fallSilent();
        rank.answers = false;
        assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(() -> rank.to.lane(0, "write", 64))
                .withMessage("it refuses: verb=write rank=1 offset=64 lane=1");
    }

    @Test
    void whoeverWaitsForASilentRankIsToldAtOnceThatItIsFenced() throws Exception {
        Falling rank = new Falling();
        rank.time.passes = false;
        rank.waits = true;
        rank.last.fallSilent();
        CompletableFuture<Throwable> ended = new CompletableFuture<>();
        Thread.ofPlatform().start(() -> ended.complete(catchThrowable(() -> rank.to.lane(0, "read", 64))));
        await().atMost(SOON).until(() -> rank.given.size() == 2);
        rank.to.close("fenced");
        assertThat(ended.get()).isInstanceOf(RankUnreachableException.class)
                .hasMessageContaining("has left or has died");
    }

    @Test
    void aThreadThatComesLaterMakesAnAttemptOfItsOwn() {
        peerConnection.open(target(1));
        answer.countDown();
        isNotReached("read");
        isNotReached("write");
        assertThat(attempts).hasValue(2);
    }

    @Test
    void whatWasToldOfAnotherAddressSaysNothingOfThisOne() throws Exception {
        peerConnection.open(target(1));
        Thread first = Thread.ofPlatform().start(() -> catchThrowable(() -> peerConnection.lane(0, "read", 64)));
        await().atMost(SOON).until(() -> attempts.get() == 1);
        Thread second = Thread.ofPlatform().start(() -> isNotReached("write"));
        await().atMost(SOON).until(() -> second.getState() == Thread.State.WAITING);
        peerConnection.open(target(2));
        answer.countDown();
        first.join();
        second.join();
        assertThat(attempts).hasValue(2);
    }
}
