package io.atoll.app.sequence.kmer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DistinctSampleTest {

    @Test
    void fewDifferentKmersAreCountedExactly() {
        DistinctSample sample = new DistinctSample();
        for (int round = 0; round < 3; round++) {
            for (long kmer = 0; kmer < 60_000; kmer += round + 1) {
                sample.accept(kmer);
            }
        }
        assertThat(sample.distinct()).isEqualTo(60_000);
        // The even ones, and every third.
        assertThat(sample.repeated()).isEqualTo(40_000);
    }

    @ParameterizedTest
    @ValueSource(ints = {100_000, 1_000_000, 5_000_000})
    void manyDifferentKmersAreEstimatedWithinThreePercent(int distinct) {
        long scramble = RandomGenerator.getDefault().nextLong();
        DistinctSample sample = new DistinctSample();
        for (long index = 0; index < distinct; index++) {
            long kmer = (index * 0x9e37_79b9_7f4a_7c15L ^ scramble) & Long.MAX_VALUE >>> 1;
            sample.accept(kmer);
            if (index % 4 == 0) {
                sample.accept(kmer);
                sample.accept(kmer);
            }
        }
        // The bounds are five standard errors. For the repeated ones the sample is a quarter as large.
        assertThat((double) sample.distinct()).isCloseTo(distinct, within(0.03 * distinct));
        assertThat((double) sample.repeated()).isCloseTo(distinct / 4.0, within(0.06 * distinct / 4.0));
    }
}
