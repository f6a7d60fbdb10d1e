package io.atoll.collective;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.AllocatedBytes;
import io.atoll.collective.CollectiveCounts.Durations.Range;
import org.junit.jupiter.api.Test;

class DurationsTest {

    private final CollectiveCounts.Durations durations = new CollectiveCounts.Durations();

    @Test
    void nothingThatWasCountedHasNoRanges() {
        assertThat(durations.ranges()).isEmpty();
    }

    @Test
    void eachIsCountedInTheShortestRangeThatHasRoomForIt() {
        for (long nanos : new long[]{2_048, 2_049, 4_096, 16_384}) {
            durations.count(nanos);
        }
        assertThat(durations.ranges()).containsExactly(new Range(2_048, 1), new Range(4_096, 2), new Range(8_192, 0),
                new Range(16_384, 1));
    }

    @Test
    void theShortestAndTheLongestHaveARange() {
        durations.count(0);
        durations.count(1_024);
        assertThat(durations.ranges()).containsExactly(new Range(1_024, 2));
        durations.count(Long.MAX_VALUE);
        assertThat(durations.ranges()).hasSize(36).endsWith(new Range(1_024L << 35, 1));
    }

    @Test
    void countingTakesNothingOfTheJavaHeap() {
        assertThat(AllocatedBytes.of(() -> {
            for (long nanos = 0; nanos < 10_000; nanos++) {
                durations.count(nanos * nanos);
            }
        })).isZero();
    }
}
