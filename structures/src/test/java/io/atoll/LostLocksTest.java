package io.atoll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.atoll.failure.RankUnreachableException;
import io.atoll.failure.SegmentLostException;
import io.atoll.lock.Acquisition;
import io.atoll.lock.LockAlgorithm;
import io.atoll.lock.LockState;
import io.atoll.lock.LockTable;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Locks of a table that ranks lose with their segments, and those that they do not. */
@Tag("slow")
class LostLocksTest extends LossyWorlds {

    private static final int LOCKS = 12;
    private static final int DESCRIPTORS = 4;
    // Lies at the rank that loses its segment.
    private static final long LOST = 2;
    private static final long KEPT = 0;
    private static final int LOSER = 2;

    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    private LockTable table(int rank, LockAlgorithm algorithm) {
        return world(rank).lockTable("locks").locks(LOCKS).descriptors(DESCRIPTORS).algorithm(algorithm).open();
    }

    private <T> Future<T> concurrently(Callable<T> action) {
        return threads.submit(action);
    }

    /** The first uses after a loss may come before this process has learnt of it. */
    private static Acquisition acquired(LockTable table, long index) {
        List<Acquisition> acquired = new ArrayList<>();
        await().atMost(LONG_ENOUGH)
                .ignoreException(SegmentLostException.class)
                .until(() -> acquired.add(table.lockAt(index)));
        return acquired.getFirst();
    }

