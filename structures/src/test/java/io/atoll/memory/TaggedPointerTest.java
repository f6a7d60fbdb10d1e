package io.atoll.memory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TaggedPointerTest {

    private static final long LAST_OFFSET = ((1L << 32) - 1) * TaggedPointer.UNIT;

    @Test
    void theTagTakesTheBitsThatNoPointerToAUnitInTheFirst256GibibytesHas() {
        assertThat(TaggedPointer.TAG).isEqualTo(0x0000_FFC0_0000_003FL);
        assertThat(new GlobalPointer(0xFFFF, LAST_OFFSET).toWord()).isEqualTo(~TaggedPointer.TAG);
        assertThat(new GlobalPointer(0xFFFF, LAST_OFFSET + TaggedPointer.UNIT).toWord() & TaggedPointer.TAG)
                .isNotZero();
    }

    @Test
    void andWhereTheRankIsKnownThoseOfTheRank() {
        assertThat(TaggedPointer.LOCAL_TAG).isEqualTo(0xFFFF_FFC0_0000_003FL);
        assertThat(new GlobalPointer(0, LAST_OFFSET).toWord()).isEqualTo(~TaggedPointer.LOCAL_TAG);
    }

    @ParameterizedTest
    @ValueSource(longs = {TaggedPointer.TAG, TaggedPointer.LOCAL_TAG})
    void theTagCountsSwingsWhateverThePointer(long tag) {
        long word = 0;
        for (int swing = 1; swing <= 200_000; swing++) {
            long pointer = new GlobalPointer(0, swing % 1_000L * TaggedPointer.UNIT).toWord();
            word = pointer | TaggedPointer.next(word, tag);
            assertThat(TaggedPointer.number(word, tag)).isEqualTo(swing % (1L << Long.bitCount(tag)));
            assertThat(word & ~tag).isEqualTo(pointer);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {TaggedPointer.TAG, TaggedPointer.LOCAL_TAG})
    void theTagComesRoundAfterAllItsNumbers(long tag) {
        assertThat(TaggedPointer.number(tag, tag)).isEqualTo((int) ((1L << Long.bitCount(tag)) - 1));
        assertThat(TaggedPointer.next(-1, tag)).isZero();
    }
}
