package io.atoll.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.CpuOrder;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.memory.LocalMemory;
import io.atoll.world.Liveness;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The checks of {@link LockTrial} find mistakes that are built in. */
@Tag("simulation")
class LockMutationsTest {

    private static final int SEEDS = 2_000;

    private static SimOptions pausing(Guarantees guarantees) {
        return LockTrial.options(guarantees).pauses(0.02);
    }

    private static void assertIsFound(SimOptions options, LockTrial.Opener broken) {
        assertThat(Seeds.untilFailure(SEEDS, seed -> new LockTrial(seed, options, broken).run())).isPositive();
    }

    private static QueueLock lock(Descriptors descriptors, RemoteCohort remote, LocalCohort local,
            BackgroundTasks background) {
        return new QueueLock(descriptors, remote, local, background);
    }

    @Test
    void aRemoteLeaderThatDoesNotMakeItselfTheVictimIsFound() {
        assertIsFound(pausing(SimOptions.WEAKEST), (descriptors, background) -> lock(descriptors,
                new RemoteCohort(descriptors, 2) {
                    @Override
                    void writeVictim(Batch batch, QueuedHold request) {}
                }, new LocalCohort(descriptors, 1), background));
    }

    @Test
    void aLocalLeaderThatDoesNotMakeItselfTheVictimIsFound() {
        assertIsFound(pausing(SimOptions.WEAKEST), (descriptors, background) -> lock(descriptors,
                new RemoteCohort(descriptors, 2), new LocalCohort(descriptors, 1) {
                    @Override
                    void writeVictim(long line) {}
                }, background));
    }

    @Test
    void aRemoteLeaderThatDoesNotLookAtTheOtherTailIsFound() {
        assertIsFound(pausing(SimOptions.SHARED_MEMORY), (descriptors, background) -> lock(descriptors,
                new RemoteCohort(descriptors, 2) {
                    @Override
                    boolean mayEnter(long otherTail, long victim) {
                        return true;
                    }
                }, new LocalCohort(descriptors, 1), background));
    }

    @Test
    void aMissingFenceOfTheOwnersCpuIsFound() {
        assertThat(Seeds.untilFailure(SEEDS, seed -> new LockTrial(seed, pausing(SimOptions.WEAKEST).pauses(0.3)
                .cpuOrder(CpuOrder.WEAK),
                (descriptors, background) -> lock(descriptors,
                        new RemoteCohort(descriptors, 2), new LocalCohort(descriptors, 1) {
                            @Override
                            void fence() {}
                        }, background))
                .threads(1)
                .acquisitions(12)
                .run())).isPositive();
    }

    @Test
    void aRepairThatDoesNotWaitForThoseInTheMiddleIsFound() {
        SimOptions dying = pausing(SimOptions.WEAKEST).longestPause(Duration.ofMillis(20)).kills(0.004, 1, 2);
        assertThat(Seeds.untilFailure(SEEDS, seed -> new LockTrial(seed, dying,
                (descriptors, background) -> new QueueLock(descriptors, new RemoteCohort(descriptors, 2),
                        new LocalCohort(descriptors, 1), background) {
                    @Override
                    QueueRepair newRepair(QueuedHold request, boolean insists) {
                        return new QueueRepair(descriptors, remote(), request, true, insists) {
                            @Override
                            boolean settle() {
                                return true;
                            }
                        };
                    }
                })
                .hurried()
                .run())).isPositive();
    }

    @Test
    void aRepairThatHasToReadTheDeadIsFound() {
        SimOptions dying = pausing(SimOptions.SHARED_MEMORY).longestPause(Duration.ofMillis(20))
                .kills(0.004, 1, 2)
                .survivorsUnmapTheDead();
        assertThat(Seeds.untilFailure(SEEDS, seed -> new LockTrial(seed, dying,
                (descriptors, background) -> new QueueLock(descriptors, new RemoteCohort(descriptors, 2),
                        new LocalCohort(descriptors, 1), background) {
                    @Override
                    QueueRepair newRepair(QueuedHold request, boolean insists) {
                        return new QueueRepair(descriptors, remote(), request, true, insists) {
                            @Override
                            boolean isGone(int rank, int incarnation) {
                                return incarnation != Liveness.EVERY_INCARNATION && super.isGone(rank, incarnation);
                            }
                        };
                    }
                })
                .withoutRestarts()
                .run())).isPositive();
    }

