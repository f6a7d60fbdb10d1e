package io.atoll.world;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.memory.SegmentHeader;
import org.junit.jupiter.api.Test;

/** Where everything of a world lies: processes of one layout version agree on these numbers. */
class SegmentLayoutTest {

    @Test
    void theBarrierFollowsTheHeaderThenTheDirectoryThenTheHeap() {
        assertThat(SegmentHeader.size(3)).isEqualTo(256);
        assertThat(SegmentLayout.of(3, 1 << 20)).isEqualTo(new SegmentLayout(256, 2304, 84224, 1 << 20));
        assertThat(SegmentLayout.of(64, 1 << 20)).isEqualTo(new SegmentLayout(1216, 3264, 85184, 1 << 20));
    }

    @Test
    void aBarrierHasALineForEachRoundAndTwoPlacesForContributions() {
        assertThat(Barrier.TOLD).isZero();
        assertThat(Barrier.CONTRIBUTIONS).isEqualTo(1024);
        assertThat(Barrier.AREA_BYTES).isEqualTo(2048);
        assertThat(Barrier.VALUES).isEqualTo(64);
    }

    @Test
    void anEntryOfTheDirectoryIsTenLines() {
        assertThat(new long[]{DirectoryEntry.STATE, DirectoryEntry.OFFSET, DirectoryEntry.BYTES,
            DirectoryEntry.NAME_BYTES, DirectoryEntry.CONFIGURATION_BYTES, DirectoryEntry.NAME,
            DirectoryEntry.CONFIGURATION, DirectoryEntry.SIZE}).containsExactly(0, 8, 16, 24, 32, 40, 104, 640);
        assertThat(Directory.ENTRIES).isEqualTo(128);
        assertThat(Directory.AREA_BYTES).isEqualTo(128 * 640);
    }

    @Test
    void aReservedEntryNamesKindRankIncarnationAndAttempt() {
        long state = DirectoryEntry.reserved(0x8001, 0xFFFE, 0x1_0003);
        assertThat(state).isEqualTo(0x0003_FFFE_8001_0001L);
        assertThat(DirectoryEntry.kind(state)).isEqualTo(DirectoryEntry.RESERVED);
        assertThat(DirectoryEntry.rank(state)).isEqualTo(0x8001);
        assertThat(DirectoryEntry.incarnation(state)).isEqualTo(0xFFFE);
        assertThat(DirectoryEntry.FREE).isZero();
        assertThat(DirectoryEntry.READY).isEqualTo(2);
    }
}
