package io.atoll.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TaggedPointerTest {

    private static final long LAST_OFFSET = ((1L << 32) - 1) * TaggedPointer.UNIT;

    @ParameterizedTest
    @CsvSource({"0, 64, 0", "1, 0, 65535", "65535, 274877906880, 65535", "32768, 128, 1"})
    void rankOffsetAndTagAreOneWord(int rank, long offset, int tag) {
        long word = TaggedPointer.of(rank, offset, tag);
        assertThat(TaggedPointer.rank(word)).isEqualTo(rank);
        assertThat(TaggedPointer.offset(word)).isEqualTo(offset);
        assertThat(TaggedPointer.tag(word)).isEqualTo(tag);
    }

    @Test
    void theTagIsInTheLowSixteenBits() {
        assertThat(TaggedPointer.of(0x8001, 0x1000, 0xABCD)).isEqualTo(0x8001_0000_0040_ABCDL);
    }

    @Test
    void everySwingHasTheNextTag() {
        long word = TaggedPointer.of(1, 64, 7);
        assertThat(TaggedPointer.next(word, 2, 128)).isEqualTo(TaggedPointer.of(2, 128, 8));
    }

    @Test
    void theTagWrapsWithoutTouchingThePointer() {
        long word = TaggedPointer.of(3, LAST_OFFSET, 0xFFFF);
        assertThat(TaggedPointer.next(word, 3, LAST_OFFSET)).isEqualTo(TaggedPointer.of(3, LAST_OFFSET, 0));
    }

    @Test
    void nullHasATagToo() {
        assertThat(TaggedPointer.isNull(0)).isTrue();
        assertThat(TaggedPointer.isNull(TaggedPointer.of(0, 0, 9))).isTrue();
        assertThat(TaggedPointer.isNull(TaggedPointer.of(0, 64, 0))).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"-1, 64", "65536, 64", "0, -64", "0, 32", "0, 274877906944"})
    void whatDoesNotFitIntoAWordIsRefused(int rank, long offset) {
        assertThatIllegalArgumentException().isThrownBy(() -> TaggedPointer.of(rank, offset, 0))
                .withMessage("a tagged pointer has 16 bits of rank and 32 of offset in units of 64: rank=" + rank
                        + " offset=" + offset);
    }
}
