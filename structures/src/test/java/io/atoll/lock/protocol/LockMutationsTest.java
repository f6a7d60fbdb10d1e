package io.atoll.lock.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.CpuOrder;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The checks of {@link LockTrial} find what is wrong. */
class LockMutationsTest {

    private static final int SEEDS = 2_000;

    private static SimOptions pausing(Guarantees guarantees) {
        return LockTrial.options(guarantees).pauses(0.02);
    }

    private static void assertIsFound(SimOptions options, LockTrial.Opener broken) {
        assertThat(Seeds.untilFailure(SEEDS, seed -> new LockTrial(seed, options, broken).run())).isPositive();
    }

    private static QueueLock lock(Descriptors descriptors, RemoteCohort remote, LocalCohort local, Keeper keeper) {
        return new QueueLock(descriptors, remote, local, keeper);
    }

    @Test
    void aRemoteLeaderThatDoesNotMakeItselfTheVictimIsFound() {
        assertIsFound(pausing(SimOptions.WEAKEST), (descriptors, keeper) -> lock(descriptors,
                new RemoteCohort(descriptors, 2) {
                    @Override
                    void writeVictim(Batch batch, Request request) {}
                }, new LocalCohort(descriptors, 1), keeper));
    }

    @Test
    void aLocalLeaderThatDoesNotMakeItselfTheVictimIsFound() {
        assertIsFound(pausing(SimOptions.WEAKEST), (descriptors, keeper) -> lock(descriptors,
                new RemoteCohort(descriptors, 2), new LocalCohort(descriptors, 1) {
                    @Override
                    void writeVictim(Request request) {}
                }, keeper));
    }

    @Test
    void aRemoteLeaderThatDoesNotLookAtTheOtherTailIsFound() {
        assertIsFound(pausing(SimOptions.SHARED_MEMORY), (descriptors, keeper) -> lock(descriptors,
                new RemoteCohort(descriptors, 2) {
                    @Override
                    boolean mayEnter(long otherTail, long victim) {
                        return true;
                    }
                }, new LocalCohort(descriptors, 1), keeper));
    }

    @Test
    void aMissingFenceOfTheOwnersCpuIsFound() {
        assertThat(Seeds.untilFailure(SEEDS, seed -> new LockTrial(seed, pausing(SimOptions.WEAKEST)
                .cpuOrder(CpuOrder.WEAK),
                (descriptors, keeper) -> lock(descriptors,
                        new RemoteCohort(descriptors, 2), new LocalCohort(descriptors, 1) {
                            @Override
                            void fence() {}
                        }, keeper))
                .threads(1)
                .run())).isPositive();
    }

    @Test
    void aRepairThatDoesNotWaitForThoseInTheMiddleIsFound() {
        SimOptions dying = pausing(SimOptions.WEAKEST).longestPause(Duration.ofMillis(20)).kills(0.004, 1, 2);
        assertThat(Seeds.untilFailure(SEEDS, seed -> new LockTrial(seed, dying,
                (descriptors, keeper) -> new QueueLock(descriptors, new RemoteCohort(descriptors, 2),
                        new LocalCohort(descriptors, 1), keeper) {
                    @Override
                    Repair newRepair(Request request, boolean insists) {
                        return new Repair(descriptors, remote(), request, true, insists) {
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
}
