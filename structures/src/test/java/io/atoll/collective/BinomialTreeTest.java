package io.atoll.collective;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BinomialTreeTest {

    @Test
    void theTreeOfEightIsThatOfThePaper() {
        assertThat(BinomialTree.bitsToChildren(0, 8)).containsExactly(2, 1, 0);
        assertThat(BinomialTree.bitsToChildren(4, 8)).containsExactly(1, 0);
        assertThat(BinomialTree.bitsToChildren(6, 8)).containsExactly(0);
        assertThat(BinomialTree.bitsToChildren(2, 8)).containsExactly(0);
        assertThat(BinomialTree.bitsToChildren(7, 8)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 17, 100, 1_000})
    void everyPositionButTheRootIsReachedOnceOverBitsThatFall(int members) {
        BitSet reached = new BitSet();
        for (int shifted = 0; shifted < members; shifted++) {
            for (int bit : BinomialTree.bitsToChildren(shifted, members)) {
                int child = shifted + (1 << bit);
                assertThat(reached.get(child)).isFalse();
                reached.set(child);
                assertThat(BinomialTree.parent(child)).isEqualTo(shifted);
                assertThat(BinomialTree.bitToParent(child)).isEqualTo(bit);
                assertThat(shifted == 0 || bit < BinomialTree.bitToParent(shifted)).isTrue();
            }
        }
        assertThat(reached.cardinality()).isEqualTo(members - 1);
        assertThat(reached.get(0)).isFalse();
    }

    @Test
    void thereAreAsManyRoundsAsPositionsHaveBits() {
        assertThat(BinomialTree.rounds(1)).isZero();
        assertThat(BinomialTree.rounds(2)).isEqualTo(1);
        assertThat(BinomialTree.rounds(5)).isEqualTo(3);
        assertThat(BinomialTree.rounds(8)).isEqualTo(3);
        assertThat(BinomialTree.rounds(65_536)).isEqualTo(16);
    }
}
