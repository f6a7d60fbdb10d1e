package io.atoll.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.atoll.memory.WorldIdentity;
import org.junit.jupiter.api.Test;

class RingReferenceTest {

    private static final long MOST_BYTES = 512L << 30;

    @Test
    void aWordHasTheRankItsSegmentAndThePlaceThere() {
        assertThat(new RingReference(2, 3, 4 * 8).toWord()).isEqualTo(0x002_0003_000000004L);
        var largest = new RingReference(WorldIdentity.MOST_RANKS - 1, (1 << 16) - 1, MOST_BYTES - 8);
        assertThat(largest.toWord()).isEqualTo(-1);
        assertThat(RingReference.fromWord(largest.toWord())).isEqualTo(largest);
        assertThat(RingReference.fromWord(new RingReference(0, 0, 64).toWord())).isEqualTo(new RingReference(0, 0, 64));
        assertThat(RingReference.fromWord(new RingReference(7, 65, 1 << 20).toWord()))
                .isEqualTo(new RingReference(7, 65, 1 << 20));
    }

    @Test
    void aPlaceThatHasNoReferenceIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> new RingReference(1, 1, MOST_BYTES))
                .withMessageEndingWith("host=1 offset=" + MOST_BYTES);
        assertThatIllegalArgumentException().isThrownBy(() -> new RingReference(1, 1, 12));
    }
}
