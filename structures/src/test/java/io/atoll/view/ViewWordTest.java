package io.atoll.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ViewWordTest {

    @Test
    void theLayoutIsWhatOtherProcessesReadByNumber() {
        ViewWord word = new ViewWord(0xABC, 0x123, 0x45, ViewChange.remove(0x678, 0x9DEF));
        assertThat(word.toWord()).isEqualTo(0xABC1_2345_2678_9DEFL);
        assertThat(ViewWord.fromWord(word.toWord())).isEqualTo(word);
        assertThat(ViewChange.add(1, 2).toBits()).isEqualTo(0x1001_0002L);
    }

    @Test
    void ranksAndIncarnationsThatDoNotFitAreRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> ViewChange.add(4096, 1))
                .withMessage("a word has 12 bits for the rank and 16 for its incarnation: rank=4096 incarnation=1");
        assertThatIllegalArgumentException().isThrownBy(() -> ViewChange.remove(1, 65_536));
        assertThat(ViewChange.fromBits(ViewChange.add(4095, 65_535).toBits())).isEqualTo(ViewChange.add(4095, 65_535));
    }

    @Test
    void aWordServesEachViewOfItsPlaceInTheRing() {
        ViewWord word = new ViewWord(9, 9, 1, ViewChange.add(1, 1)); // of view 256 + n
        assertThat(word.of(256 + 7)).isEqualTo(word);
        assertThat(word.isBeyond(256 + 7)).isFalse();
        assertThat(word.of(2 * 256 + 7)).isEqualTo(new ViewWord(0, 0, 2, ViewChange.NONE));
        assertThat(word.isBeyond(7)).isTrue();
        assertThat(ViewWord.index(256 + 7)).isEqualTo(7);
    }

    @Test
    void generationsWrapAround() {
        long late = 256L * 256;
        ViewWord word = new ViewWord(9, 9, 255, ViewChange.add(1, 1));
        assertThat(word.of(late).accepted()).isZero();
        assertThat(word.of(late).generation()).isZero();
        assertThat(new ViewWord(9, 9, 0, ViewChange.add(1, 1)).isBeyond(late - 1)).isTrue();
    }

    @Test
    void anOwnerTakesPartInNoViewUpToTheOneThatItHasBegunWith() {
        for (long known : new long[]{1, 2, 255, 256, 300, 70_000}) {
            for (long view = Math.max(1, known - 200); view <= known + 200; view++) {
                ViewWord word = ViewWord.spent(ViewWord.index(view), known);
                assertThat(word.toWord()).isNotZero();
                assertThat(word.isBeyond(view)).as("view %d known %d", view, known).isEqualTo(view <= known);
                assertThat(word.of(view).accepted()).isZero();
            }
        }
    }

    @Test
    void ballotsGrowAndAreTheirRanks() {
        assertThat(IntStream.iterate(ViewWord.ballotAbove(0, 2), ballot -> ViewWord.ballotAbove(ballot, 2))
                .limit(3)).containsExactly(10, 18, 26);
        assertThat(ViewWord.ballotAbove(10, 3)).isEqualTo(11);
        assertThat(ViewWord.ballotAbove(11, 2)).isEqualTo(18);
        assertThat(ViewWord.ballotAbove(0, 0)).isEqualTo(8);
        assertThat(ViewWord.ballotAbove(8, 8)).isEqualTo(16);
    }
}
