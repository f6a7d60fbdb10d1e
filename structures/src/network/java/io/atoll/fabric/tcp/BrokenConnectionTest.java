package io.atoll.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.LateVerbs;
import io.atoll.fabric.WordTest;
import io.atoll.failure.RankUnreachableException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests what threads learn when a connection breaks or falls silent, and that nothing is done twice. */
@Timeout(180)
@Tag("network")
class BrokenConnectionTest {

    private static final long WORD = TcpRanks.FREE;
    private static final Duration SILENCE = Duration.ofSeconds(2);

    private TcpRanks ranks;
    private Relay relay;
    private Fabric fabric;

    /** Rank 0 reaches rank 1 through the relay. All lanes are connected. */
    @BeforeEach
    void attach(@TempDir Path folder) throws Exception {
        ranks = new TcpRanks(folder, tcp -> settings(tcp.silenceTimeout(SILENCE)), mostThreads());
        relay = new Relay(ranks.attachment(1));
        ranks.attachment(0).connect(1, 1, relay.address());
        fabric = ranks.fabric(0);
        fabric.readWord(1, WORD);
        for (int lane = 1; lane < Tcp.LANES; lane++) {
            Thread.ofPlatform().start(() -> fabric.readWord(1, WORD)).join();
        }
    }

    /** Returns the settings of the ranks. A subclass may change them. */
    Tcp settings(Tcp tcp) {
        return tcp;
    }

    /** Returns how many connections of a rank have threads of their own. */
    int mostThreads() {
        return Listener.MOST_THREADS;
    }

    @AfterEach
    void detach() throws Exception {
        ranks.close();
        relay.close();
    }

    private long word() {
        return ranks.fabric(1).local().getVolatile(WORD);
    }

    private void isUnreachable(Runnable verb) {
        assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(verb::run)
                .withMessageContaining("the connection broke")
                .withMessageContaining("rank=1");
    }

    @Test
    void aConnectionThatIsResetIsMadeAnew() throws Exception {
        relay.reset();
        // The monitor notices it before a thread uses the connection.
        await().atMost(Duration.ofSeconds(60))
                .until(() -> ranks.tcp(0).laneMonitor().peers().stream().allMatch(peer -> peer.usable() == 0));
        assertThat(fabric.getAndAdd(1, WORD, 1)).isZero();
        assertThat(word()).isEqualTo(1);
    }

    @Test
    void aThreadThatWaitsIsToldThatTheConnectionWasReset() throws Exception {
        relay.loseAnswers();
        AtomicBoolean told = new AtomicBoolean();
        Thread waiting = Thread.ofPlatform().start(() -> {
            isUnreachable(() -> fabric.getAndAdd(1, WORD, 1));
            told.set(true);
        });
        await().until(() -> word() == 1);
        relay.reset();
        waiting.join();
        assertThat(told).isTrue();
        assertThat(ranks.unknownOutcomes(0)).isEqualTo(1);
        relay.heal();
        assertThat(fabric.readWord(1, WORD)).as("nobody has sent it again").isEqualTo(1);
    }

    @Test
    void aThreadThatWaitsLongerThanTheSilenceTimeoutIsTold() {
        relay.fallSilent();
        long began = System.nanoTime();
        assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(() -> fabric.getAndAdd(1, WORD, 1))
                .withMessageContaining("silent for 2000 ms");
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThan(SILENCE.dividedBy(2));
        assertThat(ranks.unknownOutcomes(0)).isEqualTo(1);
        assertThat(word()).isZero();
    }

    private LateVerbs lateVerbs() {
        return ranks.attachment(0).lateVerbs().orElseThrow();
    }

    @Test
    void aChangeMayArriveLateUntilItsConnectionIsReplaced() {
        relay.hold(true, false);
        AtomicBoolean known = new AtomicBoolean();
        isUnreachable(() -> {
            try {
                fabric.getAndAdd(1, WORD, 1);
            } finally {
                known.set(lateVerbs().areAny()); // before anything else can have happened
            }
        });
        assertThat(known).as("late when its thread is told").isTrue();
        assertThat(lateVerbs().connections()).extracting(LateVerbs.Connection::rank).containsOnly(1);
        relay.hold(false, false);
        // Another lane may be the one that broke.
        assertThat(fabric.readWord(1, WORD)).isLessThan(2);
        assertThat(lateVerbs().areAny()).isFalse();
    }

    @Test
    void readsMayNotArriveLate() {
        relay.hold(true, false);
        isUnreachable(() -> fabric.readWord(1, WORD));
        assertThat(ranks.unknownOutcomes(0)).isZero();
        assertThat(lateVerbs().areAny()).isFalse();
    }

    @Test
    void writesThatNoThreadWaitsForMayArriveLate() {
        relay.hold(true, false);
        fabric.writeWord(1, WORD, 7);
        isUnreachable(() -> fabric.flush(1));
        assertThat(lateVerbs().areAny()).isTrue();
    }

