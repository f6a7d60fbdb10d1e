package io.atoll.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RateLimiterTest {

    private static final long SECOND = 1_000_000_000L;

    private final RateLimiter rateLimiter = new RateLimiter(50);

    /** Returns how many events happen in that time, if each happens as soon as it may. */
    private int happenIn(long fromNanos, long nanos) {
        int happened = 0;
        long now = fromNanos;
        while (now - fromNanos < nanos) {
            long wait = rateLimiter.waitNanos(now);
            if (wait == 0) {
                rateLimiter.note(now);
                happened++;
            }
            now += wait;
        }
        return happened;
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -5 * SECOND, Long.MAX_VALUE - SECOND / 2, Long.MIN_VALUE})
    void soManyHappenInASecondAndAsManyAtOnceAfterAPause(long began) {
        assertThat(happenIn(began, 1)).isBetween(50, 51);
        assertThat(happenIn(began + 1, 2 * SECOND)).isBetween(99, 101);
        assertThat(happenIn(began + 10 * SECOND, 1)).isBetween(50, 51);
    }
}