    @Test
    void aReleaseThatTakesAnotherThreadsForSomebodyBehindItIsFound() {
        assertThat(Seeds.untilFailure(SEEDS, seed -> new LockTrial(seed, pausing(SimOptions.SHARED_MEMORY),
                (descriptors, background) -> lock(descriptors, new RemoteCohort(descriptors, 2),
                        new LocalCohort(descriptors, 1) {
                            @Override
                            boolean awaitFollower(LocalHold hold, Duration patience) {
                                return true;
                            }
                        }, background))
                .locks(3)
                .disputing()
                .run())).isPositive();
    }

    @Test
    void forceThatLeavesTheHolderItsNameIsFound() {
        assertThat(Seeds.untilFailure(SEEDS, seed -> new LockTrial(seed, pausing(SimOptions.SHARED_MEMORY),
                (descriptors, background) -> lock(descriptors, new RemoteCohort(descriptors, 2),
                        new LocalCohort(descriptors, 1) {
                            @Override
                            boolean seize(long line, long self) {
                                return true;
                            }
                        }, background))
                .locks(3)
                .disputing()
                .run())).isPositive();
    }

    @Test
    void aRequestThatLeavesWithoutThatTheOtherOneHasWonIsFound() {
        assertThat(Seeds.untilFailure(SEEDS, seed -> new LockTrial(seed, pausing(SimOptions.WEAKEST),
                (descriptors, background) -> new QueueLock(descriptors, new RemoteCohort(descriptors, 2),
                        new LocalCohort(descriptors, 1), background) {
                    @Override
                    boolean isTaken(QueuedHold request, long otherTail) {
                        return true;
                    }
                })
                .trying()
                .run())).isPositive();
    }

    @Test
    void aRequestThatTakesOneThatHasGivenUpForAWaiterIsFound() {
        assertThat(Seeds.untilFailure(SEEDS, seed -> new LockTrial(seed, pausing(SimOptions.WEAKEST),
                (descriptors, background) -> new QueueLock(descriptors, new RemoteCohort(descriptors, 2),
                        new LocalCohort(descriptors, 1), background) {
                    @Override
                    boolean hasLost(QueuedHold request, long tail) {
                        return descriptors.standing(tail, request).phase() == Phase.LEAVING
                                || super.hasLost(request, tail);
                    }
                })
                .trying()
                .waitingInVain()
                .run())).isPositive();
    }

    @Test
    void aBackgroundTaskThatPassesOverAPlaceThatAnotherThreadHasTakenOverIsFound() {
        assertThat(Seeds.untilFailure(SEEDS, seed -> new LockTrial(seed, pausing(SimOptions.SHARED_MEMORY),
                (descriptors, background) -> new QueueLock(descriptors, new RemoteCohort(descriptors, 2),
                        new LocalCohort(descriptors, 1), background) {
                    @Override
                    boolean takesOut(QueuedHold request) {
                        return true;
                    }
                })
                .acquisitions(8)
                .hurried()
                .run())).isPositive();
    }

    private static void assertIsFound(LockTrial.Answering answering, LockTrial.Demanding demanding) {
        SimOptions weak = pausing(SimOptions.WEAKEST).cpuOrder(CpuOrder.WEAK);
        assertThat(Seeds.untilFailure(SEEDS, seed -> new LockTrial(seed, weak, QueueLocks::asymmetric).locks(3)
                .threads(3)
                .acquisitions(6)
                .demanding(answering, demanding)
                .run())).isPositive();
    }

    @Test
    void aDemandThatIsMetWhateverTheTokenIsFound() {
        assertIsFound((descriptors, held) -> new Demands(descriptors, held) {
            @Override
            protected boolean isMeant(Hold hold, long token) {
                return true;
            }
        }, Demander::new);
    }

