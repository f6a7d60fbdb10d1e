package io.atoll.lock;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Each rule of the lock's model, {@code src/models/tla/ALock.tla}, is needed. If a rule is left out, TLC finds what
 * goes wrong.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
@Tag("models")
class LockModelMistakesTest {

    @TempDir
    private Path folder;

    private void assertDeadlock(String processes, String ruleLeftOut) throws IOException, InterruptedException {
        assertThat(Model.checkLock(folder, processes, ruleLeftOut, "")).contains("Deadlock reached");
    }

    private void assertTwoHoldIt(String processes, String ruleLeftOut) throws IOException, InterruptedException {
        assertThat(Model.checkLock(folder, processes, ruleLeftOut, ""))
                .contains("Invariant MutualExclusion is violated");
    }

    @Test
    void withoutAVictimTwoHoldIt() throws Exception {
        assertTwoHoldIt("Local = {1}\n Remote = {3}\n Mortal = {}\n Trying = {}\n Rounds = 2", "victim");
    }

    @Test
    void whoEntersWithoutABudgetMayNotBeAlone() throws Exception {
        assertTwoHoldIt("Local = {1}\n Remote = {3, 4}\n Mortal = {}\n Trying = {}\n Rounds = 2", "budget");
    }

    @Test
    void aRepairThatHasToReadTheDeadWaitsForEverOnceItCannot() throws Exception {
        assertDeadlock(LockModelTest.ONE_LOCAL, "survivors");
    }

    @Test
    void aRepairThatTakesForDeadWhomItCannotReadLetsTwoHoldIt() throws Exception {
        assertTwoHoldIt(LockModelTest.ONE_LOCAL, "proof");
    }

    @Test
    void aRepairThatDoesNotLetOthersSettleLeavesThemWaiting() throws Exception {
        assertDeadlock(LockModelTest.ONE_LOCAL, "settle");
    }

    @Test
    void aLinkThatIsTakenForOneOfTheNewEpochLeavesAWaiter() throws Exception {
        assertDeadlock(LockModelTest.THREE_REMOTE, "epoch");
    }

    @Test
    void aReleaseThatDoesNotTellTheRepairLeavesAWaiter() throws Exception {
        assertDeadlock(LockModelTest.THREE_REMOTE, "tell");
    }

    @Test
    void aRepairThatDoesNotHearOfAReleaseLeavesAWaiter() throws Exception {
        assertDeadlock(LockModelTest.THREE_REMOTE, "told");
    }

    @Test
    void aLeaderThatPassesItsBudgetOnWhenItRetreatsLetsTwoHoldIt() throws Exception {
        assertTwoHoldIt(LockModelTest.ONE_LOCAL, "retreat");
    }

    @Test
    void aReleaseThatDoesNotAwaitTheRepairIsLinkedToWhenItHasGone() throws Exception {
        assertThat(Model.checkLock(folder, LockModelTest.THREE_REMOTE, "left", LockModelTest.LINKS))
                .contains("Invariant LinksAreMeant is violated");
    }

    @Test
    void aRepairThatOverlooksAWaiterThatHasGivenUpLeavesItInTheQueueForEver() throws Exception {
        assertDeadlock(LockModelTest.THREE_REMOTE, "given up");
    }

    /** This is the largest model: only three remote waiters and an owner's thread find the mistake. */
    @Tag("nightly")
    @Test
    void aRepairThatOverlooksAWaiterThatWasPassedTheLockLetsTwoHoldIt() throws Exception {
        assertTwoHoldIt("Local = {1}\n Remote = {3, 4, 5}\n Mortal = {4}\n Trying = {}\n Rounds = 1", "passed");
    }

    // --- one that only tries ---

    private void assertAFreeLockIsLeft(String ruleLeftOut) throws IOException, InterruptedException {
        assertAFreeLockIsLeft(TryingModelTest.ALL_TRY, ruleLeftOut);
    }

    private void assertAFreeLockIsLeft(String processes, String ruleLeftOut) throws IOException, InterruptedException {
        assertThat(Model.checkLock(folder, processes, ruleLeftOut, ""))
                .contains("Invariant NobodyLeavesAFreeLock is violated");
    }

    @Test
    void leavingBecauseAnotherOfTheCohortIsThereLeavesAFreeLock() throws Exception {
        assertAFreeLockIsLeft("lost");
    }

    @Test
    void leavingBecauseTheOtherCohortCompetesLeavesAFreeLock() throws Exception {
        assertAFreeLockIsLeft("taken");
    }

    @Test
    void takingALeaderForAHolderLeavesAFreeLock() throws Exception {
        assertAFreeLockIsLeft("leading");
    }

    @Test
    void takingOneThatHasGivenUpForAWaiterLeavesAFreeLock() throws Exception {
        assertAFreeLockIsLeft(TryingModelTest.ONE_TRIES, "leaving");
    }

    @Test
    void soDoesTakingOneOfTheOtherCohortForAWaiter() throws Exception {
        assertAFreeLockIsLeft(TryingModelTest.AN_OWNERS_TRIES, "leaving");
    }
}
