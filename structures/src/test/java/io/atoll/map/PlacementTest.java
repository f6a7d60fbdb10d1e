package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.codec.FixedHash;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class PlacementTest {

    @Test
    void probingReachesEachBucketOfABlockOnceWhateverTheGroup() {
        for (long buckets = 8; buckets <= 128; buckets *= 2) {
            Placement placement = new Placement(3, buckets);
            for (int group = 1; group <= 8; group *= 2) {
                for (long home = 0; home < buckets; home++) {
                    long first = home;
                    int width = group;
                    assertThat(LongStream.range(0, buckets).map(steps -> placement.bucket(first, steps, width)))
                            .startsWith(home)
                            .hasSize((int) buckets)
                            .doesNotHaveDuplicates()
                            .allSatisfy(bucket -> assertThat(bucket).isBetween(0L, placement.buckets() - 1));
                }
            }
        }
    }

    @Test
    void probingStaysInAGroupUntilAllOfItWasSeenAndGoesOnAtTheBlocksBegin() {
        Placement placement = new Placement(1, 16);
        assertThat(LongStream.range(0, 9).map(steps -> placement.bucket(14, steps, 4)))
                .containsExactly(14L, 15L, 12L, 13L, 2L, 3L, 0L, 1L, 6L);
    }

    @Test
    void everyRankHasItsShare() {
        for (int ranks : new int[]{1, 2, 3, 7, 16}) {
            Placement placement = new Placement(ranks, 1024);
            long[] keys = new long[ranks];
            LongStream.range(0, 1_000L * ranks).forEach(key -> keys[placement.owner(FixedHash.of(key))]++);
            for (long share : keys) {
                assertThat(share).as("ranks=" + ranks).isBetween(850L, 1_150L);
            }
        }
    }

    @Test
    void aBlockHasRoomForItsShareAtThreeQuartersOfItsBuckets() {
        for (long capacity : new long[]{1, 2, 10, 1_000, 65_536, 1_000_000, 1_000_000_000}) {
            for (int ranks : new int[]{1, 3, 16}) {
                long buckets = Placement.forCapacity(ranks, capacity).buckets();
                assertThat(buckets).isGreaterThanOrEqualTo(8).matches(number -> Long.bitCount(number) == 1);
                assertThat(buckets * 3 / 4 * ranks).as("capacity=" + capacity).isGreaterThanOrEqualTo(capacity);
            }
        }
    }

    @Test
    void aCapacityThatNoMapCanHaveIsRefused() {
        for (long capacity : new long[]{0, -1, Long.MIN_VALUE, (1L << 39) + 1, Long.MAX_VALUE}) {
            assertThatThrownBy(() -> Placement.forCapacity(2, capacity)).isInstanceOf(IllegalArgumentException.class)
                    .hasMessageEndingWith("capacity=" + capacity);
        }
        assertThat(Placement.forCapacity(1, 1L << 39).buckets()).isEqualTo(1L << 40);
    }

    @Test
    void aNumberOfBucketsThatIsNoPowerOfTwoIsRefused() {
        assertThatThrownBy(() -> new Placement(2, 12)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith("buckets=12");
    }
}
