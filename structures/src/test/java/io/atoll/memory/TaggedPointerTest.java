package io.atoll.memory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TaggedPointerTest {

    private static final long LAST_OFFSET = ((1L << 32) - 1) * TaggedPointer.UNIT;
    private static final GlobalPointer LAST = new GlobalPointer(0xFFFF, LAST_OFFSET);

    @Test
    void theRankIsAboveTheUnitsAndTheTagBelow() {
        long word = TaggedPointer.untagged(new GlobalPointer(0xABCD, 0x1234 * TaggedPointer.UNIT).toWord());
        assertThat(word).isEqualTo(0xABCD_0000_1234_0000L);
        assertThat(TaggedPointer.next(word, 0x5677)).isEqualTo(0xABCD_0000_1234_5678L);
        assertThat(TaggedPointer.untagged(LAST.toWord())).isEqualTo(0xFFFF_FFFF_FFFF_0000L);
    }

    @Test
    void everyUnitInTheFirst256GibibytesIsReachedAndNothingElse() {
        assertThat(TaggedPointer.reaches(0)).isTrue();
        assertThat(TaggedPointer.reaches(LAST.toWord())).isTrue();
        assertThat(TaggedPointer.reaches(LAST.plus(TaggedPointer.UNIT).toWord())).isFalse();
        for (long within = 1; within < TaggedPointer.UNIT; within++) {
            assertThat(TaggedPointer.reaches(new GlobalPointer(1, within).toWord())).isFalse();
        }
    }

    @Test
    void theTagCountsSwingsWhateverThePointer() {
        long word = 0;
        for (int swing = 1; swing <= 200_000; swing++) {
            long pointer = new GlobalPointer(swing & 0xFFFF, swing % 1_000L * TaggedPointer.UNIT).toWord();
            word = TaggedPointer.next(TaggedPointer.untagged(pointer), word);
            assertThat(TaggedPointer.tag(word)).isEqualTo(swing % (1 << 16));
            assertThat(TaggedPointer.pointer(word)).isEqualTo(pointer);
            assertThat(TaggedPointer.withoutTag(word)).isEqualTo(TaggedPointer.untagged(pointer));
        }
    }

    @Test
    void theTagComesRoundAndChangesNothingElse() {
        long last = TaggedPointer.untagged(LAST.toWord());
        assertThat(TaggedPointer.next(last, -1)).isEqualTo(last);
    }
}
