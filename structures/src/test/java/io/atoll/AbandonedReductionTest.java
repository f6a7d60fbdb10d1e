package io.atoll;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.atoll.failure.RankUnreachableException;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** If a rank leaves a reduction or a barrier of the world halfway, no wrong values are left behind. */
@Timeout(60)
class AbandonedReductionTest extends TwoRanks {

    private static final int PIECES = 3;
    private static final int PIECE = 64;

    AbandonedReductionTest() {
        super(4 << 20);
    }

    private static final class Call {

        private final FutureTask<Void> end;
        private final Thread thread;

        Call(Callable<Void> action) {
            end = new FutureTask<>(action);
            thread = Thread.ofPlatform().daemon().start(end);
        }

        void interrupt() {
            thread.interrupt();
            assertThatThrownBy(end::get).hasCauseInstanceOf(InterruptedException.class);
        }

        void succeeds() throws Exception {
            end.get();
        }

        void isToldThatRankZeroHasLeft() {
            assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> end.get(30, SECONDS))
                    .havingCause()
                    .isInstanceOf(RankUnreachableException.class)
                    .withMessageContaining("has left")
                    .satisfies(left -> assertThat(((RankUnreachableException) left).rank()).isZero());
        }
    }

    private Call reduce(int rank, long[] values) {
        return new Call(() -> {
            worlds.get(rank).allReduce(values, Long::sum);
            return null;
        });
    }

    private Call barrier(int rank) {
        return new Call(() -> {
            worlds.get(rank).barrier();
            return null;
        });
    }

    private void passBarrier() throws Exception {
        Call zero = barrier(0);
        worlds.get(1).barrier();
        zero.succeeds();
    }

    private void awaitEntered(int rank, int other) {
        await().until(
                () -> worlds.get(rank).participant().lastBarrier() == worlds.get(other).participant().lastBarrier());
    }

    private static long[] values(long value, int count) {
        long[] values = new long[count];
        Arrays.fill(values, value);
        return values;
    }

    private void reductionsAreRight() throws Exception {
        long[] zero = values(1, PIECES * PIECE);
        long[] one = values(10, PIECES * PIECE);
        Call other = reduce(1, one);
        worlds.get(0).allReduce(zero, Long::sum);
        other.succeeds();
        assertThat(zero).containsOnly(11);
        assertThat(one).containsOnly(11);
    }

    @Test
    void whatAnOperatorThrowsIsThrownWhenTheOthersHaveTheirResults() throws Exception {
        long[] own = values(1, PIECES * PIECE);
        long[] other = values(10, PIECES * PIECE);
        Call reducing = reduce(1, other);
        assertThatThrownBy(() -> worlds.get(0).allReduce(own, (_, _) -> {
            throw new ArithmeticException("does not like it");
        })).isInstanceOf(ArithmeticException.class);
        reducing.succeeds();
        assertThat(other).containsOnly(11);
        assertThat(own).as("as it was").containsOnly(1);
        reductionsAreRight();
    }

    @Test
    void anInterruptionEndsAReductionForAllAndTheNextIsOneOfAll() throws Exception {
        passBarrier();
        CountDownLatch reached = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        long[] own = values(1, PIECES * PIECE);
        Call other = new Call(() -> {
            worlds.get(1).allReduce(values(10, PIECES * PIECE), (one, two) -> {
                reached.countDown();
                awaitUninterrupted(goOn);
                return one + two;
            });
            return null;
        });
        Call interrupted = reduce(0, own);
        reached.await();
        // It waits in the second piece.
        awaitEntered(0, 1);
        interrupted.interrupt();
        assertThat(own).as("as it was").containsOnly(1);
        goOn.countDown();
        other.isToldThatRankZeroHasLeft();
        reductionsAreRight();
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException interruption) {
            throw new AssertionError(interruption);
        }
    }

    @Test
    void aBarrierThatWasInterruptedGoesOnWhenItIsCalledAgain() throws Exception {
        passBarrier();
        Call interrupted = barrier(0);
        await().until(() -> isWaiting(0));
        interrupted.interrupt();
        passBarrier();
        reductionsAreRight();
    }

    private boolean isWaiting(int rank) {
        return !worlds.get(rank).participant().waits().snapshot().isEmpty();
    }

    @Test
    void aReductionInsteadOfTheBarrierThatWasInterruptedEndsThatForAll() throws Exception {
        passBarrier();
        Call interrupted = barrier(0);
        await().until(() -> isWaiting(0));
        interrupted.interrupt();
        // This call passes, since rank 0 has entered.
        Call other = barrier(1);
        other.succeeds();
        Call behind = reduce(1, values(10, PIECE));
        await().until(() -> isWaiting(1));
        Call zero = reduce(0, values(1, PIECE));
        behind.isToldThatRankZeroHasLeft();
        long[] again = values(10, PIECE);
        worlds.get(1).allReduce(again, Long::sum);
        zero.succeeds();
        assertThat(again).containsOnly(11);
    }
}
