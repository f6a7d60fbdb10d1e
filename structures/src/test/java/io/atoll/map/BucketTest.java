package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BucketTest {

    @Test
    void theKeyFollowsTheStateAndTwoPlacesForTheValueFollowTheKey() {
        Bucket bucket = new Bucket(16, 24);
        assertThat(bucket.state).isZero();
        assertThat(bucket.key).isEqualTo(8);
        assertThat(bucket.value).isEqualTo(24);
        assertThat(bucket.place(Bucket.settled(Bucket.READY, 0))).isEqualTo(24);
        assertThat(bucket.place(Bucket.settled(Bucket.READY, 1))).isEqualTo(48);
        assertThat(bucket.place(Bucket.settled(Bucket.READY, 2))).isEqualTo(24);
    }

    @Test
    void aBucketTakesAPowerOfTwoOfBytesUpToACacheLineAndThenWholeLines() {
        assertThat(new Bucket(8, 8).size).isEqualTo(32);
        assertThat(new Bucket(8, 16).size).isEqualTo(64);
        assertThat(new Bucket(16, 16).size).isEqualTo(64);
        assertThat(new Bucket(8, 24).size).isEqualTo(64);
        assertThat(new Bucket(16, 24).size).isEqualTo(128);
        assertThat(new Bucket(32, 80).size).isEqualTo(256);
    }

    @Test
    void theBitsOfAStateAreKindOriginVersionRankAndIncarnation() {
        assertThat(Bucket.FREE).as("zeroed memory is an empty map").isZero();
        assertThat(Bucket.settled(Bucket.READY, 5)).isEqualTo(5 << 4 | 2);
        long reserved = Bucket.reserved(Bucket.settled(Bucket.TOMBSTONE, 0xABC_DEF0), 0x1234, 0x5678);
        assertThat(reserved).isEqualTo(0x5678_1234_ABCD_EF0DL);
        assertThat(Bucket.kind(reserved)).isEqualTo(Bucket.RESERVED);
        assertThat(Bucket.origin(reserved)).isEqualTo(Bucket.TOMBSTONE);
        assertThat(Bucket.version(reserved)).isEqualTo(0xABC_DEF0);
        assertThat(Bucket.rank(reserved)).isEqualTo(0x1234);
        assertThat(Bucket.incarnation(reserved)).isEqualTo(0x5678);
    }

    @Test
    void whatIsUndoneIsAsItWas() {
        for (long before : new long[]{Bucket.FREE, Bucket.settled(Bucket.READY, 7),
            Bucket.settled(Bucket.TOMBSTONE, 8)}) {
            long reserved = Bucket.reserved(before, 0xFFFF, 0xFFFF);
            assertThat(Bucket.undone(reserved)).isEqualTo(before);
            assertThat(Bucket.hasKey(reserved)).isEqualTo(Bucket.hasKey(before));
            assertThat(Bucket.isLiving(reserved)).isEqualTo(Bucket.isLiving(before));
        }
    }

    @Test
    void anAdditionReservesPublishesOrRemovesAnEntryOfAnyVersionButTheLast() {
        for (long version : new long[]{0, 7, (1 << 28) - 2}) {
            long ready = Bucket.settled(Bucket.READY, version);
            long reserved = ready + Bucket.reservation(0xFFFE, 0xFFFF);
            assertThat(Bucket.kind(reserved)).isEqualTo(Bucket.RESERVED);
            assertThat(Bucket.rank(reserved)).isEqualTo(0xFFFE);
            assertThat(Bucket.incarnation(reserved)).isEqualTo(0xFFFF);
            assertThat(Bucket.undone(reserved)).isEqualTo(ready);
            assertThat(Bucket.isLiving(reserved)).isTrue();
            assertThat(Bucket.isFoundBy(0xFFFE, 0xFFFF, reserved)).isTrue();
            assertThat(Bucket.isFoundBy(0xFFFE, 0xFFFE, reserved)).isFalse();
            assertThat(Bucket.isFoundBy(0xFFFE, 0xFFFF, Bucket.reserved(ready, 0xFFFE, 0xFFFF))).isFalse();
            assertThat(reserved + Bucket.publication(0xFFFE, 0xFFFF))
                    .isEqualTo(Bucket.settled(Bucket.READY, version + 1));
            assertThat(ready + Bucket.removal()).isEqualTo(Bucket.removed(ready));
        }
    }

    @Test
    void aKeyIsThereInReadyBucketsAndTombstonesAndAValueInReadyOnes() {
        assertThat(Bucket.hasKey(Bucket.FREE)).isFalse();
        assertThat(Bucket.hasKey(Bucket.settled(Bucket.READY, 0))).isTrue();
        assertThat(Bucket.hasKey(Bucket.settled(Bucket.TOMBSTONE, 1))).isTrue();
        assertThat(Bucket.isLiving(Bucket.settled(Bucket.READY, 0))).isTrue();
        assertThat(Bucket.isLiving(Bucket.settled(Bucket.TOMBSTONE, 1))).isFalse();
    }

    @Test
    void whatIsMovedHasAKeyAndNoValueAndWhatIsClosedHasNeither() {
        assertThat(Bucket.hasKey(Bucket.MOVED)).isTrue();
        assertThat(Bucket.isLiving(Bucket.MOVED)).isFalse();
        assertThat(Bucket.hasKey(Bucket.CLOSED)).isFalse();
        assertThat(Bucket.isFinal(Bucket.MOVED)).isTrue();
        assertThat(Bucket.isFinal(Bucket.CLOSED)).isTrue();
        assertThat(Bucket.isFinal(Bucket.FREE)).isFalse();
        assertThat(Bucket.isNameless(Bucket.reserved(Bucket.FREE, 1, 1))).isTrue();
        assertThat(Bucket.isNameless(Bucket.reserved(Bucket.NAMED, 1, 1))).isFalse();
    }

    @Test
    void aVersionBeginsAgainAfterItsLast() {
        long last = Bucket.settled(Bucket.READY, (1L << 28) - 1);
        long next = Bucket.settled(Bucket.READY, Bucket.version(last) + 1);
        assertThat(Bucket.version(next)).isZero();
        assertThat(next).isPositive().isLessThan(16);
        assertThat(new Bucket(8, 8).place(next)).as("the place beside").isNotEqualTo(new Bucket(8, 8).place(last));
    }
}
