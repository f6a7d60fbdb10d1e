package io.atoll.fabric.link;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests how often something that happens all the time is logged. */
class OnceAMinuteTest {

    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

    @Test
    void theFirstTimeIsDueAndTheNextAfterAMinute() {
        for (long began : new long[]{0, -5, 7, Long.MAX_VALUE - 3}) {
            OnceAMinute told = new OnceAMinute();
            assertThat(told.isDue(began)).isTrue();
            assertThat(told.isDue(began + 1)).isFalse();
            assertThat(told.isDue(began + MINUTE - 1)).isFalse();
            assertThat(told.isDue(began + MINUTE + 1)).isTrue();
            assertThat(told.isDue(began + MINUTE + 2)).isFalse();
        }
    }
}
