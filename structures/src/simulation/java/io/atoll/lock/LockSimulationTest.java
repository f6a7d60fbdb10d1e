package io.atoll.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.CpuOrder;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** One thread at a time holds the lock, whichever thread pauses, gives up or dies, and whenever. */
@Tag("simulation")
class LockSimulationTest {

    static final List<Guarantees> EVERY_FABRIC = SimOptions.EVERY_FABRIC;

    private static final int SEEDS = 150;
    private static final int BUSY_SEEDS = 1_500;

    private static SimOptions pausing(Guarantees guarantees) {
        return LockTrial.options(guarantees).pauses(0.01);
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void oneHoldsItAtATime(Guarantees guarantees) {
        Seeds.each(SEEDS, seed -> assertThat(
                new LockTrial(seed, pausing(guarantees), QueueLocks::asymmetric).run()).isEqualTo(3 * 2 * 3));
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void oneHoldsItAtATimeWhereTheOwnersCpuDelaysStores(Guarantees guarantees) {
        SimOptions weak = pausing(guarantees).pauses(0.1).cpuOrder(CpuOrder.WEAK);
        Seeds.each(SEEDS, seed -> new LockTrial(seed, weak, QueueLocks::asymmetric).threads(1).acquisitions(12).run());
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void whoGivesUpLeavesTheQueueIntact(Guarantees guarantees) {
        Seeds.each(SEEDS, seed -> new LockTrial(seed, pausing(guarantees), QueueLocks::asymmetric).hurried().run());
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void placesThatWereGivenUpAreTakenOverOrPassedOver(Guarantees guarantees) {
        SimOptions dying = pausing(guarantees).longestPause(Duration.ofMillis(20)).kills(0.001, 1, 2).zombies();
        Seeds.each(SEEDS, seed -> new LockTrial(seed, dying, QueueLocks::asymmetric).acquisitions(8).hurried().run());
        Seeds.each(SEEDS, seed -> new LockTrial(seed, dying, QueueLocks::symmetric).acquisitions(8).hurried().run());
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void ofAllThatTryToHaveAFreeLockOneHasIt(Guarantees guarantees) {
        Seeds.each(SEEDS, seed -> new LockTrial(seed, pausing(guarantees), QueueLocks::asymmetric).trying().run());
        Seeds.each(SEEDS, seed -> new LockTrial(seed, pausing(guarantees), QueueLocks::symmetric).trying().run());
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void ofAllThatTryToHaveAFreeLockOneHasItThoughOthersHaveWaitedInVain(Guarantees guarantees) {
        Seeds.each(SEEDS, seed -> new LockTrial(seed, pausing(guarantees), QueueLocks::asymmetric).trying()
                .waitingInVain()
                .run());
        Seeds.each(SEEDS, seed -> new LockTrial(seed, pausing(guarantees), QueueLocks::symmetric).trying()
                .waitingInVain()
                .run());
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void deathsAtAnyStepKeepNobodyWaiting(Guarantees guarantees) {
        SimOptions dying = pausing(guarantees).longestPause(Duration.ofMillis(20)).kills(0.004, 1, 2).zombies();
        Seeds.each(SEEDS, seed -> new LockTrial(seed, dying, QueueLocks::asymmetric).hurried().run());
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void whoIsDeadForGoodKeepsNobodyWaitingThoughItsSegmentCannotBeRead(Guarantees guarantees) {
        Seeds.each(SEEDS, seed -> deadForGood(seed, guarantees, QueueLocks::asymmetric).run());
        Seeds.each(SEEDS, seed -> deadForGood(seed, guarantees, QueueLocks::symmetric).run());
    }

    private static LockTrial deadForGood(long seed, Guarantees guarantees, LockTrial.Opener opener) {
        SimOptions dying = pausing(guarantees).longestPause(Duration.ofMillis(20))
                .kills(0.004, 1, 2)
                .zombies()
                .survivorsUnmapTheDead();
        return new LockTrial(seed, dying, opener).withoutRestarts().hurried();
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void theOwnerMayDieAndComeBack(Guarantees guarantees) {
        SimOptions dying = pausing(guarantees).longestPause(Duration.ofMillis(20)).kills(0.004, 0);
        Seeds.each(SEEDS, seed -> new LockTrial(seed, dying, QueueLocks::asymmetric).run());
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void ranksMayLoseTheirMemory(Guarantees guarantees) {
        SimOptions losing = pausing(guarantees).pauses(0.03)
                .longestPause(Duration.ofMillis(20))
                .kills(0.006, 0, 2)
                .losesMemory()
                .zombies();
        int[] losses = {0};
        Seeds.each(SEEDS, seed -> {
            losses[0] += losing(seed, losing, QueueLocks::asymmetric) + losing(seed, losing, QueueLocks::symmetric);
        });
        Seeds.together(() -> assertThat(losses[0]).as("segments that were lost").isGreaterThan(SEEDS / 4));
    }

    private static int losing(long seed, SimOptions losing, LockTrial.Opener opener) {
        var trial = new LockTrial(seed, losing, opener).locks(3).threads(3).acquisitions(12).hurried().losing();
        trial.run();
        return trial.losses();
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void aLockOfOneQueueDoesTheSame(Guarantees guarantees) {
        SimOptions dying = pausing(guarantees).longestPause(Duration.ofMillis(20)).kills(0.004, 1, 2).zombies();
        Seeds.each(SEEDS, seed -> new LockTrial(seed, dying, QueueLocks::symmetric).hurried().run());
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void whoHasItAfterItWasTakenByForceIsTold(Guarantees guarantees) {
        Seeds.each(SEEDS,
                seed -> new LockTrial(seed, pausing(guarantees), QueueLocks::asymmetric).hurried().revoking().run());
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void ofAllThreadsThatReleaseItOneDoes(Guarantees guarantees) {
        Seeds.each(SEEDS, seed -> new LockTrial(seed, pausing(guarantees), QueueLocks::asymmetric).sharing().run());
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void whatIsReleasedAndTakenByForceAtOnceIsReleasedOnce(Guarantees guarantees) {
        Seeds.each(SEEDS,
                seed -> new LockTrial(seed, pausing(guarantees), QueueLocks::asymmetric).locks(3).disputing().run());
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void whatAnotherRankDemandsToEndEndsOnce(Guarantees guarantees) {
        SimOptions weak = pausing(guarantees).cpuOrder(CpuOrder.WEAK);
        int[] done = {0};
        int[] trials = {0};
        Seeds.each(SEEDS, seed -> {
            trials[0]++;
            done[0] += demanding(seed, weak, QueueLocks::asymmetric) + demanding(seed, weak, QueueLocks::symmetric);
        });
        Seeds.together(() -> assertThat(done[0]).as("holds that have ended by demand").isGreaterThan(trials[0]));
    }

    private static int demanding(long seed, SimOptions options, LockTrial.Opener opener) {
        var trial = new LockTrial(seed, options, opener).locks(3).threads(3).acquisitions(6).demanding();
        trial.run();
        return trial.demandsDone();
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void whatAnotherRankDemandsToEndEndsOnceThoughConnectionsBreak(Guarantees guarantees) {
        SimOptions breaking = pausing(guarantees).cpuOrder(CpuOrder.WEAK).breaks(0.01, 10);
        int[] done = {0};
        int[] trials = {0};
        Seeds.each(SEEDS, seed -> {
            trials[0]++;
            done[0] += breaking(seed, breaking, QueueLocks::asymmetric)
                    + breaking(seed, breaking, QueueLocks::symmetric);
        });
        Seeds.together(() -> assertThat(done[0]).as("holds that have ended by demand").isGreaterThan(trials[0] / 2));
    }

    private static int breaking(long seed, SimOptions options, LockTrial.Opener opener) {
        var trial = new LockTrial(seed, options, opener).locks(3).threads(3).acquisitions(6).demanding().breaking();
        trial.run();
        return trial.demandsDone();
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void whatAnotherRankDemandsToEndEndsOnceWhoeverDies(Guarantees guarantees) {
        SimOptions dying = pausing(guarantees).longestPause(Duration.ofMillis(20)).kills(0.002, 0, 1, 2);
        int[] done = {0};
        int[] trials = {0};
        Seeds.each(SEEDS, seed -> {
            trials[0]++;
            done[0] += demanding(seed, dying, QueueLocks::asymmetric) + demanding(seed, dying, QueueLocks::symmetric);
        });
        Seeds.together(() -> assertThat(done[0]).as("holds that have ended by demand").isGreaterThan(trials[0] / 2));
    }

    @Test
    void whoTakesItByForceFindsTheHoldersTokenWhereTheCpuDelaysStores() {
        SimOptions weak = pausing(SimOptions.WEAKEST).pauses(0.1).cpuOrder(CpuOrder.WEAK);
        Seeds.each(BUSY_SEEDS, seed -> new LockTrial(seed, weak, QueueLocks::asymmetric).locks(3).looking().run());
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void whatConnectionsLoseIsMadeGood(Guarantees guarantees) {
        SimOptions breaking = pausing(guarantees).breaks(0.01, 4);
        for (SimOptions network : List.of(breaking, breaking.cuts())) {
            Seeds.each(SEEDS, seed -> new LockTrial(seed, network, QueueLocks::asymmetric).hurried().run());
            Seeds.each(SEEDS, seed -> new LockTrial(seed, network, QueueLocks::symmetric).acquisitions(8).run());
        }
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void aRepairWhereNobodyHasDiedDoesNoHarm(Guarantees guarantees) {
        Seeds.each(SEEDS, seed -> new LockTrial(seed, pausing(guarantees), LockSimulationTest::alwaysDoubting)
                .hurried()
                .run());
    }

    /**
     * So a descriptor belongs now to one lock, then to another. Meanwhile other ranks go on with what they knew of it.
     */
    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void severalLocksDoNotDisturbEachOther(Guarantees guarantees) {
        SimOptions dying = pausing(guarantees).longestPause(Duration.ofMillis(20)).kills(0.004, 1, 2).zombies();
        Seeds.each(SEEDS, seed -> new LockTrial(seed, dying, QueueLocks::asymmetric).locks(3).hurried().run());
    }

    /** Descriptors are used again at once. So whatever one lock's queue has left in them would meet another's. */
    private static SimOptions busy() {
        return pausing(SimOptions.WEAKEST).pauses(0.02).longestPause(Duration.ofMillis(20)).maximumSteps(2_000_000);
    }

    @Test
    void repairsOfOneLockDoNotDisturbAnother() {
        Seeds.each(BUSY_SEEDS, seed -> new LockTrial(seed, busy(), LockSimulationTest::alwaysDoubting)
                .locks(2)
                .acquisitions(8)
                .run());
    }

    @Test
    void whatConnectionsLoseOfOneLockDoesNotDisturbAnother() {
        Seeds.each(BUSY_SEEDS, seed -> new LockTrial(seed, busy().breaks(0.01, 10), QueueLocks::asymmetric)
                .locks(2)
                .acquisitions(8)
                .run());
    }

    /** Returns a lock that takes living ranks for dead, except the owner, whom no rank would repair. */
    private static QueueLock alwaysDoubting(Descriptors descriptors, BackgroundTasks background) {
        return new QueueLock(descriptors, new RemoteCohort(descriptors, 2), new LocalCohort(descriptors, 1),
                background) {
            @Override
            boolean hasEnded(QueuedHold request, long tail) {
                return tail != Tail.FREE && Tail.rank(tail) != request.owner();
            }
        };
    }
}
