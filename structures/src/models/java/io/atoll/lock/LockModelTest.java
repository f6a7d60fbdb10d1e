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
 * The model of the lock, {@code src/models/tla/ALock.tla}. Its properties hold in every order of the steps of a few
 * processes, one or two of which die. {@link TwoCohortsModelTest} and {@link TryingModelTest} have the larger checks.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
@Tag("models")
class LockModelTest {

    static final String ONE_LOCAL = "Local = {1}\n Remote = {3, 4}\n Mortal = {4}\n Trying = {}\n Rounds = 1";
    static final String THREE_REMOTE = "Local = {}\n Remote = {3, 4, 5}\n Mortal = {4}\n Trying = {}\n Rounds = 1";
    static final String LINKS = "INVARIANTS LinksAreMeant";

    static final String STARVES = "PROPERTIES NobodyStarves";

    @TempDir
    private Path folder;

    static void assertHolds(Path folder, String processes, String properties) throws IOException, InterruptedException {
        assertThat(Model.checkLock(folder, processes, "", properties)).contains(Model.HOLDS);
    }

    @Test
    void threeOfTheRemoteCohortOfWhichOneDiesHoldItOneAtATime() throws Exception {
        assertHolds(folder, THREE_REMOTE, LINKS);
    }

    @Test
    void threeOfTheRemoteCohortOfWhichTwoDieHoldItOneAtATime() throws Exception {
        assertHolds(folder, "Local = {}\n Remote = {3, 4, 5}\n Mortal = {4, 5}\n Trying = {}\n Rounds = 1", LINKS);
    }
}