    /** This demand counts the holder's release as its own, too. */
    @Test
    void aDemandThatDoesNotContendWithTheHolderIsFound() {
        assertIsFound((descriptors, held) -> new Demands(descriptors, held) {
            @Override
            protected boolean ends(Hold hold) {
                super.ends(hold);
                return true;
            }
        }, Demander::new);
    }

    /** This owner behaves as if a network card's exchanges were atomic with the CPU's. */
    @Test
    void anExchangeOfTheRemoteTailByTheOwnersCpuIsFound() {
        assertIsFound(pausing(SimOptions.WEAKEST),
                (descriptors, background) -> new QueueLock(descriptors, new OnlyCohort(descriptors) {
                    @Override
                    long exchangeTail(QueuedHold request, long expected, long value) {
                        return request.owner() == descriptors.rank()
                                ? own.compareAndExchange(request.line() + LockLine.REMOTE_TAIL, expected, value)
                                : super.exchangeTail(request, expected, value);
                    }
                }, null, background));
    }

    @Test
    void aLookThatIsNotBehindTheVictimIsFound() {
        assertIsFound(pausing(SimOptions.WEAKEST), (descriptors, background) -> lock(descriptors,
                new RemoteCohort(descriptors, 2) {
                    @Override
                    boolean yield(QueuedHold request) {
                        boolean first = look(request);
                        Batch batch = batch(request);
                        writeVictim(batch, request);
                        batch.complete();
                        return first;
                    }
                }, new LocalCohort(descriptors, 1), background));
    }

    @Test
    void aBudgetThatIsNeverSpentIsFound() {
        assertThat(Seeds.untilFailure(SEEDS, seed -> new FairTrial(200).run(seed))).isPositive();
    }

    @Test
    void noCohortHasItMoreOftenInARowThanItsBudgetAllowsWhileTheOtherWaits() {
        Seeds.each(2_000, seed -> new FairTrial(1).run(seed));
    }

    /**
     * A trial that counts how often in a row one cohort releases the lock while the other cohort's leader waits. It
     * fails if the budget allows fewer.
     */
    private static final class FairTrial {

        private final int budget;
        // first the leader of the remote cohort, then that of the owner's threads
        private final boolean[] waits = new boolean[2];
        private final int[] overtaken = new int[2];

        private FairTrial(int budget) {
            this.budget = budget;
        }

        private boolean looked(int cohort, boolean entered) {
            if (!waits[cohort]) {
                overtaken[cohort] = 0;
            }
            waits[cohort] = !entered;
            return entered;
        }

        private void released(int cohort, boolean entered) {
            int other = 1 - cohort;
            if (entered && waits[other]) {
                assertThat(++overtaken[other]).as("acquisitions while the other cohort waits").isLessThanOrEqualTo(1);
            }
            waits[cohort] &= !entered;
        }

        private void run(long seed) {
            new LockTrial(seed, pausing(SimOptions.WEAKEST), (descriptors, background) -> lock(descriptors,
                    new RemoteCohort(descriptors, budget) {
                        @Override
                        boolean yield(QueuedHold request) {
                            return looked(0, super.yield(request));
                        }

                        @Override
                        long release(QueuedHold request) {
                            released(0, request.entered);
                            return super.release(request);
                        }
                    }, new LocalCohort(descriptors, budget) {
                        @Override
                        boolean compete(long line) {
                            return looked(1, super.compete(line));
                        }

                        @Override
                        boolean leave(LocalMemory own, long line, long self) {
                            int before = overtaken[0];
                            looked(1, true); // it found itself alone before
                            released(1, true);
                            boolean left = super.leave(own, line, self);
                            if (!left) {
                                overtaken[0] = Math.min(before, overtaken[0]); // it is released in the other way
                            }
                            return left;
                        }

                        @Override
                        long release(QueuedHold request) {
                            released(1, request.entered);
                            return super.release(request);
                        }
                    }, background)).run();
        }
    }
}
