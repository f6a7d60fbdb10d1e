package io.atoll.heap;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SlabWordTest {

    @Test
    void theLayoutIsPinned() {
        assertThat(SlabWord.free(0x1234)).isEqualTo(0x0100_1234_0000_0000L);
        assertThat(SlabWord.pending(0x1234, 0x5678, 0x9ABC)).isEqualTo(0x0200_1234_5678_9ABCL);
        assertThat(SlabWord.owned(SlabWord.pending(0x1234, 0x5678, 0x9ABC))).isEqualTo(0x0300_1234_5678_9ABCL);
        long announced = SlabWord.announced(SlabWord.pending(0x1234, 0x5678, 0x9ABC));
        assertThat(announced).isEqualTo(0x0201_1234_5678_9ABCL);
        assertThat(SlabWord.isAnnounced(announced)).isTrue();
        assertThat(SlabWord.owned(announced)).isEqualTo(0x0300_1234_5678_9ABCL);
        long retired = SlabWord.retired(SlabWord.owned(announced), 0x7_9ABC_DEF0L);
        assertThat(retired).isEqualTo(0x0302_1234_9ABC_DEF0L);
        assertThat(SlabWord.isRetired(retired)).isTrue();
        assertThat(SlabWord.isRetired(SlabWord.owned(announced))).isFalse();
        assertThat(SlabWord.joined(0x1234, 0x5678, 0x9ABC)).isEqualTo(0x0400_1234_5678_9ABCL);
        assertThat(SlabWord.held(0x2A, 0x5678, 0x9ABC)).isEqualTo(0x052A_0001_5678_9ABCL);
        assertThat(SlabWord.full(0x2A)).isEqualTo(0x062A_0001_0000_0000L);
        assertThat(SlabWord.room(0x2A)).isEqualTo(0x072A_0001_0000_0000L);
    }

    @Test
    void aRetiredRunSaysHowManyEpochsItHasWaitedAlsoWhenTheirLowBitsHaveWrapped() {
        long retired = SlabWord.retired(SlabWord.pending(1, 2, 3), 0xFFFF_FFFFL);
        assertThat(SlabWord.waited(retired, 0x1_0000_0001L)).isEqualTo(2);
        assertThat(SlabWord.waited(retired, 0xFFFF_FFFEL)).isEqualTo(-1);
    }

    @Test
    void everyPartComesBackAtItsLargest() {
        long word = SlabWord.pending(0xFFFF, 0xFFFF, 0xFFFF);

        assertThat(SlabWord.state(word)).isEqualTo(SlabWord.PENDING);
        assertThat(SlabWord.sizeClass(word)).isZero();
        assertThat(SlabWord.length(word)).isEqualTo(0xFFFF);
        assertThat(SlabWord.rank(word)).isEqualTo(0xFFFF);
        assertThat(SlabWord.incarnation(word)).isEqualTo(0xFFFF);
        assertThat(SlabWord.sizeClass(SlabWord.held(63, 0, 1))).isEqualTo(63);
    }

    @Test
    void whatAnEarlierIncarnationHoldsIsOfALaterOneToo() {
        for (long word : new long[]{SlabWord.pending(1, 3, 7), SlabWord.joined(1, 3, 7)}) {
            assertThat(SlabWord.isUnfinishedBy(word, 3, 7)).isTrue();
            assertThat(SlabWord.isUnfinishedBy(word, 3, 8)).isTrue();
            assertThat(SlabWord.isUnfinishedBy(word, 3, 6)).isFalse();
            assertThat(SlabWord.isUnfinishedBy(word, 2, 7)).isFalse();
            assertThat(SlabWord.isHeldBy(word, 3, 7)).isFalse();
        }
        assertThat(SlabWord.isHeldBy(SlabWord.held(5, 3, 7), 3, 8)).isTrue();
        assertThat(SlabWord.isUnfinishedBy(SlabWord.held(5, 3, 7), 3, 8)).isFalse();
        assertThat(SlabWord.isUnfinishedBy(SlabWord.owned(SlabWord.pending(1, 3, 7)), 3, 7)).isFalse();
    }
}
