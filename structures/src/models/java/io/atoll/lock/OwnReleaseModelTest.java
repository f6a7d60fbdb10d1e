package io.atoll.lock;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The model of {@code src/models/tla/OwnRelease.tla}. Several threads release a lock of their own rank, or take it by
 * force, while no other thread wants it.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
@Tag("models")
class OwnReleaseModelTest {

    @TempDir
    private Path folder;

    @Test
    void ofAllThreadsThatReleaseItOneDoes() throws Exception {
        assertThat(Model.checkRelease(folder, "")).contains(Model.HOLDS);
    }

    @Test
    void whoseTailDoesNotNameTheTurnIsReleasedByWhoComesLate() throws Exception {
        assertThat(Model.checkRelease(folder, "turn")).contains("is violated");
    }

    @Test
    void oneThatStandsBehindOthersByTheNameOfATurnIsReleasedByWhoComesLate() throws Exception {
        assertThat(Model.checkRelease(folder, "alone")).contains("is violated");
    }

    @Test
    void forceThatDoesNotChangeTheTailReleasesItASecondTime() throws Exception {
        assertThat(Model.checkRelease(folder, "seize")).contains("is violated");
    }

    @Test
    void whoDoesNotAskWhetherSomebodyStandsBehindItReleasesItASecondTime() throws Exception {
        assertThat(Model.checkRelease(folder, "behind")).contains("is violated");
    }
}
