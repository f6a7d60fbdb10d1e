package io.atoll.app.isx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class IntegerSortTest {

    private static final long HALF = Keys.RANGE / 2;

    @Test
    void bucketsFollowEachOther() {
        assertThat(Keys.bucket(0, 2)).isZero();
        assertThat(Keys.bucket(HALF - 1, 2)).isZero();
        assertThat(Keys.bucket(HALF, 2)).isOne();
        assertThat(Keys.bucket(Keys.RANGE - 1, 1_024)).isEqualTo(1_023);
    }

    @Test
    void whatIsNotSortedOrNotTheRanksIsNoticed() {
        Verification second = new Verification(new Keys(3, 2), 1);
        assertThatCode(() -> second.requireSorted(new long[]{HALF, HALF, HALF + 1}))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> second.requireSorted(new long[]{HALF + 1, HALF}))
                .hasMessageEndingWith("rank=1 index=1 key=" + HALF);
        assertThatThrownBy(() -> second.requireSorted(new long[]{HALF - 1, HALF}))
                .hasMessageEndingWith("index=0 key=" + (HALF - 1));
    }

    @Test
    void aKeyThatIsLostOrReplacedIsNoticedByTheChecksum() {
        long whole = Verification.checksum(new long[]{1, 2, 3});
        assertThat(Verification.checksum(new long[]{3, 1, 2})).isEqualTo(whole);
        assertThat(Verification.checksum(new long[]{1, 2})).isNotEqualTo(whole);
        assertThat(Verification.checksum(new long[]{2, 2, 2})).isNotEqualTo(whole);
    }
}
