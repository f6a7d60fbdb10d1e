package io.atoll.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.atoll.fabric.Clock;
import io.atoll.failure.FencedException;
import io.atoll.failure.JoinRefusedException;
import io.atoll.failure.JoinRefusedException.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A keeper ends the tasks that were begun, whatever their steps throw. */
@Timeout(60)
class KeeperTest {

    private static final Duration SOON = Duration.ofSeconds(30);

    private final List<Integer> ended = new ArrayList<>();

    /** Fails the given number of times before it ends. */
    private final class Failing extends Keeper.Task {

        private final int number;
        private int failures;

        private Failing(int number, int failures) {
            this.number = number;
            this.failures = failures;
        }

        @Override
        public boolean step() {
            if (failures-- > 0) {
                throw new OutOfMemoryError("task " + number);
            }
            ended.add(number);
            return true;
        }
    }

    @Test
    void aTaskThatBeganWithAnErrorIsKept() {
        Keeper keeper = Keeper.unthreaded(Clock.SYSTEM);
        assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> keeper.begin(new Failing(1, 1)));
        assertThat(keeper.tasks()).isOne();
        assertThat(keeper.sweep()).isTrue();
        assertThat(keeper.tasks()).isZero();
        assertThat(ended).containsExactly(1);
    }

    @Test
    void tasksAreEndedInTheOrderInWhichTheyCameAndOneThatFailsHoldsUpNoOther() {
        Keeper keeper = Keeper.unthreaded(Clock.SYSTEM);
        IntStream.range(0, 5).forEach(number -> keeper.add(new Failing(number, number == 2 ? 2 : 0)));
        assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(keeper::sweep).withMessage("task 2");
        assertThat(ended).containsExactly(0, 1);
        assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(keeper::sweep);
        assertThat(ended).containsExactly(0, 1, 3, 4);
        keeper.sweep();
        assertThat(ended).containsExactly(0, 1, 3, 4, 2);
        assertThat(keeper.tasks()).isZero();
    }

    @Test
    void whatAProcessHasBegunThatTakesPartNoMoreIsLeftToTheOthers() {
        Keeper keeper = Keeper.unthreaded(Clock.SYSTEM);
        var reason = new JoinRefusedException(Reason.RANK_LOST, "its files were removed");
        Keeper.Task withdrawn = new Keeper.Task() {

            @Override
            public boolean step() {
                throw new FencedException(reason, "write", 0, 0);
            }
        };
        keeper.begin(withdrawn);
        assertThat(keeper.tasks()).isZero();
        keeper.add(withdrawn);
        assertThat(keeper.sweep()).isTrue();
        assertThat(keeper.tasks()).isZero();
    }

    @Test
    void itsThreadEndsWhatManyThreadsHandOverThoughStepsThrow() throws Exception {
        int threads = 4;
        int tasks = 500;
        AtomicInteger done = new AtomicInteger();
        try (Keeper keeper = Keeper.threaded("keeper", Clock.SYSTEM);
                ExecutorService pool = Executors.newFixedThreadPool(threads)) {
            for (int thread = 0; thread < threads; thread++) {
                int number = thread;
                pool.submit(() -> IntStream.range(0, tasks).forEach(task -> keeper.add(new Keeper.Task() {

                    private boolean failed = number > 0 || task % 100 > 0;

                    @Override
                    public boolean step() {
                        if (!failed) {
                            failed = true;
                            throw new StackOverflowError("once");
                        }
                        done.incrementAndGet();
                        return true;
                    }
                })));
            }
            await().atMost(SOON).until(() -> done.get() == threads * tasks);
            await().atMost(SOON).until(() -> keeper.tasks() == 0);
        }
    }
}
