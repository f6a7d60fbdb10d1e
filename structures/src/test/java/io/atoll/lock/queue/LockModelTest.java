package io.atoll.lock.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The model of the lock, {@code src/test/tla/ALock.tla}: what must be true of it is, in every order of the steps of a few
 * processes. One or two of them die, or some only try.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class LockModelTest {

    static final String ONE_LOCAL = "Local = {1}\n Remote = {3, 4}\n Mortal = {4}\n Trying = {}\n Rounds = 1";
    static final String THREE_REMOTE = "Local = {}\n Remote = {3, 4, 5}\n Mortal = {4}\n Trying = {}\n Rounds = 1";
    static final String ALL_TRY = "Local = {1}\n Remote = {3, 4}\n Mortal = {}\n Trying = {1, 3, 4}\n Rounds = 1";
    static final String ONE_TRIES = "Local = {}\n Remote = {3, 4, 5}\n Mortal = {}\n Trying = {5}\n Rounds = 1";
    static final String AN_OWNERS_TRIES = "Local = {1}\n Remote = {3, 4}\n Mortal = {}\n Trying = {1}\n Rounds = 1";
    static final String LINKS = "INVARIANTS LinksAreMeant";

    private static final String STARVES = "PROPERTIES NobodyStarves";

    @TempDir
    private Path folder;

    private void assertHolds(String processes, String properties) throws IOException, InterruptedException {
        assertThat(Model.checkLock(folder, processes, "", properties)).contains(Model.HOLDS);
    }

    @Test
    void twoOfEachCohortOfWhichOneDiesHoldItOneAtATime() throws Exception {
        assertHolds("Local = {1, 2}\n Remote = {3, 4}\n Mortal = {4}\n Trying = {}\n Rounds = 1", "");
    }

    @Test
    void threeOfTheRemoteCohortOfWhichOneDiesHoldItOneAtATime() throws Exception {
        assertHolds(THREE_REMOTE, LINKS);
    }

    @Test
    void threeOfTheRemoteCohortOfWhichTwoDieHoldItOneAtATime() throws Exception {
        assertHolds("Local = {}\n Remote = {3, 4, 5}\n Mortal = {4, 5}\n Trying = {}\n Rounds = 1", LINKS);
    }

    @Test
    void nobodyStarves() throws Exception {
        assertHolds(ONE_LOCAL, STARVES);
    }

    @Test
    void aProcessThatTriesEndsAndNeverLeavesAFreeLock() throws Exception {
        assertHolds(ALL_TRY, STARVES);
    }

    @Test
    void aProcessThatTriesLeavesALockToWhoWaitsAndNotToWhoHasGivenUp() throws Exception {
        assertHolds(ONE_TRIES, STARVES);
    }

    @Test
    void soDoesOneOfTheOtherCohort() throws Exception {
        assertHolds(AN_OWNERS_TRIES, "");
    }

    @Test
    void oneOfTheRemoteCohortTriesWhileOthersWaitAndOneDies() throws Exception {
        assertHolds("Local = {1}\n Remote = {3, 4}\n Mortal = {4}\n Trying = {3}\n Rounds = 1", "");
    }
}
