package io.atoll.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.atoll.codec.FixedHash;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FilterBlocksTest {

    private static final int SAMPLES = 64_000;

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(ints = {1, 5, 7, 12})
    void aPatternHasThatManyDifferentBits(int bits) {
        assertThat(hashes()).allMatch(hash -> Long.bitCount(FilterBlocks.pattern(hash, bits)) == bits);
    }

    private static LongStream hashes() {
        return LongStream.range(0, SAMPLES).map(FixedHash::of);
    }

    /** Each bit is in a share of bits / 64 of the patterns. The standard deviation of its count is at most 82. */
    @ParameterizedTest
    @ValueSource(ints = {1, 5, 7, 12})
    void everyBitIsInAsManyPatterns(int bits) {
        assertThat(IntStream.range(0, 64)
                .mapToLong(bit -> hashes().filter(hash -> (FilterBlocks.pattern(hash, bits) >>> bit & 1) == 1).count()))
                .allSatisfy(count -> assertThat(count).isCloseTo(1_000L * bits, within(5 * 82L)));
    }

    /** Pairs of bits occur together as often as by chance: the first bit does not choose the second. */
    @Test
    void everyPairOfBitsIsInAsManyPatterns() {
        int[] pairs = new int[64 * 64];
        hashes().map(hash -> FilterBlocks.pattern(hash, 2))
                .forEach(pattern -> pairs[Long.numberOfTrailingZeros(pattern) * 64 + 63
                        - Long.numberOfLeadingZeros(pattern)]++);
        double expected = SAMPLES / (64 * 63 / 2.0);
        double chiSquared = IntStream.of(pairs)
                .filter(count -> count > 0)
                .mapToDouble(count -> count * count / expected)
                .sum() - SAMPLES;
        // 2015 degrees of freedom, standard deviation 63.5.
        assertThat(chiSquared).isCloseTo(2015, within(5 * 63.5));
    }

    @Test
    void elementsOfOneWordHavePatternsOfAllKinds() {
        // The high bits choose the word, so these hashes all choose the first one.
        long different = LongStream.range(0, SAMPLES).map(low -> FilterBlocks.pattern(low, 5)).distinct().count();
        // There are 7.6 million patterns. Drawn at random, 64,000 hit 63,733 different ones on average.
        assertThat(different).isBetween(63_600L, 63_860L);
    }

    @Test
    void elementsReachEveryBitOfEveryRank() {
        FilterSize size = new FilterSize(1, 0.01, 3 * 512, 1); // three ranks with a line each
        try (Ranks ranks = new Ranks(folder, 3, size)) {
            FilterBlocks blocks = ranks.blocks(1);
            hashes().forEach(blocks::add);
            assertThat(new WholeFilter(blocks).occupancy())
                    .isEqualTo(new Occupancy(3 * 512, 3 * 512, 1, Double.POSITIVE_INFINITY));
        }
    }

    @Test
    void anEmptyFilterContainsNothing() {
        try (Ranks ranks = new Ranks(folder, 2, FilterSize.of(1_000, 0.01))) {
            FilterBlocks blocks = ranks.blocks(0);
            assertThat(hashes()).noneMatch(blocks::mightContain);
            assertThat(new WholeFilter(blocks).occupancy().falsePositiveRate()).isZero();
            assertThat(new WholeFilter(blocks).occupancy().elements()).isZero();
            assertThat(new WholeFilter(blocks).occupancy().fill()).isZero();
        }
    }

    @Test
    void whatOneRankAddsAllRanksFind() {
        try (Ranks ranks = new Ranks(folder, 3, FilterSize.of(1_000, 0.000_001))) {
            assertThat(ranks.blocks(0).add(42)).isTrue();
            for (int rank = 0; rank < 3; rank++) {
                assertThat(ranks.blocks(rank).mightContain(42)).isTrue();
                assertThat(ranks.blocks(rank).add(42)).isFalse();
                assertThat(ranks.blocks(rank).mightContain(43L << 32)).isFalse();
            }
        }
    }

    @Test
    void theOccupancyIsThatOfTheBitsCountedOneByOne() {
        SplittableRandom random = new SplittableRandom(7);
        // needs more than one read for each rank
        try (Ranks ranks = new Ranks(folder, 2, FilterSize.of(30_000, 0.01))) {
            FilterBlocks blocks = ranks.blocks(0);
            long[] added = random.longs(15_000).toArray();
            for (long hash : added) {
                blocks.add(hash);
            }
            Occupancy occupancy = new WholeFilter(blocks).occupancy();
            assertThat(occupancy.bits()).isEqualTo(FilterSize.of(30_000, 0.01).bytes(2) * 8);
            assertThat(occupancy.setBits()).isEqualTo(ranks.setBits());
            assertThat(occupancy.elements()).isCloseTo(15_000, within(300.0));
            assertThat(occupancy.fill()).isEqualTo((double) ranks.setBits() / occupancy.bits());
        }
    }
}
