package io.atoll.lock;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The model of the lock when both cohorts want it, and one process dies. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
@Tag("models")
class TwoCohortsModelTest {

    @TempDir
    private Path folder;

    @Test
    void twoOfEachCohortOfWhichOneDiesHoldItOneAtATime() throws Exception {
        LockModelTest.assertHolds(folder, "Local = {1, 2}\n Remote = {3, 4}\n Mortal = {4}\n Trying = {}\n Rounds = 1",
                "");
    }

    @Test
    void nobodyStarves() throws Exception {
        LockModelTest.assertHolds(folder, LockModelTest.ONE_LOCAL, LockModelTest.STARVES);
    }
}
