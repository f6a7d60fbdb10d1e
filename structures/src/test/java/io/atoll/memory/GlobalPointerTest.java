package io.atoll.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GlobalPointerTest {

    private static final long LAST_OFFSET = (1L << 48) - 1;

    @ParameterizedTest
    @CsvSource({"0, 8", "1, 0", "3, 4096", "65535, 281474976710655", "32768, 8"})
    void aPointerIsOneWord(int rank, long offset) {
        long word = new GlobalPointer(rank, offset).toWord();
        assertThat(GlobalPointer.fromWord(word)).isEqualTo(new GlobalPointer(rank, offset));
        assertThat(GlobalPointer.rankOf(word)).isEqualTo(rank);
        assertThat(GlobalPointer.offsetOf(word)).isEqualTo(offset);
    }

    @Test
    void theRankIsInTheHighSixteenBits() {
        assertThat(new GlobalPointer(0x8001, 0x10).toWord()).isEqualTo(0x8001_0000_0000_0010L);
    }

    @Test
    void zeroedMemoryHoldsTheNullPointer() {
        assertThat(GlobalPointer.fromWord(0)).isSameAs(GlobalPointer.NULL);
        assertThat(GlobalPointer.NULL.isNull()).isTrue();
        assertThat(GlobalPointer.NULL.toWord()).isZero();
        assertThat(new GlobalPointer(1, 0).isNull()).isFalse();
    }

    @Test
    void aPointerMovesWithinItsSegment() {
        assertThat(new GlobalPointer(2, 64).plus(16)).isEqualTo(new GlobalPointer(2, 80));
        assertThatIllegalArgumentException().isThrownBy(() -> new GlobalPointer(2, LAST_OFFSET).plus(1));
    }

    @ParameterizedTest
    @CsvSource({"-1, 8", "65536, 8", "0, -8", "0, 281474976710656"})
    void whatDoesNotFitIntoAWordIsRefused(int rank, long offset) {
        assertThatIllegalArgumentException().isThrownBy(() -> new GlobalPointer(rank, offset))
                .withMessage("a pointer has 16 bits of rank and 48 of offset: rank=" + rank + " offset=" + offset);
    }
}