    @ParameterizedTest
    @EnumSource
    void allRanksUseTheTableAgain(LockAlgorithm algorithm) throws IOException {
        LockTable former = table(0, algorithm);
        table(1, algorithm);
        table(LOSER, algorithm);
        for (int round = 0; round < 2; round++) {
            lose(LOSER);
            List<LockTable> tables = List.of(former, table(1, algorithm), table(LOSER, algorithm));
            for (long index = 0; index < LOCKS; index++) {
                for (LockTable table : tables) {
                    acquired(table, index).close();
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void tokensGrowOverALossAndTheFirstHolderIsToldOfIt(LockAlgorithm algorithm) throws Exception {
        LockTable former = table(0, algorithm);
        long last = 0;
        for (int round = 0; round < 2; round++) {
            for (int use = 0; use < 5; use++) {
                try (Acquisition own = table(LOSER, algorithm).lockAt(LOST)) {
                    assertThat(own.fencingToken()).isGreaterThan(last);
                    last = own.fencingToken();
                }
            }
            lose(LOSER);
            try (Acquisition first = acquired(former, LOST)) {
                assertThat(first.recovered()).isTrue();
                assertThat(first.fencingToken()).isGreaterThan(last);
                last = first.fencingToken();
            }
            try (Acquisition next = former.lockAt(LOST)) {
                assertThat(next.recovered()).isFalse();
            }
        }
    }

    @Test
    void tokensOfAWorldThatHasLostNothingAreSmall() throws InterruptedException {
        for (int token = 1; token < 4; token++) {
            try (Acquisition held = table(0, LockAlgorithm.ALOCK).lockAt(LOST)) {
                assertThat(held.fencingToken()).isEqualTo(token);
                assertThat(held.recovered()).isFalse();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void whoHasHeldALostLockIsToldOnce(LockAlgorithm algorithm) throws Exception {
        LockTable former = table(0, algorithm);
        Acquisition held = former.lockAt(LOST);
        lose(LOSER);
        acquired(former, LOST).close();
        assertThat(held.isHeld()).isFalse();
        assertThatExceptionOfType(SegmentLostException.class).isThrownBy(held::close).satisfies(lost -> {
            assertThat(lost.rank()).isEqualTo(LOSER);
            assertThat(lost.born()).isEqualTo(2);
        });
        held.close();
        assertThat(former.state(LOST).holder()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void whoWaitsForALostLockIsToldOrHasTheOneThatHasTakenItsPlace(LockAlgorithm algorithm) throws Exception {
        LockTable former = table(0, algorithm);
        Acquisition held = former.lockAt(LOST);
        Future<Acquisition> waiting = concurrently(() -> table(1, algorithm).lockAt(LOST));
        await().atMost(LONG_ENOUGH).until(() -> former.state(LOST).waiting().size() == 1);
        lose(LOSER);
        try (Acquisition next = waiting.get()) {
            assertThat(next.recovered()).isTrue();
            assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
        } catch (ExecutionException told) {
            assertThat(told).hasCauseInstanceOf(RankUnreachableException.class);
        }
        await().atMost(LONG_ENOUGH).until(() -> !held.isHeld());
        assertThatThrownBy(held::close).isInstanceOf(SegmentLostException.class);
    }

    @ParameterizedTest
    @EnumSource
    void aLockThatIsNotLostIsPassedOnToAThreadOfTheRankThatCameBack(LockAlgorithm algorithm) throws Exception {
        Acquisition held = table(1, algorithm).lockAt(KEPT);
        lose(LOSER);
        Future<Acquisition> waiting = concurrently(() -> table(LOSER, algorithm).lockAt(KEPT));
        await().atMost(LONG_ENOUGH)
                .until(() -> table(0, algorithm).state(KEPT)
                        .waiting()
                        .stream()
                        .map(LockState.Request::rank)
                        .anyMatch(rank -> rank == LOSER));
        long token = held.fencingToken();
        held.close();
        try (Acquisition passed = waiting.get()) {
            assertThat(passed.fencingToken()).isEqualTo(token + 1);
            assertThat(passed.recovered()).isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatTheRankHeldElsewhereIsTakenOver(LockAlgorithm algorithm) throws Exception {
        LockTable former = table(0, algorithm);
        Acquisition held = table(LOSER, algorithm).lockAt(KEPT + 1);
        assertThat(held.isHeld()).isTrue();
        lose(LOSER);
        try (Acquisition next = former.tryLockAt(KEPT + 1, LONG_ENOUGH)) {
            assertThat(next).isNotNull();
            assertThat(next.recovered()).isTrue();
        }
    }

    /** A rank has 8 descriptors, and each round takes 4. */
    @ParameterizedTest
    @EnumSource
    void descriptorsOfLostLocksAreGivenBack(LockAlgorithm algorithm) throws Exception {
        LockTable former = table(0, algorithm);
        table(1, algorithm);
        for (int round = 0; round < 4; round++) {
            table(LOSER, algorithm);
            List<Future<Acquisition>> held = new ArrayList<>();
            for (long index = LOST; index < LOCKS; index += RANKS) {
                long lost = index;
                held.add(concurrently(() -> acquired(former, lost)));
            }
            for (Future<Acquisition> each : held) {
                assertThat(each.get().isHeld()).isTrue();
            }
            lose(LOSER);
        }
        table(LOSER, algorithm);
        await().atMost(LONG_ENOUGH).ignoreException(SegmentLostException.class).until(() -> {
            try (Acquisition any = former.tryLockAt(LOST, Duration.ofSeconds(1))) {
                return any != null;
            }
        });
    }

    /**
     * A thread that wants a lost lock learns of the loss before the background tasks of its process. They have more to
     * do then, and must still do it.
     */
    @ParameterizedTest
    @EnumSource
    void descriptorsAreGivenBackThoughAThreadThatWantsALockIsFirstToLearn(LockAlgorithm algorithm) throws Exception {
        LockTable former = table(0, algorithm);
        var ends = new AtomicBoolean();
        Future<Integer> busy = concurrently(() -> {
            int acquired = 0;
            while (!ends.get()) {
                try (Acquisition _ = former.tryLockAt(LOST + RANKS)) {
                    acquired++;
                } catch (RankUnreachableException lost) {
                    Thread.onSpinWait();
                }
            }
            return acquired;
        });
        for (int round = 0; round < 4; round++) {
            table(1, algorithm);
            table(LOSER, algorithm);
            List<Future<Acquisition>> held = new ArrayList<>();
            for (long index = LOST; index < LOCKS; index += 2 * RANKS) {
                long lost = index;
                held.add(concurrently(() -> acquired(former, lost)));
            }
            for (Future<Acquisition> each : held) {
                assertThat(each.get().index()).isNotNegative();
            }
            lose(LOSER);
        }
        table(LOSER, algorithm);
        ends.set(true);
        assertThat(busy.get()).isPositive();
        for (long index = LOST; index < LOCKS; index += RANKS) {
            long free = index;
            assertThat(concurrently(() -> acquired(former, free)).get().index()).isEqualTo(free);
        }
    }

    @Test
    void aThreadThatHeldALostLockByAViewAsJavaKnowsItIsToldAndMayLockItAgain() throws IOException {
        Lock lock = table(0, LockAlgorithm.ALOCK).asLockAt(LOST, true);
        lock.lock();
        lose(LOSER);
        acquired(table(0, LockAlgorithm.ALOCK), LOST).close();
        assertThatThrownBy(lock::unlock).isInstanceOf(SegmentLostException.class);
        lock.lock();
        lock.unlock();
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
    }

    @ParameterizedTest
    @EnumSource
    void theOthersUseTheirLocksWhileARankIsAwayAndAnotherHasLostItsSegment(LockAlgorithm algorithm)
            throws Exception {
        LockTable former = table(0, algorithm);
        Acquisition held = table(1, algorithm).lockAt(KEPT);
        end(LOSER);
        end(1);
        begin(LOSER);
        try (Acquisition next = former.tryLockAt(KEPT, LONG_ENOUGH)) {
            assertThat(next).isNotNull();
            assertThat(next.recovered()).isTrue();
        }
        assertThat(held.index()).isEqualTo(KEPT);
        begin(1);
        awaitAll();
        acquired(table(1, algorithm), KEPT).close();
    }
}
