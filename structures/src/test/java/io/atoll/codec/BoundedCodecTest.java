package io.atoll.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

class BoundedCodecTest {

    private static final Codec<String> TEXTS = VariableCodecs.bounded(VariableCodecs.forType(String.class), 12);

    private static MemorySegment dirty() {
        MemorySegment words = MemorySegment.ofArray(new long[6]);
        return words.fill((byte) 0xFF);
    }

    @Test
    void textsOfAnyLengthUpToTheLargestAreStored() {
        MemorySegment words = dirty();
        for (String text : new String[]{"", "a", "eight or", "twelve bytes"}) {
            TEXTS.encode(text, words, 8);
            assertThat(TEXTS.decode(words, 8)).isEqualTo(text);
        }
    }

    @Test
    void everyWordIsWrittenAndNoneBeside() {
        MemorySegment words = dirty();
        TEXTS.encode("a", words, 8);
        assertThat(TEXTS.bytes()).isEqualTo(24);
        assertThat(words.toArray(ValueLayout.JAVA_LONG)).containsExactly(-1, 1, 'a', 0, -1, -1);
    }

    @Test
    void whatIsLargerIsRefusedAndNothingIsWritten() {
        MemorySegment words = dirty();
        assertThatThrownBy(() -> TEXTS.encode("thirteen byte", words, 0)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith("largestBytes=12 bytes=13");
        assertThat(words.toArray(ValueLayout.JAVA_LONG)).containsOnly(-1);
    }

    @Test
    void bytesThatAreNoValueAreRefused() {
        assertThatThrownBy(() -> TEXTS.decode(dirty(), 0)).hasMessageEndingWith("largestBytes=12 bytes=-1");
        assertThatThrownBy(() -> VariableCodecs.bounded(VariableCodecs.forType(String.class), 0))
                .hasMessageEndingWith("largestBytes=0");
    }

    @Test
    void codecsOfDifferentSizesHaveDifferentNames() {
        assertThat(TEXTS.name()).isNotEqualTo(VariableCodecs.bounded(VariableCodecs.forType(String.class), 13).name());
    }
}
