package io.atoll.epoch;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.memory.MappedMemory;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;

/** Checks the layouts that other processes, and later incarnations, read. */
class EpochBlockTest {

    @Test
    void wordsAreWhereTheyAreDrawn() {
        assertThat(EpochBlock.EPOCH).isZero();
        assertThat(EpochBlock.ADVANCER).isEqualTo(8);
        assertThat(EpochBlock.IDENTITY).isEqualTo(16);
        assertThat(EpochBlock.ASKED).isEqualTo(24);
        assertThat(EpochBlock.LIMBO).isEqualTo(64);
        assertThat(EpochBlock.FREEING).isEqualTo(88);
        assertThat(EpochBlock.RETIRED).isEqualTo(128);
        assertThat(EpochBlock.RETIRED_BYTES).isEqualTo(136);
        assertThat(EpochBlock.FREED).isEqualTo(144);
        assertThat(EpochBlock.FREED_BYTES).isEqualTo(152);
        assertThat(EpochBlock.LOST).isEqualTo(160);
        assertThat(EpochBlock.ADVANCES).isEqualTo(168);
        assertThat(EpochBlock.FAILED_ELECTIONS).isEqualTo(176);
        assertThat(EpochBlock.SERVED).isEqualTo(184);
        assertThat(EpochBlock.CACHED_EPOCH).isEqualTo(192);
        assertThat(EpochBlock.INCARNATION).isEqualTo(256);
        assertThat(EpochBlock.TOKENS).isEqualTo(264);
        assertThat(EpochBlock.token(0)).isEqualTo(320);
        assertThat(EpochBlock.token(1)).isEqualTo(384);
        assertThat(EpochBlock.owner(2, 1)).isEqualTo(448 + 128);
        assertThat(EpochBlock.MET).isZero();
        assertThat(EpochBlock.limboObjects(2)).isEqualTo(24);
        assertThat(EpochBlock.limboBytes(0)).isEqualTo(32);
        assertThat(EpochBlock.CHAIN_FILLING).isEqualTo(64);
        assertThat(EpochBlock.CHAIN_SEALED).isEqualTo(72);
        assertThat(EpochBlock.CHAIN_EPOCH).isEqualTo(80);
        assertThat(EpochBlock.CHAINED_OBJECTS).isEqualTo(88);
        assertThat(EpochBlock.CHAINED_BYTES).isEqualTo(96);
        assertThat(EpochBlock.CHAIN_FREEING).isEqualTo(104);
        assertThat(EpochBlock.CHAIN_FREEING_OBJECTS).isEqualTo(112);
        assertThat(EpochBlock.bytes(2, 3)).isEqualTo(448 + 3 * 128);
        assertThat(EpochBlock.bytes(2, 64)).isEqualTo(448 + 64 * 128);
        assertThat(EpochBlock.ANNOUNCEMENT).isZero();
        assertThat(EpochBlock.BAG).isEqualTo(8);
        assertThat(EpochBlock.NAME_BYTES).isEqualTo(16);
        assertThat(EpochBlock.NAME).isEqualTo(24);
    }

    @Test
    void aBagHasAnEntryForEachObject() {
        assertThat(Bag.NEXT).isZero();
        assertThat(Bag.EPOCH).isEqualTo(8);
        assertThat(Bag.OBJECTS).isEqualTo(16);
        assertThat(Bag.entry(0)).isEqualTo(24);
        assertThat(Bag.POINTER).isZero();
        assertThat(Bag.OBJECT_BYTES).isEqualTo(8);
        assertThat(Bag.entry(1)).isEqualTo(40);
        assertThat(Bag.BYTES).isEqualTo(24 + 60 * 16);
    }

    @Test
    void anAnnouncementHoldsAnEpochAndTellsPinsApart() {
        assertThat(Announcement.isPinned(Announcement.UNPINNED)).isFalse();
        long first = Announcement.pinned(7, 1);
        assertThat(Announcement.isPinned(first)).isTrue();
        assertThat(Announcement.epoch(first)).isEqualTo(7);
        assertThat(Announcement.pinned(7, 2)).isNotEqualTo(first);
        assertThat(Announcement.pinned(7, 1 + (1 << 17))).isEqualTo(first);
        assertThat(Announcement.isPinned(Announcement.pinned(0, 0))).isTrue();
        assertThat(Announcement.epoch(Announcement.pinned((1L << 46) - 1, -1))).isEqualTo((1L << 46) - 1);
        assertThat(Announcement.blocks(first, 7)).isFalse();
        assertThat(Announcement.blocks(first, 8)).isTrue();
        assertThat(Announcement.blocks(Announcement.UNPINNED, 8)).isFalse();
    }

    @Test
    void theBeginningOfAThreadsNameIsKept() {
        try (Arena arena = Arena.ofConfined()) {
            var memory = new MappedMemory(arena.allocate(64, 64));
            EpochBlock.writeName(memory, 0, "http-nio-8080-exec-1");
            assertThat(EpochBlock.readName(memory, 0)).isEqualTo("http-nio-8080-exec-1");
            EpochBlock.writeName(memory, 0, "n".repeat(50));
            assertThat(EpochBlock.readName(memory, 0)).isEqualTo("n".repeat(40));
            EpochBlock.writeName(memory, 0, "");
            assertThat(EpochBlock.readName(memory, 0)).isEmpty();
        }
    }
}
