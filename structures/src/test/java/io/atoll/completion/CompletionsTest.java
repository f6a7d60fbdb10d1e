package io.atoll.completion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.epoch.EpochManager;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.ForwardingBatch;
import io.atoll.fabric.ForwardingFabric;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Callers, callbacks and ranks that make it hard to take operations further. */
@Timeout(30)
class CompletionsTest {

    private static final int MOST = 64;
    private static final int AWAY = 1; // a rank whose answers do not come while it is away
    private static final int PRESENT = 0;
    private static final int POLLS = 4; // until an answer comes

    @TempDir
    private Path folder;

    private World world;
    private Endpoint endpoint;
    private final CountDownLatch isBack = new CountDownLatch(1);
    private volatile Runnable whenAwayIsPolled = () -> {};

    @BeforeEach
    void open() {
        world = World.named("completions")
                .size(1)
                .rank(0)
                .segment(4 << 20)
                .fabric(Fabrics.sharedMemory(folder, false))
                .open();
        endpoint = new Endpoint(new Slow(world.participant().endpoint().fabric()));
    }

    @AfterEach
    void leave() {
        isBack.countDown();
        world.close();
    }

    /** Its batches arrive after some polls. Those of a rank that is away wait for it. */
    private final class Slow extends ForwardingFabric {

        Slow(Fabric wrapped) {
            super(wrapped);
        }

        @Override
        public Batch batch() {
            return wrapped().batch();
        }

        @Override
        public Batch newBatch(long bufferBytes) {
            return new ForwardingBatch(wrapped().newBatch(bufferBytes)) {

                private boolean isOfAway;
                private int polls;

                @Override
                public void writeWord(int rank, long offset, long value) {
                    isOfAway = true;
                }

                @Override
                public boolean poll() {
                    if (isOfAway) {
                        whenAwayIsPolled.run();
                    }
                    return (isOfAway ? isBack.getCount() == 0 : ++polls % POLLS == 0) && super.poll();
                }

                @Override
                public void complete() {
                    if (isOfAway) {
                        try {
                            isBack.await();
                        } catch (InterruptedException stopped) {
                            Thread.currentThread().interrupt();
                        }
                    }
                    super.complete();
                }
            };
        }
    }

    /** One round, which answers with the number. */
    private class Echo extends OneWordOperation<Integer> {

        private final int owner;

        Echo(int owner) {
            super(endpoint);
            this.owner = owner;
        }

        @Override
        protected int owner() {
            return owner;
        }

        @Override
        protected void add(Batch batch, long position) {
            if (owner == AWAY) {
                batch.writeWord(owner, 0, 0);
            }
        }

        @Override
        protected Step take(Batch batch, long position) {
            return Step.DONE;
        }

        @Override
        protected Integer result() {
            return owner;
        }

        @Override
        protected Integer alone() {
            return owner;
        }
    }

    private CompletableFuture<Integer> submit(Completions completions, int owner) {
        return completions.submit(new Echo(owner)).toCompletableFuture();
    }

