package io.atoll.lock;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The model of the lock when some processes only try to have it. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
@Tag("models")
class TryingModelTest {

    static final String ALL_TRY = "Local = {1}\n Remote = {3, 4}\n Mortal = {}\n Trying = {1, 3, 4}\n Rounds = 1";
    static final String ONE_TRIES = "Local = {}\n Remote = {3, 4, 5}\n Mortal = {}\n Trying = {5}\n Rounds = 1";
    static final String AN_OWNERS_TRIES = "Local = {1}\n Remote = {3, 4}\n Mortal = {}\n Trying = {1}\n Rounds = 1";

    @TempDir
    private Path folder;

    @Test
    void aProcessThatTriesEndsAndNeverLeavesAFreeLock() throws Exception {
        LockModelTest.assertHolds(folder, ALL_TRY, LockModelTest.STARVES);
    }

    @Test
    void aProcessThatTriesLeavesALockToWhoWaitsAndNotToWhoHasGivenUp() throws Exception {
        LockModelTest.assertHolds(folder, ONE_TRIES, LockModelTest.STARVES);
    }

    @Test
    void soDoesOneOfTheOtherCohort() throws Exception {
        LockModelTest.assertHolds(folder, AN_OWNERS_TRIES, "");
    }

    @Test
    void oneOfTheRemoteCohortTriesWhileOthersWaitAndOneDies() throws Exception {
        LockModelTest.assertHolds(folder, "Local = {1}\n Remote = {3, 4}\n Mortal = {4}\n Trying = {3}\n Rounds = 1",
                "");
    }
}
