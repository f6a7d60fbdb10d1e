package io.atoll.background;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class RunningTimeTest {

    // This overflows soon, as System.nanoTime may.
    private long now = Long.MAX_VALUE - Duration.ofSeconds(1).toNanos();
    private final RunningTime time = new RunningTime(() -> now);

    private Duration after(Duration gap) {
        now += gap.toNanos();
        return Duration.ofNanos(time.nanos());
    }

    @Test
    void passesAsLongAsItIsRead() {
        for (int reading = 1; reading <= 20; reading++) {
            assertThat(after(Duration.ofMillis(100))).isEqualTo(Duration.ofMillis(100).multipliedBy(reading));
        }
    }

    @Test
    void standsStillWhileNobodyReadsIt() {
        after(Duration.ofMillis(100));
        assertThat(after(Duration.ofHours(1))).isEqualTo(RunningTime.LONGEST_GAP.plusMillis(100));
        assertThat(after(Duration.ofMillis(100))).isEqualTo(RunningTime.LONGEST_GAP.plusMillis(200));
    }

    @Test
    void neverGoesBack() {
        after(Duration.ofMillis(100));
        assertThat(after(Duration.ofMillis(-50))).isEqualTo(Duration.ofMillis(100));
    }
}
