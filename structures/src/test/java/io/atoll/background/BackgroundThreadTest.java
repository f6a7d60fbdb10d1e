package io.atoll.background;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.atoll.LoggedLines;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(240)
@Tag("slow")
class BackgroundThreadTest {

    private static final Duration SOON = Duration.ofSeconds(30);
    private static final Duration OFTEN = Duration.ofMillis(1);

    private final BackgroundThreads threads = new BackgroundThreads();
    private final AtomicInteger steps = new AtomicInteger();
    private BackgroundThread thread = new BackgroundThread("none", () -> 0);

    @AfterEach
    void close() {
        thread.close();
    }

    private BackgroundThread run(BackgroundThread.Step step) {
        thread = threads.add(new BackgroundThread("tested", step));
        thread.wake();
        return thread;
    }

    /** A process that may start no more threads until the test allows it. */
    private static final class Exhausted {

        private volatile boolean exhausted = true;

        private Thread thread(Runnable work) {
            return new Thread(work, "tested") {

                @Override
                public void start() {
                    if (exhausted) {
                        throw new OutOfMemoryError("unable to create native thread");
                    }
                    super.start();
                }
            };
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {OutOfMemoryError.class, StackOverflowError.class, NoClassDefFoundError.class,
        IllegalStateException.class, InterruptedException.class, AssertionError.class})
    void itSurvivesWhateverAStepThrowsAndSaysSoMeanwhile(Class<? extends Throwable> kind) throws Exception {
        Throwable failure = kind.getDeclaredConstructor().newInstance();
        AtomicReference<Throwable> thrown = new AtomicReference<>(failure);
        run(() -> {
            steps.incrementAndGet();
            Throwable now = thrown.get();
            switch (now) {
                case Error error -> throw error;
                case Exception exception -> throw exception;
                case null, default -> {
                    return 0;
                }
            }
        });
        await().atMost(SOON).until(() -> steps.get() >= 3);
        assertThat(threads.troubles()).singleElement().satisfies(trouble -> {
            assertThat(trouble.thread()).isEqualTo("tested");
            assertThat(trouble.problem()).isEqualTo("its last step has failed: " + failure);
            assertThat(trouble.since()).isPositive();
        });

        thrown.set(null);
        await().atMost(SOON).until(() -> threads.troubles().isEmpty());
        int before = steps.get();
        await().atMost(SOON).until(() -> steps.get() > before);
    }

    private static final String LOGGED = "tested for what it logs";

    /**
     * Runs steps one after the other. Each throws the failure in the list, or nothing if it is null. Returns the log.
     */
    private List<String> logOf(Duration tellAgain, List<? extends @Nullable Exception> outcomes) {
        CountDownLatch done = new CountDownLatch(1);
        BackgroundThread.Step step = () -> {
            int index = steps.getAndIncrement();
            if (index >= outcomes.size()) {
                done.countDown();
                return BackgroundThread.UNTIL_WOKEN;
            }
            Exception thrown = outcomes.get(index);
            if (thrown != null) {
                throw thrown;
            }
            return 0;
        };
        try (LoggedLines log = new LoggedLines(BackgroundThread.class, "thread=" + LOGGED)) {
            thread = new BackgroundThread(LOGGED, step, work -> new Thread(work, LOGGED), tellAgain);
            thread.wake();
            await().atMost(SOON).until(() -> done.getCount() == 0);
            thread.close();
            return log.lines()
                    .stream()
                    .map(line -> line.substring(0, line.indexOf(' ')))
                    .filter(level -> !level.equals("DEBUG"))
                    .toList();
        }
    }

    @Test
    void eachKindOfFailureIsLoggedOnceAndWhenItIsOver() {
        Exception one = new IllegalStateException("one");
        Exception other = new IllegalArgumentException("other");

        assertThat(logOf(Duration.ofHours(1), Arrays.asList(one, one, other, one, other, null)))
                .containsExactly("ERROR", "ERROR", "INFO");
    }

