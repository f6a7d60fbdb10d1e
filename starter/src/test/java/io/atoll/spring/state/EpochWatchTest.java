package io.atoll.spring.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.atoll.epoch.EpochSnapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests a watch over two ranks. The second rank may stand still. */
@Timeout(120)
class EpochWatchTest {

    private static final Duration SOON = Duration.ofSeconds(60);
    private static final Duration LIMIT = Duration.ofMillis(400);

    private volatile CountDownLatch answer = new CountDownLatch(0);
    private volatile boolean isReadable = true;
    private volatile long epoch = 1;
    private final EpochWatch watch = new EpochWatch(0, LIMIT, this::read, rank -> rank == 0 || isReadable, () -> {});

    /** Returns a snapshot of the ranks that were read. */
    private Optional<EpochSnapshot> read(IntPredicate isRead) {
        List<EpochSnapshot.Rank> ranks = new ArrayList<>();
        for (int rank = 0; rank < 2; rank++) {
            if (isRead.test(rank)) {
                if (rank == 1) {
                    awaitAnswer();
                }
                ranks.add(new EpochSnapshot.Rank(rank, true, epoch, 1, List.of(), limbo(rank), 0, 0, 0, 0, 0, 0, 0));
            }
        }
        return Optional.of(new EpochSnapshot(epoch, ranks));
    }

    /** Each rank has retired one object of rank 0's segment, and two objects of its own. */
    private static List<EpochSnapshot.Limbo> limbo(int rank) {
        return List.of(new EpochSnapshot.Limbo(1, 1, 100, List.of(new EpochSnapshot.Owned(0, 1, 100))),
                new EpochSnapshot.Limbo(1, 2, 8, List.of(new EpochSnapshot.Owned(rank, 2, 8))));
    }

    private void awaitAnswer() {
        try {
            answer.await();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @AfterEach
    void end() {
        answer.countDown();
        watch.close();
    }

    private long known() {
        return watch.known() == null ? 0 : watch.known().what().epoch();
    }

    @Test
    void whatWasSeenLastIsShownWhileARankDoesNotAnswerAndTheRankIsNamed() {
        watch.thread().wake();
        await().atMost(SOON).until(() -> known() == 1);
        assertThat(watch.overdue()).isNull();
        CountDownLatch silence = new CountDownLatch(1);
        answer = silence;
        epoch = 2;
        await().atMost(SOON).until(() -> watch.overdue() != null);
        assertThat(watch.overdue()).startsWith("what is shown of epochs is old").contains(": rank=1 waitedMillis=");
        assertThat(known()).isLessThan(3);
        long before = known();
        epoch = 3;
        assertThat(known()).isEqualTo(before);
        silence.countDown();
        await().atMost(SOON).until(() -> known() == 3 && watch.overdue() == null);
    }

    @Test
    void whatWaitsToBeFreedIsSummedUpByTheRankInWhoseSegmentItLiesAndKept() {
        assertThat(watch.ownedBytes(0)).isZero();
        watch.look(Duration.ZERO);
        assertThat(watch.ownedBytes(0)).isEqualTo(208);
        assertThat(watch.ownedBytes(1)).isEqualTo(8);
        HistoryGrid now = new HistoryGrid(10, 10, 0, System.nanoTime());
        assertThat(watch.limbo().shown(now, List.of()).values()).containsOnlyKeys(0, 1)
                .hasEntrySatisfying(0, bytes -> assertThat(bytes).startsWith((Double) null).endsWith(208.0));
    }

    @Test
    void aRankThatIsKnownNotToAnswerIsLeftOut() {
        isReadable = false;
        answer = new CountDownLatch(1);
        assertThat(watch.look(Duration.ZERO)).hasValueSatisfying(
                seen -> assertThat(seen.ranks()).extracting(EpochSnapshot.Rank::rank).containsExactly(0));
    }
}
