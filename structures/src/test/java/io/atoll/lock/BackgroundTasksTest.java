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

/** Tasks that were begun end, whatever their steps throw. */
@Timeout(60)
class BackgroundTasksTest {

    private static final Duration SOON = Duration.ofSeconds(30);

    private final List<Integer> ended = new ArrayList<>();

    /** Fails the given number of times before it ends. */
    private final class Failing extends BackgroundTasks.Task {

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
        BackgroundTasks background = BackgroundTasks.unthreaded(Clock.SYSTEM);
        assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> background.begin(new Failing(1, 1)));
        assertThat(background.tasks()).isOne();
        assertThat(background.sweep()).isTrue();
        assertThat(background.tasks()).isZero();
        assertThat(ended).containsExactly(1);
    }

    @Test
    void tasksAreEndedInTheOrderInWhichTheyCameAndOneThatFailsHoldsUpNoOther() {
        BackgroundTasks background = BackgroundTasks.unthreaded(Clock.SYSTEM);
        IntStream.range(0, 5).forEach(number -> background.add(new Failing(number, number == 2 ? 2 : 0)));
        assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(background::sweep).withMessage("task 2");
        assertThat(ended).containsExactly(0, 1);
        assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(background::sweep);
        assertThat(ended).containsExactly(0, 1, 3, 4);
        background.sweep();
        assertThat(ended).containsExactly(0, 1, 3, 4, 2);
        assertThat(background.tasks()).isZero();
    }

    @Test
    void whatAProcessHasBegunThatTakesPartNoMoreIsLeftToTheOthers() {
        BackgroundTasks background = BackgroundTasks.unthreaded(Clock.SYSTEM);
        var reason = new JoinRefusedException(Reason.RANK_LOST, "its files were removed");
        BackgroundTasks.Task withdrawn = new BackgroundTasks.Task() {

            @Override
            public boolean step() {
                throw new FencedException(reason, "write", 0, 0);
            }
        };
        background.begin(withdrawn);
        assertThat(background.tasks()).isZero();
        background.add(withdrawn);
        assertThat(background.sweep()).isTrue();
        assertThat(background.tasks()).isZero();
    }

    @Test
    void itsThreadEndsWhatManyThreadsHandOverThoughStepsThrow() throws Exception {
        int threads = 4;
        int tasks = 500;
        AtomicInteger done = new AtomicInteger();
        try (BackgroundTasks background = BackgroundTasks.threaded("background", Clock.SYSTEM);
                ExecutorService pool = Executors.newFixedThreadPool(threads)) {
            for (int thread = 0; thread < threads; thread++) {
                int number = thread;
                pool.submit(() -> IntStream.range(0, tasks).forEach(task -> background.add(new BackgroundTasks.Task() {

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
            await().atMost(SOON).until(() -> background.tasks() == 0);
        }
    }
}