    /** Otherwise a thread whose every second step fails would fill the log. */
    @Test
    void whatFailsAgainAndAgainIsLoggedOnceInAWhile() {
        Exception one = new IllegalStateException("one");
        List<@Nullable Exception> turns = Arrays.asList(one, null, one, null, one, one, null);

        assertThat(logOf(Duration.ofHours(1), turns)).containsExactly("ERROR", "INFO");
        steps.set(0);
        assertThat(logOf(Duration.ZERO, turns)).containsExactly("ERROR", "INFO", "ERROR", "INFO", "ERROR", "INFO");
    }

    @Test
    void aThreadThatCannotBeStartedIsTroubleAndIsStartedLater() {
        Exhausted process = new Exhausted();
        thread = threads.add(
                new BackgroundThread("tested", BackgroundThread.every(OFTEN, steps::incrementAndGet), process::thread));
        thread.wake();
        threads.startMissing();
        assertThat(threads.troubles()).extracting(BackgroundThread.Trouble::problem)
                .containsExactly("cannot be started: java.lang.OutOfMemoryError: unable to create native thread");

        process.exhausted = false;
        threads.startMissing();
        await().atMost(SOON).until(() -> steps.get() > 1);
        await().atMost(SOON).until(() -> threads.troubles().isEmpty());
    }

    @Test
    void aCallerThatCannotDoWithoutItIsToldThatItCannotBeStarted() {
        thread = threads.add(new BackgroundThread("tested", () -> 0, new Exhausted()::thread));
        assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(thread::start)
                .withMessage("unable to create native thread");
        assertThat(thread.isClosed()).isTrue();
        assertThat(threads.troubles()).isEmpty();
    }

    @Test
    void aThreadThatNobodyHasWokenIsNotStarted() {
        thread = threads.add(new BackgroundThread("tested", () -> 0, new Exhausted()::thread));
        threads.startMissing();
        assertThat(threads.troubles()).isEmpty();
    }

    /** Makes threads and counts them. Makes each one only when the test says so. */
    private static final class Slow {

        private final AtomicInteger made = new AtomicInteger();
        private final CountDownLatch making = new CountDownLatch(1);
        private final CountDownLatch goesOn = new CountDownLatch(1);
        private volatile Thread last = new Thread();

        private Thread thread(Runnable work) {
            made.incrementAndGet();
            making.countDown();
            try {
                goesOn.await();
            } catch (InterruptedException interrupted) {
                throw new AssertionError(interrupted);
            }
            last = new Thread(work, "tested");
            return last;
        }
    }

    /** Runs the action in a thread. Returns when that thread waits for another one, or has ended. */
    private static Thread whileAnotherIsAtIt(Runnable action) {
        Thread caller = Thread.ofPlatform().daemon().start(action);
        await().atMost(SOON)
                .until(() -> caller.getState() == Thread.State.BLOCKED
                        || caller.getState() == Thread.State.WAITING || !caller.isAlive());
        return caller;
    }

    @Test
    void oneOfSeveralCallersThatWakeItAtOnceStartsIt() throws Exception {
        Slow process = new Slow();
        thread = new BackgroundThread("tested", BackgroundThread.every(OFTEN, steps::incrementAndGet), process::thread);
        Thread first = Thread.ofPlatform().daemon().start(thread::wake);
        process.making.await();
        Thread second = whileAnotherIsAtIt(thread::wake);
        process.goesOn.countDown();
        first.join();
        second.join();
        assertThat(process.made).hasValue(1);
        await().atMost(SOON).until(() -> steps.get() > 0);
    }

