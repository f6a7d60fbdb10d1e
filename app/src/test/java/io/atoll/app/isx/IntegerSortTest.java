package io.atoll.app.isx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class IntegerSortTest {

    private static final long HALF = IntegerSort.RANGE / 2;

    @Test
    void bucketsFollowEachOther() {
        assertThat(IntegerSort.bucket(0, 2)).isZero();
        assertThat(IntegerSort.bucket(HALF - 1, 2)).isZero();
        assertThat(IntegerSort.bucket(HALF, 2)).isOne();
        assertThat(IntegerSort.bucket(IntegerSort.RANGE - 1, 1_024)).isEqualTo(1_023);
    }

    @Test
    void whatIsNotSortedOrNotTheRanksIsNoticed() {
        assertThatCode(() -> IntegerSort.requireSorted(new long[]{HALF, HALF, HALF + 1}, 1, 2))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> IntegerSort.requireSorted(new long[]{HALF + 1, HALF}, 1, 2))
                .hasMessageEndingWith("rank=1 index=1 key=" + HALF);
        assertThatThrownBy(() -> IntegerSort.requireSorted(new long[]{HALF - 1, HALF}, 1, 2))
                .hasMessageEndingWith("index=0 key=" + (HALF - 1));
    }

    @Test
    void aKeyThatIsLostOrReplacedIsNoticedByTheChecksum() {
        long whole = IntegerSort.checksum(new long[]{1, 2, 3});
        assertThat(IntegerSort.checksum(new long[]{3, 1, 2})).isEqualTo(whole);
        assertThat(IntegerSort.checksum(new long[]{1, 2})).isNotEqualTo(whole);
        assertThat(IntegerSort.checksum(new long[]{2, 2, 2})).isNotEqualTo(whole);
    }
}