    @Test
    void aCallbackMayWaitForAllOfWhatItSubmitsThoughNobodyPolls() throws Exception {
        var arrived = new CountDownLatch(1);
        try (Completions completions = new Completions(MOST)) {
            submit(completions, AWAY).thenRun(() -> {
                CompletableFuture.allOf(submit(completions, PRESENT), submit(completions, PRESENT)).join();
                arrived.countDown();
            });
            isBack.countDown();
            assertThat(arrived.await(10, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void aCallbackThatBlocksKeepsNoOtherStageFromCompleting() throws Exception {
        var isOther = new CountDownLatch(1);
        var wasOther = new AtomicBoolean();
        try (Completions completions = new Completions(MOST)) {
            CompletableFuture<Void> blocked = submit(completions, AWAY).thenRun(() -> {
                try {
                    wasOther.set(isOther.await(10, TimeUnit.SECONDS));
                } catch (InterruptedException stopped) {
                    Thread.currentThread().interrupt();
                }
            });
            submit(completions, AWAY).thenRun(isOther::countDown);
            isBack.countDown();
            assertThat(isOther.await(5, TimeUnit.SECONDS)).isTrue();
            blocked.join();
            assertThat(wasOther).isTrue();
        }
    }

    /** Both answers come together, so one thread has both callbacks to run. */
    @Test
    void aCallbackMayWaitForOneThatWaitsForALaterOperation() throws Exception {
        Completions completions = new Completions(MOST);
        CompletableFuture<Integer> first = submit(completions, AWAY)
                .thenApply(rank -> rank + submit(completions, PRESENT).join());
        CompletableFuture<Integer> second = submit(completions, AWAY).thenApply(rank -> rank + first.join());
        isBack.countDown();
        assertThat(CompletableFuture.supplyAsync(second::join).get(10, TimeUnit.SECONDS)).isEqualTo(2 * AWAY + PRESENT);
        completions.close();
    }

    @Test
    void aCallbackMayPollForWhatAnotherCallbackDoes() throws Exception {
        Completions completions = new Completions(MOST);
        CompletableFuture<Integer> first = submit(completions, AWAY).thenApply(rank -> {
            CompletableFuture<Integer> later = submit(completions, PRESENT);
            while (!later.isDone()) {
                completions.poll();
            }
            completions.join();
            return rank;
        });
        CompletableFuture<Integer> second = submit(completions, AWAY).thenApply(rank -> rank + first.join());
        isBack.countDown();
        assertThat(CompletableFuture.supplyAsync(second::join).get(10, TimeUnit.SECONDS)).isEqualTo(2 * AWAY);
        completions.close();
    }

    @Test
    void whatMayWaitIsDoneThoughThereIsNoThreadForIt() {
        Completions completions = new Completions(MOST, _ -> {
            throw new OutOfMemoryError("simulated");
        }, true);
        CompletableFuture<Integer> alone = completions.submitAlone(endpoint, () -> PRESENT).toCompletableFuture();
        assertThat(alone.join()).isEqualTo(PRESENT);
        completions.close();
    }

    /** Reserves something when it begins, and gives it back in its last round, or when it is undone. */
    private final class Reserving extends Echo {

        private final AtomicBoolean isReserved;
        private int rounds; // that are left

        /** @param rounds that it has; if there is none, it fails when it begins */
        Reserving(AtomicBoolean isReserved, int rounds) {
            super(PRESENT);
            this.isReserved = isReserved;
            this.rounds = rounds;
        }

        @Override
        protected Step begin() {
            isReserved.set(true);
            if (rounds == 0) {
                throw new IllegalStateException("simulated");
            }
            return Step.AGAIN;
        }

        @Override
        protected Step take(Batch batch, long position) {
            isReserved.set(--rounds > 0);
            return rounds > 0 ? Step.AGAIN : Step.DONE;
        }

        @Override
        protected boolean isInDoubt() {
            return isReserved.get();
        }

        @Override
        protected void undo() {
            isReserved.set(false);
        }
    }

    /** An operation that goes on without rounds may wait for whatever another one has reserved. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 5})
    void whatMayWaitWaitsForNoOperationBehindItThoughThereIsNoThreadForIt(int rounds) {
        Completions completions = new Completions(MOST, _ -> {
            throw new OutOfMemoryError("simulated");
        }, false);
        var isReserved = new AtomicBoolean();
        CompletableFuture<Integer> waiting = completions.submit(new Echo(PRESENT) {

            @Override
            protected Step take(Batch batch, long position) {
                return Step.ALONE;
            }

            @Override
            protected Integer alone() {
                assertThat(isReserved).as("what it would wait for").isFalse();
                return super.alone();
            }
        }).toCompletableFuture();
        CompletableFuture<Integer> reserving = completions.submit(new Reserving(isReserved, rounds))
                .toCompletableFuture();
        completions.join();
        assertThat(waiting).isCompletedWithValue(PRESENT);
        assertThat(reserving.isCompletedExceptionally()).isEqualTo(rounds == 0);
        completions.close();
    }

    @Test
    void anAbsentRankKeepsNoOperationOfAnotherFromCompletingThoughNobodyPolls() throws Exception {
        var arrived = new CountDownLatch(1);
        Completions completions = new Completions(MOST);
        CompletableFuture<Integer> away = submit(completions, AWAY);
        Thread.sleep(50); // the virtual thread waits for that rank by now
        submit(completions, PRESENT).thenRun(arrived::countDown);
        assertThat(arrived.await(5, TimeUnit.SECONDS)).isTrue();
        assertThat(away).isNotDone();
        isBack.countDown();
        completions.close();
        assertThat(away).isCompletedWithValue(AWAY);
    }

    @Test
    void anAbsentRankKeepsNoCallerFromTheAnswersOfAnother() {
        Completions completions = new Completions(2);
        CompletableFuture<Integer> away = submit(completions, AWAY);
        for (int step = 0; step < 100; step++) {
            submit(completions, PRESENT); // waits for room
        }
        assertThat(submit(completions, PRESENT).join()).isEqualTo(PRESENT);
        assertThat(away).isNotDone();
        isBack.countDown();
        completions.close();
    }

    /** Another thread completes the stage when its waiter has found it incomplete, and before the waiter looks. */
    @Test
    void anAbsentRankKeepsNoWaiterWhoseStageAnotherThreadCompletes() throws Exception {
        Completions completions = new Completions(MOST, Runnable::run, false);
        var isTelling = new CountDownLatch(1);
        var looks = new CountDownLatch(1);
        var isTold = new CountDownLatch(1);
        submit(completions, PRESENT).thenRun(() -> {
            isTelling.countDown();
            await(looks);
        });
        CompletableFuture<Integer> stage = submit(completions, PRESENT);
        stage.thenRun(isTold::countDown);
        CompletableFuture<Integer> away = submit(completions, AWAY);
        Thread teller = Thread.ofPlatform().start(() -> {
            while (!stage.isDone()) {
                completions.poll();
            }
        });
        assertThat(isTelling.await(10, TimeUnit.SECONDS)).isTrue();
        CompletableFuture<Integer> waiter = CompletableFuture.supplyAsync(() -> {
            whenAwayIsPolled = () -> {
                looks.countDown();
                await(isTold);
            };
            return stage.join();
        });
        assertThat(waiter.get(10, TimeUnit.SECONDS)).isEqualTo(PRESENT);
        assertThat(away).isNotDone();
        whenAwayIsPolled = () -> {};
        isBack.countDown();
        teller.join();
        completions.close();
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void whatIsRefusedAtItsSubmissionIsNotUnderWay() {
        Completions completions = new Completions(MOST);
        assertThatThrownBy(() -> completions.submit(new Echo(PRESENT) {
            @Override
            protected Endpoint endpoint() {
                throw new NoClassDefFoundError("simulated");
            }
        })).isInstanceOf(NoClassDefFoundError.class);
        assertThat(completions.underWay()).isZero();
        completions.close();
    }

    @Test
    void anErrorWhileAnOperationIsTakenFurtherEndsItAndNoOther() throws Exception {
        Completions completions = new Completions(MOST);
        CompletableFuture<Integer> failed = completions.submit(new Echo(PRESENT) {
            @Override
            protected @Nullable EpochManager epochs() {
                throw new NoClassDefFoundError("simulated");
            }
        }).toCompletableFuture();
        CompletableFuture<Integer> other = submit(completions, PRESENT);
        assertThat(other.get(5, TimeUnit.SECONDS)).isEqualTo(PRESENT);
        assertThatThrownBy(() -> failed.get(5, TimeUnit.SECONDS)).hasCauseInstanceOf(NoClassDefFoundError.class);
        completions.close();
    }
}