    @Test
    void theEndWaitsForAThreadThatACallerIsStarting() throws Exception {
        Slow process = new Slow();
        thread = new BackgroundThread("tested", BackgroundThread.every(OFTEN, steps::incrementAndGet), process::thread);
        Thread caller = Thread.ofPlatform().daemon().start(thread::wake);
        process.making.await();
        Thread closer = whileAnotherIsAtIt(thread::end);
        assertThat(closer.isAlive()).isTrue();
        process.goesOn.countDown();
        caller.join();
        closer.join();
        assertThat(process.last.join(SOON)).isTrue();
        assertThat(steps).hasValue(0);
    }

    @Test
    void nobodyStartsItAfterItsEnd() {
        Slow process = new Slow();
        process.goesOn.countDown();
        thread = threads.add(new BackgroundThread("tested", () -> 0, process::thread));
        assertThat(thread.end()).isTrue();
        thread.wake();
        threads.startMissing();
        assertThat(process.made).hasValue(0);
    }

    /** Each wake-up comes at another moment of the step before. None may be lost. */
    @Test
    void everyWakeUpIsFollowedByAStep() {
        AtomicInteger woken = new AtomicInteger();
        AtomicInteger seen = new AtomicInteger();
        run(() -> {
            seen.set(woken.get());
            return BackgroundThread.UNTIL_WOKEN;
        });
        for (int round = 1; round <= 100_000; round++) {
            woken.set(round);
            thread.wake();
            while (seen.get() != round) {
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void aWakeUpInTheMiddleOfAStepIsFollowedByAnother() {
        run(() -> {
            if (steps.incrementAndGet() == 1) {
                thread.wake();
            }
            return BackgroundThread.UNTIL_WOKEN;
        });
        await().atMost(SOON).until(() -> steps.get() == 2);
    }

    @Test
    void anInterruptedThreadRestsNevertheless() {
        run(() -> {
            steps.incrementAndGet();
            Thread.currentThread().interrupt();
            return BackgroundThread.UNTIL_WOKEN;
        });
        await().atMost(SOON).until(() -> steps.get() == 1);
        await().during(Duration.ofMillis(100)).atMost(SOON).until(() -> steps.get() == 1);
    }

    @Test
    void whatEndsItWaitsForTheStepThatIsUnderWayAlsoWhenInterrupted() {
        CountDownLatch begun = new CountDownLatch(1);
        AtomicReference<Thread> runner = new AtomicReference<>();
        run(() -> {
            runner.set(Thread.currentThread());
            begun.countDown();
            while (!thread.isClosed()) {
                Thread.onSpinWait();
            }
            steps.incrementAndGet();
            return 0;
        });
        await().atMost(SOON).until(() -> begun.getCount() == 0);
        Thread.currentThread().interrupt();
        assertThat(thread.end()).isTrue();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(steps.get()).isOne();
        assertThat(runner.get().isAlive()).isFalse();
        thread.wake();
        assertThat(steps.get()).isOne();
    }

    @Test
    void eachIsDoneAlsoIfOneThrowsAndTheFailureIsTold() {
        assertThatExceptionOfType(OutOfMemoryError.class)
                .isThrownBy(() -> BackgroundThread.each(List.of(1, 2, 3), one -> {
                    steps.addAndGet(one);
                    if (one == 2) {
                        throw new OutOfMemoryError("for two");
                    }
                    return true;
                }))
                .withMessage("for two");
        assertThat(steps.get()).isEqualTo(6);
        assertThat(BackgroundThread.each(List.of(1, 2), one -> one == 1)).isTrue();
        assertThat(BackgroundThread.each(List.<Integer>of(), one -> true)).isFalse();
    }

    @Test
    void itInheritsNoThreadLocal() {
        InheritableThreadLocal<String> local = new InheritableThreadLocal<>();
        local.set("the caller's");
        AtomicReference<String> seen = new AtomicReference<>("none");
        run(() -> {
            seen.set(local.get());
            return BackgroundThread.UNTIL_WOKEN;
        });
        await().atMost(SOON).until(() -> seen.get() == null);
    }
}
