package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BlockHeadTest {

    @Test
    void theHeadHasALineOfItsOwnAndOneForEachStripe() {
        assertThat(BlockHead.NEXT).isZero();
        assertThat(BlockHead.PREVIOUS).isEqualTo(8);
        assertThat(BlockHead.COUNTS).isEqualTo(16);
        assertThat(BlockHead.stripe(0)).isEqualTo(64);
        assertThat(BlockHead.stripe(7)).isEqualTo(512);
        assertThat(BlockHead.FRONTIER).isZero();
        assertThat(BlockHead.LEASE).isEqualTo(8);
        assertThat(BlockHead.BYTES).isEqualTo(576);
    }

    @Test
    void theHeaderIsALine() {
        assertThat(BlockHead.CURRENT).isZero();
        assertThat(BlockHead.VERSION).isEqualTo(8);
        assertThat(BlockHead.HEADER_BYTES).isEqualTo(64);
    }

    @Test
    void aBlockIsOneWord() {
        long block = Block.of(1 << 20, 4096);
        assertThat(block).isEqualTo(1 << 20 | 12);
        assertThat(Block.offset(block)).isEqualTo(1 << 20);
        assertThat(Block.buckets(block)).isEqualTo(4096);
        assertThat(BlockHead.of(block)).isEqualTo((1 << 20) - 576);
    }

    @Test
    void soIsABlockInPieces() {
        long block = Block.inPieces(1 << 20, 4096, 8);
        assertThat(block).isEqualTo(1L << 63 | 3L << 58 | 1 << 20 | 12);
        assertThat(Block.isWhole(block)).isFalse();
        assertThat(Block.isWhole(Block.of(1 << 20, 4096))).isTrue();
        assertThat(Block.offset(block)).isEqualTo(1 << 20);
        assertThat(Block.buckets(block)).isEqualTo(4096);
        assertThat(Block.pieces(block)).isEqualTo(8);
        assertThat(Block.pieces(Block.of(1 << 20, 4096))).isOne();
        assertThat(BlockHead.of(block)).isEqualTo((1 << 20) - 576);
        assertThat(Block.contiguous(block, 0)).isEqualTo(512);
        assertThat(Block.contiguous(block, 1023)).isOne();
        assertThat(Block.contiguous(Block.of(1 << 20, 4096), 1023)).isEqualTo(4096 - 1023);
        assertThat(Block.home(block, -1)).isEqualTo(4095);
        assertThat(Block.homesPerBucket(block)).isEqualTo(Block.HOMES / 4096);
        assertThat(Pieces.tableBytes(2)).isEqualTo(64);
        assertThat(Pieces.tableBytes(16)).isEqualTo(128);
    }

    @Test
    void theHomesOfABlockTwiceAsLargeAreNeighbours() {
        long small = Block.of(0, 64);
        long large = Block.of(0, 128);
        for (long hash = 1; hash < 1L << 60; hash = hash * 3 + 1) {
            assertThat(Block.home(large, hash) / 2).isEqualTo(Block.home(small, hash));
            assertThat(Block.home(hash) / Block.homesPerBucket(small)).isEqualTo(Block.home(small, hash));
        }
    }

    @Test
    void whatIsCountedOfOneKeyInSoManyStandsForAllOfThem() {
        long block = Block.of(0, 1 << 20);
        assertThat(BlockHead.rate(Block.of(0, 8))).isOne();
        assertThat(BlockHead.rate(block)).isEqualTo(64);
        long counts = 3 * Blocks.ADDED + 2 * Blocks.REMOVED;
        assertThat(BlockHead.claimed(block, counts)).isEqualTo(3 * 64);
        assertThat(BlockHead.living(block, counts)).isEqualTo(64);
        assertThat(BlockHead.claimed(block, counts + 3 * Blocks.REMOVED)).isEqualTo(3 * 64);
        assertThat(BlockHead.living(block, counts + 3 * Blocks.REMOVED)).isEqualTo(-2 * 64);
    }
}
