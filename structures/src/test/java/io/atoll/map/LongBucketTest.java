package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LongBucketTest {

    @Test
    void fourBucketsOfTwoWordsFillACacheLine() {
        assertThat(LongBucket.VALUE).isZero();
        assertThat(LongBucket.KEY).isEqualTo(8);
        assertThat(LongBucket.SIZE).isEqualTo(16);
    }

    @Test
    void zeroedMemoryIsFree() {
        assertThat(LongBucket.FREE).isZero();
        assertThat(LongBucket.hasKey(LongBucket.FREE)).isFalse();
        assertThat(LongBucket.isPresent(LongBucket.FREE)).isFalse();
        assertThat(LongBucket.isReserved(LongBucket.FREE)).isFalse();
    }

    @Test
    void aReservationTellsRankAndIncarnation() {
        assertThat(LongBucket.reserved(0x1234, 0x5678)).isEqualTo(0x0000_5678_1234_0001L);
        long largest = LongBucket.reserved(0xFFFF, 0xFFFF);
        assertThat(LongBucket.isReserved(largest)).isTrue();
        assertThat(LongBucket.hasKey(largest)).isFalse();
        assertThat(LongBucket.rank(largest)).isEqualTo(0xFFFF);
        assertThat(LongBucket.incarnation(largest)).isEqualTo(0xFFFF);
        assertThat(LongBucket.isReserved(LongBucket.VOID)).isFalse();
        assertThat(LongBucket.hasKey(LongBucket.VOID)).isFalse();
    }

    @Test
    void whatIsFinalIsNeitherPresentNorFree() {
        for (long word : new long[]{LongBucket.VOID, LongBucket.CLOSED, LongBucket.MOVED}) {
            assertThat(LongBucket.isFinal(word)).isTrue();
            assertThat(LongBucket.isPresent(word)).isFalse();
            assertThat(LongBucket.isReserved(word)).isFalse();
        }
        for (long word : new long[]{LongBucket.FREE, LongBucket.ABSENT, LongBucket.present(0),
            LongBucket.reserved(1, 1)}) {
            assertThat(LongBucket.isFinal(word)).isFalse();
        }
        assertThat(LongBucket.hasKey(LongBucket.MOVED)).isTrue();
        assertThat(LongBucket.hasKey(LongBucket.CLOSED)).isFalse();
    }

    @Test
    void theFirstBitsTellPresentFromAbsent() {
        assertThat(LongBucket.present(0)).isEqualTo(0b11L << 62);
        assertThat(LongBucket.ABSENT).isEqualTo(0b011L << 61);
        for (long value : new long[]{0, 1, -1, LongBucket.SMALLEST_VALUE, LongBucket.LARGEST_VALUE}) {
            long word = LongBucket.present(value);
            assertThat(LongBucket.isPresent(word)).as("value=" + value).isTrue();
            assertThat(LongBucket.hasKey(word)).isTrue();
            assertThat(LongBucket.value(word)).isEqualTo(value);
        }
        assertThat(LongBucket.hasKey(LongBucket.ABSENT)).isTrue();
        assertThat(LongBucket.isPresent(LongBucket.ABSENT)).isFalse();
        assertThat(LongBucket.isReserved(LongBucket.ABSENT)).isFalse();
    }

    @Test
    void theLargestAdditionsOfThousandsOfThreadsChangeNoKind() {
        long strays = 8_191 * LongBucket.LARGEST_DELTA;
        for (long delta : new long[]{strays, -strays}) {
            assertThat(LongBucket.isPresent(LongBucket.ABSENT + delta)).isFalse();
            assertThat(LongBucket.hasKey(LongBucket.ABSENT + delta)).isTrue();
            assertThat(LongBucket.isMoved(LongBucket.ABSENT + delta)).isFalse();
            assertThat(LongBucket.isMoved(LongBucket.MOVED + delta)).isTrue();
            assertThat(LongBucket.isPresent(LongBucket.MOVED + delta)).isFalse();
            assertThat(LongBucket.isReserved(LongBucket.MOVED + delta)).isFalse();
            assertThat(LongBucket.isPresent(LongBucket.present(LongBucket.LARGEST_VALUE) + strays)).isTrue();
            assertThat(LongBucket.isPresent(LongBucket.present(LongBucket.SMALLEST_VALUE) - strays)).isTrue();
        }
    }
}
