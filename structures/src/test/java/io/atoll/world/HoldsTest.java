package io.atoll.world;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A batch that reserves many words finds a hold for nearly each of them. */
class HoldsTest {

    private static final int WORDS = 64;
    private static final int TABLES = 200;
    private static final long BLOCK = 12_345 * 64;

    static LongStream bucketSizes() {
        return LongStream.iterate(16, bytes -> bytes <= 16 << 10, bytes -> 2 * bytes);
    }

    /** Returns how many of a table's words, chosen at random, have no hold of their own, on average. */
    private static double collisions(long bucketBytes, int buckets) {
        var random = new SplittableRandom(buckets);
        return IntStream.range(0, TABLES)
                .map(table -> WORDS - (int) random.longs(0, buckets)
                        .distinct()
                        .limit(WORDS)
                        .mapToInt(index -> Reservations.holdOf(3, BLOCK + index * bucketBytes))
                        .distinct()
                        .count())
                .average()
                .orElseThrow();
    }

    @ParameterizedTest
    @MethodSource("bucketSizes")
    void wordsOfBucketsRarelyShareAHoldWhateverTheirSize(long bucketBytes) {
        for (int buckets = 128; buckets <= 1 << 20; buckets *= 2) {
            assertThat(collisions(bucketBytes, buckets)).as("buckets=" + buckets).isLessThan(4);
        }
    }

    @ParameterizedTest
    @MethodSource("bucketSizes")
    void neighboursDoNotShareOne(long bucketBytes) {
        assertThat(LongStream.range(0, WORDS).map(index -> Reservations.holdOf(3, BLOCK + index * bucketBytes)))
                .doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @MethodSource("bucketSizes")
    void ownersShareNone(long bucketBytes) {
        assertThat(LongStream.range(0, 1 << 12)
                .map(index -> Reservations.holdOf(3, index * bucketBytes))
                .filter(hold -> hold < Reservations.holdOf(3, 0) || hold >= Reservations.holdOf(4, 0))).isEmpty();
    }
}
