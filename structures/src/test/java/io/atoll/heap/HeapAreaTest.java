package io.atoll.heap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class HeapAreaTest {

    @Test
    void theLayoutIsPinned() {
        HeapArea area = new HeapArea(4096, 4096 + (1 << 20));

        assertThat(area.slabBytes()).isEqualTo(4096);
        assertThat(area.slabs()).isEqualTo(255);
        assertThat(area.hintOffset(0)).isEqualTo(4096);
        assertThat(area.hintOffset(63)).isEqualTo(4096 + 504);
        assertThat(area.wordOffset(0)).isEqualTo(4096 + 512);
        assertThat(area.wordOffset(254)).isEqualTo(4096 + 512 + 254 * 8);
        assertThat(area.slabOffset(0)).isEqualTo(8192);
        assertThat(area.slabOffset(255)).isEqualTo(4096 + (1 << 20));
    }

    @Test
    void slabsGrowWithTheHeapAndTheTableStaysSmall() {
        for (int exponent = 14; exponent <= 38; exponent++) {
            HeapArea area = new HeapArea(320, 320 + (1L << exponent));

            assertThat(Long.bitCount(area.slabBytes())).isOne();
            assertThat(area.slabs()).isPositive().isLessThanOrEqualTo(HeapArea.MAXIMUM_SLABS);
            assertThat(area.wordOffset(area.slabs())).isLessThanOrEqualTo(area.slabOffset(0));
            assertThat(area.slabOffset(0) % 4096).isZero();
            assertThat(area.slabOffset(area.slabs())).isLessThanOrEqualTo(320 + (1L << exponent));
            assertThat((1L << exponent) - area.slabs() * area.slabBytes())
                    .isLessThanOrEqualTo((1L << exponent) / 100 + 2 * area.slabBytes());
        }
    }

    @Test
    void slabsHaveTheSizeThatSuitsTheHeap() {
        assertThat(new HeapArea(64, 1 << 20).slabBytes()).isEqualTo(4 << 10);
        assertThat(new HeapArea(64, 64 << 20).slabBytes()).isEqualTo(8 << 10);
        assertThat(new HeapArea(64, 1L << 30).slabBytes()).isEqualTo(64 << 10);
        assertThat(new HeapArea(64, 1L << 38).slabBytes()).isEqualTo(4 << 20);
    }

    @Test
    void anOffsetLiesInOneSlab() {
        HeapArea area = new HeapArea(4096, 4096 + (1 << 20));

        assertThat(area.slabAt(8192)).isZero();
        assertThat(area.slabAt(8192 + 4095)).isZero();
        assertThat(area.slabAt(8192 + 4096)).isOne();
        assertThat(area.slabAt(4096 + (1 << 20) - 1)).isEqualTo(254);
        assertThatThrownBy(() -> area.slabAt(8191)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("offset=8191");
        assertThatThrownBy(() -> area.slabAt(4096 + (1 << 20))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void tooLittleRoomOrACrookedBaseIsRefused() {
        assertThatThrownBy(() -> new HeapArea(64, 4096)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith("base=64 end=4096");
        assertThatThrownBy(() -> new HeapArea(64, 63)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new HeapArea(72, 1 << 20)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith("base=72");
        assertThatThrownBy(() -> new HeapArea(0, 1 << 20)).isInstanceOf(IllegalArgumentException.class);
    }
}