    @Test
    void changesOnSeveralLanesAreLateUntilAllAreReplaced() throws Exception {
        relay.hold(true, false);
        List<Thread> threads = new ArrayList<>();
        for (int lane = 0; lane < Tcp.LANES; lane++) {
            threads.add(Thread.ofPlatform().start(() -> isUnreachable(() -> fabric.getAndAdd(1, WORD, 1))));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(lateVerbs().connections()).isNotEmpty();
        relay.hold(false, false);
        fabric.readWord(1, WORD);
        assertThat(lateVerbs().connections()).isEmpty();
    }

    @Test
    void changesMayArriveLateAtARankThatIsShutOutUntilItsNextProcessIsMet() {
        relay.hold(true, false);
        isUnreachable(() -> fabric.getAndAdd(1, WORD, 1));
        ranks.attachment(0).fence(1);
        assertThat(lateVerbs().areAny()).isTrue();
        ranks.restart(1);
        ranks.connect(0, 1);
        assertThat(lateVerbs().areAny()).isFalse();
    }

    @Test
    void aFenceMakesLateWhatWasUnderWay() throws Exception {
        relay.hold(true, false);
        AtomicBoolean known = new AtomicBoolean();
        Thread waiting = Thread.ofPlatform().start(() -> {
            try {
                fabric.getAndAdd(1, WORD, 1);
            } catch (RankUnreachableException told) {
                known.set(lateVerbs().areAny());
            }
        });
        await().until(() -> ranks.tcp(0).laneMonitor().peers().stream().anyMatch(peer -> peer.unanswered() > 0));
        ranks.attachment(0).fence(1);
        waiting.join();
        assertThat(known).isTrue();
    }

    @Test
    void aFenceOfARankWithNothingUnderWayMakesNothingLate() {
        ranks.attachment(0).fence(1);
        assertThat(lateVerbs().areAny()).isFalse();
    }

    @Test
    void virtualThreadsAreToldOfSilenceToo() throws Exception {
        relay.fallSilent();
        AtomicBoolean told = new AtomicBoolean();
        Thread waiting = Thread.ofVirtual().start(() -> {
            assertThatExceptionOfType(RankUnreachableException.class)
                    .isThrownBy(() -> fabric.getAndAdd(1, WORD, 1));
            told.set(true);
        });
        waiting.join();
        assertThat(told).isTrue();
    }

    @Test
    void eachChangeOfABatchIsAnUnknownOutcome() {
        relay.fallSilent();
        Batch batch = fabric.batch();
        for (int verb = 0; verb < 3; verb++) {
            batch.getAndAdd(1, WORD, 1);
            batch.read(1, WORD, 0, Long.BYTES);
        }
        isUnreachable(batch::complete);
        assertThat(ranks.unknownOutcomes(0)).isEqualTo(3);
    }

    /** The owner has executed all of it. The thread knows nothing of that, and no later batch is guarded by it. */
    @Test
    void anExchangeWhoseAnswerIsLostIsNotAnswered() throws Exception {
        Batch lost = fabric.batch();
        relay.loseAnswers();
        int exchange = lost.compareAndExchange(1, WORD, 0, 3);
        lost.guard(exchange);
        lost.writeWord(1, WORD + 8, 4);
        lost.post();
        await().until(() -> ranks.fabric(1).local().getVolatile(WORD + 8) == 4);
        relay.reset();
        isUnreachable(() -> await().until(lost::poll));
        assertThat(lost.answered(exchange)).isFalse();
        assertThat(lost.succeeded(exchange)).isFalse();
        relay.heal();
        Batch next = fabric.batch();
        next.writeWord(1, WORD + 8, 5);
        next.complete();
        assertThat(fabric.readWord(1, WORD + 8)).isEqualTo(5);
        assertThat(word()).isEqualTo(3);
    }

    /** The owner has found the record, and has written. Nobody knows, not even where it was. */
    @Test
    void aSearchWhoseAnswerIsLostIsNotAnswered() throws Exception {
        fabric.writeWord(1, WORD + 8, 7);
        fabric.flush(1);
        Batch lost = fabric.batch();
        relay.loseAnswers();
        WordTest.putEqual(lost, 0, 0, 7);
        int found = lost.search(1, WORD, 8, 2, 0, 1);
        lost.guard(found);
        int exchange = lost.exchangeFound(1, WORD, -1, 1);
        lost.post();
        await().until(() -> ranks.fabric(1).local().getVolatile(WORD + 8) == 8);
        relay.reset();
        isUnreachable(() -> await().until(lost::poll));
        assertThat(lost.answered(found)).isFalse();
        assertThat(lost.succeeded(found)).isFalse();
        assertThat(lost.succeeded(exchange)).isFalse();
        assertThat(lost.displacement(found)).isZero();
        relay.heal();
        Batch next = fabric.batch();
        next.writeWord(1, WORD, 5);
        next.complete();
        assertThat(word()).as("does not move").isEqualTo(5);
    }

    /** The second write has no room in the frame of its guard. */
    @Test
    void whatWasAnsweredBeforeTheConnectionBrokeInTheMiddleOfABatchIsKnown() {
        Batch batch = fabric.batch();
        int exchange = batch.compareAndExchange(1, WORD, 0, 3);
        batch.guard(exchange);
        batch.setWord(0, 4);
        batch.write(1, WORD + 8, 0, Batch.THREAD_BUFFER_BYTES);
        batch.setWord(0, 5);
        batch.write(1, WORD + 8, 0, Batch.THREAD_BUFFER_BYTES);
        relay.reset();
        isUnreachable(batch::complete);
        assertThat(batch.succeeded(exchange)).isTrue();
        Batch next = fabric.batch();
        next.read(1, WORD, 0, 16);
        next.complete();
        assertThat(next.word(0)).isEqualTo(3);
        assertThat(next.word(8)).isIn(4L, 5L);
    }

    @Test
    void readsThatFailAreNoUnknownOutcomes() {
        relay.fallSilent();
        isUnreachable(() -> fabric.readWord(1, WORD));
        assertThat(ranks.unknownOutcomes(0)).isZero();
    }

    @Test
    void aWriteThatNobodyWaitedForIsToldToItsThreadOnce() throws Exception {
        relay.fallSilent();
        fabric.writeWord(1, WORD, 5);
        assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(() -> fabric.flush(1));
        relay.heal();
        awaitAnswersToOthers();
        assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(() -> fabric.readWord(1, WORD))
                .withMessageContaining("an earlier write may be lost");
        assertThat(fabric.readWord(1, WORD)).isZero();
    }

    /** Lets another thread connect again. After a silence no thread waits long for that. */
    private void awaitAnswersToOthers() throws Exception {
        Thread.ofPlatform()
                .start(() -> await().atMost(Duration.ofSeconds(60))
                        .ignoreExceptionsInstanceOf(RankUnreachableException.class)
                        .until(() -> fabric.readWord(1, WORD) == 0))
                .join();
    }

    /** Each acknowledged addition is there once, and each other one at most once. */
    @Test
    void additionsAreNeitherLostNorDoubledWhileConnectionsBreak() throws Exception {
        AtomicLong acknowledged = new AtomicLong();
        AtomicBoolean isOver = new AtomicBoolean();
        List<Thread> threads = new ArrayList<>();
        for (int thread = 0; thread < 4; thread++) {
            threads.add(Thread.ofPlatform().start(() -> {
                while (!isOver.get()) {
                    try {
                        fabric.getAndAdd(1, WORD, 1);
                        acknowledged.incrementAndGet();
                    } catch (RankUnreachableException broken) {
                        Thread.onSpinWait();
                    }
                }
            }));
        }
        for (int round = 0; round < 20; round++) {
            long before = acknowledged.get();
            await().atMost(Duration.ofSeconds(60)).until(() -> acknowledged.get() > before + 20);
            relay.reset();
        }
        isOver.set(true);
        for (Thread thread : threads) {
            thread.join();
        }
        // What still lies in a socket counts as unknown, even if it arrives.
        long known = acknowledged.get();
        assertThat(word()).isBetween(known, known + ranks.unknownOutcomes(0));
    }

    /** A selector does not block an interrupted thread. */
    @Test
    void aThreadThatIsInterruptedWhileItWaitsTakesNoProcessor() throws Exception {
        relay.loseAnswers();
        AtomicLong nanos = new AtomicLong();
        Thread waiting = Thread.ofPlatform().start(() -> {
            ThreadMXBean bean = ManagementFactory.getThreadMXBean();
            long before = bean.getCurrentThreadCpuTime();
            try {
                fabric.getAndAdd(1, WORD, 1);
            } catch (RankUnreachableException silent) {
                nanos.set(bean.getCurrentThreadCpuTime() - before);
            }
        });
        await().until(() -> word() == 1);
        waiting.interrupt();
        waiting.join();
        assertThat(Duration.ofNanos(nanos.get())).isPositive().isLessThan(SILENCE.dividedBy(20));
    }

    @Test
    void anInterruptedThreadHasItsAnswerAndIsInterruptedAfterwards() throws Exception {
        AtomicBoolean isOver = new AtomicBoolean();
        AtomicLong sum = new AtomicLong();
        Thread interrupted = Thread.ofPlatform().start(() -> {
            while (!isOver.get()) {
                fabric.getAndAdd(1, WORD, 1);
                sum.incrementAndGet();
                Thread.interrupted();
            }
        });
        for (int round = 0; round < 200; round++) {
            interrupted.interrupt();
            long before = sum.get();
            await().pollInterval(Duration.ofMillis(1)).until(() -> sum.get() > before);
        }
        isOver.set(true);
        interrupted.join();
        assertThat(word()).isEqualTo(sum.get());
        Thread.currentThread().interrupt();
        assertThat(fabric.getAndAdd(1, WORD, 1)).isEqualTo(sum.get());
        assertThat(Thread.interrupted()).isTrue();
        Thread.currentThread().interrupt();
        ranks.attachment(0).fence(1);
        assertThat(Thread.interrupted()).as("also after connecting and closing").isTrue();
    }
}
