package io.atoll.world;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.memory.SegmentHeader;
import org.junit.jupiter.api.Test;

/** Where everything of a world lies: processes of one layout version agree on these numbers. */
class SegmentLayoutTest {

    @Test
    void theBarrierFollowsTheHeaderThenTheDirectoryThenTheHistoryThenTheHeap() {
        assertThat(SegmentHeader.size(3)).isEqualTo(2560);
        assertThat(SegmentLayout.of(3, 1 << 20)).isEqualTo(new SegmentLayout(2560, 4672, 86592, 86656, 1 << 20));
        assertThat(SegmentLayout.of(64, 1 << 20)).isEqualTo(new SegmentLayout(4416, 6976, 88896, 88960, 1 << 20));
    }

    @Test
    void aBarrierHasALineForEachRoundTwoPlacesForContributionsAndAWordForEachMember() {
        assertThat(Barrier.TOLD).isZero();
        assertThat(Barrier.CONTRIBUTIONS).isEqualTo(1024);
        assertThat(Barrier.DEPARTURES).isEqualTo(2048);
        assertThat(Barrier.areaBytes(3)).isEqualTo(2048 + 64);
        assertThat(Barrier.areaBytes(9)).isEqualTo(2048 + 128);
        assertThat(Barrier.VALUES).isEqualTo(64);
    }
}
