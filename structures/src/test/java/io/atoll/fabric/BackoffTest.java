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
}
