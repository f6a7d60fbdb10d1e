package io.atoll.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;

class BackoffTest {

    @Test
    void anInterruptedThreadDoesNotSpinAndStaysInterrupted() {
        Thread.currentThread().interrupt();
        Backoff backoff = new Backoff(Clock.SYSTEM, Duration.ofMillis(50));
        while (backoff.pause()) {
            assertThat(backoff.attempts()).isLessThan(10_000);
        }
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void thereIsTimeForEver() {
        assertThat(new Backoff(Clock.SYSTEM, ChronoUnit.FOREVER.getDuration()).pause()).isTrue();
        assertThat(new Backoff(Clock.SYSTEM, Backoff.UNBOUNDED).pause()).isTrue();
    }

    @Test
    void withoutTimeThereIsOneLook() {
        assertThat(new Backoff(Clock.SYSTEM, Duration.ZERO).pause()).isFalse();
    }

    @Test
    void theLongestPauseAtOnceIsAsLongAsItIsTold() {
        assertThat(Clock.attemptOf(Duration.ZERO)).as("spins and yields").isEqualTo(119);
        assertThat(Clock.attemptOf(Duration.ofNanos(10_000))).isEqualTo(120);
        assertThat(Clock.attemptOf(Duration.ofNanos(79_999))).as("40 us").isEqualTo(122);
        assertThat(Clock.attemptOf(Duration.ofSeconds(1))).as("1.28 ms").isEqualTo(127);
    }
}
