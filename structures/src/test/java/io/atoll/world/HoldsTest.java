package io.atoll.world;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A batch that reserves many words finds a hold for nearly each of them. */
class HoldsTest {

    private static final int WORDS = 256;
    private static final int TABLES = 200;
    private static final long BLOCK = 12_345 * 64;

    private final Holds holds = new Holds(5);

    static LongStream bucketSizes() {
        return LongStream.iterate(16, bytes -> bytes <= 16 << 10, bytes -> 2 * bytes);
    }

    /** Returns how many of a table's words, chosen at random, have no hold of their own, on average. */
    private double collisions(long bucketBytes, int buckets) {
        var random = new SplittableRandom(buckets);
        return IntStream.range(0, TABLES)
                .map(table -> WORDS - (int) random.longs(0, buckets)
                        .distinct()
                        .limit(WORDS)
                        .mapToInt(index -> holds.of(3, BLOCK + index * bucketBytes))
                        .distinct()
                        .count())
                .average()
                .orElseThrow();
    }

    @ParameterizedTest
    @MethodSource("bucketSizes")
    void wordsOfBucketsRarelyShareAHoldWhateverTheirSize(long bucketBytes) {
        for (int buckets = 512; buckets <= 1 << 20; buckets *= 2) {
            assertThat(collisions(bucketBytes, buckets)).as("buckets=" + buckets).isLessThan(12);
        }
    }

    @ParameterizedTest
    @MethodSource("bucketSizes")
    void neighboursDoNotShareOne(long bucketBytes) {
        assertThat(LongStream.range(0, WORDS).map(index -> holds.of(3, BLOCK + index * bucketBytes)))
                .doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @MethodSource("bucketSizes")
    void ownersShareNone(long bucketBytes) {
        assertThat(LongStream.range(0, 1 << 14)
                .map(index -> holds.of(3, index * bucketBytes))
                .filter(hold -> hold < holds.of(3, 0) || hold >= holds.of(4, 0))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 64, 100, 1000})
    void allHoldsTakeNoMoreThanABoundOrAFewForEachOwner(int owners) {
        assertThat(new Holds(owners).count()).isBetween(owners << 10, Math.max(1 << 18, owners << 10) + Holds.SPARE);
    }

    @Test
    void aHoldIsTakenByOneThreadUntilItIsReleased() {
        int hold = holds.of(3, BLOCK);
        assertThat(holds.take(hold)).isTrue();
        assertThat(holds.take(hold)).isFalse();
        assertThat(holds.undoing(hold)).isNull();
        holds.release(hold);
        assertThat(holds.take(hold)).isTrue();
    }

    @Test
    void anUndoingThatLiesInAHoldKeepsThreadsOut() {
        int hold = holds.of(3, BLOCK);
        holds.take(hold);
        holds.put(holds.prepared(hold));
        assertThat(holds.undoing(hold)).isSameAs(holds.prepared(hold));
        assertThat(holds.take(hold)).isFalse();
    }

    @Test
    void aSpareHoldIsNoOwnersAndIsTakenOnce() {
        assertThat(IntStream.generate(holds::takeSpare).limit(Holds.SPARE)).doesNotHaveDuplicates()
                .allMatch(spare -> spare >= holds.of(5, 0));
        assertThat(holds.takeSpare()).isEqualTo(Holds.NONE);
    }
}
