package io.atoll.lock;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.SimRank;
import io.atoll.fabric.sim.Simulation;
import io.atoll.memory.LocalMemory;
import io.atoll.world.Participants;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * A thread of the owner ends a hold, and stands still before its exchange of the local tail. Other threads end that
 * hold meanwhile. Then the holder's descriptor stands in the tail again: in a later turn, behind others or by a
 * request.
 */
class LateReleaseTest {

    private static final long SEGMENT_BYTES = 192 << 10;
    private static final long TABLE = 128 << 10;
    private static final long LINE = 64 << 10;
    private static final int SEEDS = 100;

    /** One run of the threads of one rank. Each step of a thread begins when its condition is true. */
    private static final class Run {

        private final SimRank rank;
        private final BackgroundTasks background;
        private final ProcessLocks locks;
        private @Nullable Hold held; // the hold that two threads end
        private boolean late; // the next thread that ends a hold by an exchange of the tail stands still
        private boolean standsStill;
        private boolean ended; // that thread has gone on
        private boolean taken;
        private boolean enqueues;
        private @Nullable Runnable beforeEnqueueing;
        private int holders;
        private int most;

        private Run(SimRank rank) {
            this.rank = rank;
            var self = Participants.of(rank);
            var descriptors = QueueLocks.descriptors(self, TABLE, 8);
            this.background = BackgroundTasks.unthreaded(rank.endpoint().clock());
            this.locks = new ProcessLocks(descriptors,
                    new QueueLock(descriptors, new RemoteCohort(descriptors, 2), new LocalCohort(descriptors, 2) {
                        @Override
                        boolean leave(LocalMemory own, long line, long self) {
                            standStill();
                            return super.leave(own, line, self);
                        }

                        @Override
                        boolean seize(long line, long self) {
                            standStill();
                            return super.seize(line, self);
                        }

                        @Override
                        long exchangeTail(QueuedHold request, long expected, long value) {
                            Runnable before = beforeEnqueueing;
                            if (before != null && expected == Tail.FREE) {
                                beforeEnqueueing = null;
                                before.run();
                            }
                            return super.exchangeTail(request, expected, value);
                        }
                    }, background));
        }

        private void standStill() {
            if (late) {
                late = false;
                standsStill = true;
                await(() -> !standsStill);
            }
        }

        private void await(BooleanSupplier condition) {
            while (!condition.getAsBoolean()) {
                rank.simulation().step();
            }
        }

        private Hold acquire() {
            Hold hold = requireNonNull(locks.acquire(0, 0, LINE, WaitLimit.UNBOUNDED));
            most = Math.max(most, ++holders);
            return hold;
        }

        private boolean release(Hold hold) {
            holders--;
            return hold.release();
        }

        private long tail() {
            return rank.fabric().local().getAcquire(LINE + LockLine.LOCAL_TAIL);
        }

        private boolean isLast(Hold hold) {
            return Tail.isSameDescriptor(tail(), hold.mine.name());
        }

        private void checkIsLeft() {
            background.sweep();
            assertThat(background.tasks()).isZero();
            assertThat(tail()).isEqualTo(Tail.FREE);
            assertThat(most).as("that have had it at once").isOne();
        }
    }

    private interface Steps {
        void run(Run run, int thread);
    }

    private static void inEachOrder(int threads, Steps steps) {
        Seeds.each(SEEDS, seed -> Simulation.run(seed,
                SimOptions.ranks(1).segmentBytes(SEGMENT_BYTES).maximumSteps(40_000), rank -> {
                    var run = new Run(rank);
                    rank.inParallel(threads, thread -> steps.run(run, thread));
                    run.checkIsLeft();
                }));
    }

    /**
     * <pre>
     *   holder     holds                                     releases   wants it again, stands behind
     *   waiter                            waits                         holds                           releases
     *   operator          stands still                                                       goes on
     * </pre>
     */
    @Test
    void forceThatComesLateLeavesThoseWhoWaitTheirLinks() {
        inEachOrder(3, (run, thread) -> {
            if (thread == 0) {
                run.held = run.acquire();
                run.await(() -> run.standsStill && !run.isLast(run.held));
                assertThat(run.release(run.held)).isTrue();
                run.release(run.acquire());
            } else if (thread == 1) {
                run.await(() -> run.standsStill);
                Hold second = run.acquire();
                run.await(() -> run.isLast(run.held));
                run.standsStill = false;
                run.await(() -> run.ended);
                run.release(second);
            } else {
                run.await(() -> run.held != null);
                run.late = true;
                assertThat(run.held.revoke(Duration.ZERO)).isFalse();
                run.ended = true;
            }
        });
    }

    /**
     * <pre>
     *   holder     holds                                               wants it again     finds it free, holds
     *   another            stands still, before it releases                                                     goes on
     *   operator                                          takes it by force, holds     releases
     * </pre>
     */
    @Test
    void aReleaseThatComesLateDoesNotFreeTheLockOfALaterTurn() {
        inEachOrder(4, (run, thread) -> {
            if (thread == 0) {
                run.held = run.acquire();
                run.await(() -> run.taken);
                run.beforeEnqueueing = () -> {
                    run.enqueues = true;
                    run.await(() -> run.tail() == Tail.FREE);
                };
                Hold again = run.acquire();
                run.standsStill = false;
                run.await(() -> run.ended);
                run.release(again);
            } else if (thread == 1) {
                run.await(() -> run.held != null);
                run.late = true;
                assertThat(run.held.release()).isFalse();
                run.ended = true;
            } else if (thread == 2) {
                run.await(() -> run.standsStill);
                assertThat(run.held.revoke(Duration.ZERO)).isTrue();
                run.holders--;
                Hold second = run.acquire();
                run.taken = true;
                run.await(() -> run.enqueues);
                run.release(second);
            } else {
                run.await(() -> run.ended);
                run.release(run.acquire());
            }
        });
    }
}
