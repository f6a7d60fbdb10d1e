package io.atoll.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FilterSizeTest {

    /** Calculated by another program, for nine tenths of the rate. */
    @ParameterizedTest
    @CsvSource({"0.5, 1.673, 1", "0.1, 5.249, 3", "0.05, 7.042, 4", "0.01, 12.243, 5", "0.005, 15.091, 6",
        "0.001, 23.757, 7", "0.0001, 44.040, 8", "0.00001, 81.625, 9", "0.000001, 154.477, 10"})
    void bitsPerElementAreThoseThatBlockingCosts(double rate, double bitsPerElement, int patternBits) {
        FilterSize size = FilterSize.of(1_000_000, rate);
        assertThat(size.bitsPerElement()).isCloseTo(bitsPerElement, within(0.001));
        assertThat(size.patternBits()).isEqualTo(patternBits);
    }

    /** Compares with a hand-made simulation of one block, which draws bits in its own way. */
    @ParameterizedTest
    @CsvSource({"1, 3", "5, 5", "2, 7", "9, 5"})
    void theRateOfOneBlockIsWhatASimulationMeasures(int elements, int patternBits) {
        Random random = new Random(7);
        int runs = 200_000;
        int hits = 0;
        for (int run = 0; run < runs; run++) {
            long block = 0;
            for (int element = 0; element < elements; element++) {
                block |= differentBits(random, patternBits);
            }
            long other = differentBits(random, patternBits);
            hits += (block & other) == other ? 1 : 0;
        }
        double expected = new BlockedRate(patternBits).ofBlock(elements);
        double deviation = Math.sqrt(expected * (1 - expected) / runs);
        assertThat((double) hits / runs).isCloseTo(expected, within(5 * deviation));
    }

    private static long differentBits(Random random, int count) {
        return random.ints(0, Long.SIZE).distinct().limit(count).mapToLong(bit -> 1L << bit).reduce(0, (a, b) -> a | b);
    }

    @Test
    void moreElementsOrALowerRateNeedMoreMemory() {
        assertThat(FilterSize.of(2_000_000, 0.01).bytes(1)).isGreaterThan(FilterSize.of(1_000_000, 0.01).bytes(1));
        assertThat(FilterSize.of(1_000_000, 0.001).bytes(1)).isGreaterThan(FilterSize.of(1_000_000, 0.01).bytes(1));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 7, 64})
    void everyRankHoldsTheSameWholeCacheLines(int ranks) {
        FilterSize size = FilterSize.of(1_000_000, 0.01);
        assertThat(size.bytesPerRank(ranks) % 64).isZero();
        assertThat(size.bytes(ranks)).isEqualTo(ranks * size.bytesPerRank(ranks))
                .isBetween(1_530_300L, 1_530_400L + ranks * 64L);
    }

    @Test
    void aFilterOfOneElementHasALineAtEachRank() {
        assertThat(FilterSize.of(1, 0.5).bytesPerRank(3)).isEqualTo(64);
    }

    @Test
    void whatABlockOfOneWordCannotKeepIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> FilterSize.of(10, 1e-7))
                .withMessageContaining("an exact map")
                .withMessageEndingWith("falsePositiveRate=1.0E-7");
        assertThatIllegalArgumentException().isThrownBy(() -> FilterSize.of(10, 0.6));
        assertThatIllegalArgumentException().isThrownBy(() -> FilterSize.of(10, Double.NaN));
        assertThatIllegalArgumentException().isThrownBy(() -> FilterSize.of(0, 0.01))
                .withMessageEndingWith("expectedElements=0");
        assertThatIllegalArgumentException().isThrownBy(() -> FilterSize.of(10, 0.01).bytesPerRank(0))
                .withMessageEndingWith("ranks=0");
        assertThatIllegalArgumentException().isThrownBy(() -> new FilterSize(10, 0.01, 12, 13))
                .withMessageEndingWith("patternBits=13");
    }
}
