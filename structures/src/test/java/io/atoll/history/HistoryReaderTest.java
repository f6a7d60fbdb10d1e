package io.atoll.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import io.atoll.memory.MappedMemory;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Several threads read one history. */
@Timeout(60)
class HistoryReaderTest {

    private static final HistoryBlock BLOCK = new HistoryBlock(3, 2, 2);
    private static final long SEGMENT_BYTES = 4 << 10;
    private static final long WORD = 64;
    private static final long AT = 128;
    private static final int RANK = 5;

    private final LocalMemory segment = new MappedMemory(Arena.ofAuto().allocate(SEGMENT_BYTES, Layouts.CACHE_LINE));
    private final HistoryReader reader = new HistoryReader(BLOCK);
    private final AtomicInteger reads = new AtomicInteger();
    private final CountDownLatch mayRead = new CountDownLatch(1);

    HistoryReaderTest() {
        HistoryWriter writer = HistoryWriter.begin(BLOCK, segment, AT, 1);
        writer.identify(new RankHistory.Identity("host", 17, "1", 4711));
        writer.point(1_000, new long[Series.values().length]);
        segment.setRelease(WORD, AT);
    }

    private boolean read(long offset, long[] words, int first, int count) {
        reads.incrementAndGet();
        for (int word = 0; word < count; word++) {
            words[first + word] = segment.getAcquire(offset + word * Layouts.WORD);
        }
        return true;
    }

    private Optional<RankHistory> read(HistoryReader.Source source) {
        return reader.read(RANK, RankHistory.Origin.LIVE, source, WORD, SEGMENT_BYTES, 2_000);
    }

    private Thread start(HistoryReader.Source source, CompletableFuture<Optional<RankHistory>> result) {
        return Thread.ofPlatform().daemon().start(() -> {
            try {
                result.complete(read(source));
            } catch (RankUnreachableException failure) {
                result.completeExceptionally(failure);
            }
        });
    }

    private boolean readWhenAllowed(long offset, long[] words, int first, int count) {
        try {
            mayRead.await();
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
        return read(offset, words, first, count);
    }

    private static void awaitWaiting(Thread thread) {
        await().until(() -> thread.getState() == Thread.State.WAITING
                || thread.getState() == Thread.State.TIMED_WAITING);
    }

    @Test
    void threadsThatReadAtOnceShareOneReading() {
        var first = new CompletableFuture<Optional<RankHistory>>();
        var second = new CompletableFuture<Optional<RankHistory>>();
        awaitWaiting(start(this::readWhenAllowed, first));
        awaitWaiting(start((_, _, _, _) -> {
            throw new AssertionError("it reads what another thread is reading");
        }, second));
        mayRead.countDown();
        assertThat(second.join().orElseThrow()).isSameAs(first.join().orElseThrow());
        assertThat(second.join().orElseThrow().points()).hasSize(1);
    }

    @Test
    void whereTheFirstFailsTheOtherReadsByItself() {
        var first = new CompletableFuture<Optional<RankHistory>>();
        var second = new CompletableFuture<Optional<RankHistory>>();
        awaitWaiting(start((offset, words, at, count) -> {
            readWhenAllowed(offset, words, at, count);
            throw new RankUnreachableException("away", "read", RANK, offset);
        }, first));
        awaitWaiting(start(this::read, second));
        mayRead.countDown();
        assertThat(second.join().orElseThrow().points()).hasSize(1);
        assertThat(first).failsWithin(Duration.ofSeconds(30));
    }

    @Test
    void aProcessThatDiedOverItsIdentityHidesNothingAndIsNotWaitedForAgain() {
        segment.setRelease(AT + HistoryBlock.IDENTITY_COUNT, 3);
        RankHistory history = read(this::read).orElseThrow();
        assertThat(history.points()).hasSize(1);
        assertThat(history.identity()).isEqualTo(RankHistory.Identity.UNKNOWN);
        reads.set(0);
        assertThat(read(this::read).orElseThrow().identity()).isEqualTo(RankHistory.Identity.UNKNOWN);
        assertThat(reads).as("reads where nothing is new, and the identity").hasValueLessThanOrEqualTo(4);
        HistoryWriter.goOn(BLOCK, segment, AT).identify(new RankHistory.Identity("host", 18, "1", 4711));
        assertThat(read(this::read).orElseThrow().identity().pid()).isEqualTo(18);
    }
}
