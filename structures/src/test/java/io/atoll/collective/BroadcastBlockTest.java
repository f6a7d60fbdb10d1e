package io.atoll.collective;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Pins the layout, which processes share. */
class BroadcastBlockTest {

    @Test
    void aWindowOfFiveMembers() {
        BroadcastBlock block = new BroadcastBlock(5, 128, 4);
        assertThat(block.entered()).isZero();
        assertThat(block.arrived(0)).isEqualTo(64);
        assertThat(block.arrived(4)).isEqualTo(96);
        assertThat(block.finished(0)).isEqualTo(128);
        assertThat(block.count()).isEqualTo(192);
        assertThat(block.acknowledged(0)).isEqualTo(256);
        assertThat(block.acknowledged(2)).isEqualTo(384);
        assertThat(block.request(0, 0)).isEqualTo(448);
        assertThat(block.request(0, 5)).isEqualTo(512);
        assertThat(block.request(2, 3)).isEqualTo(448 + 11 * 64);
        assertThat(block.data(0)).isEqualTo(448 + 12 * 64);
        assertThat(block.bytes()).isEqualTo(448 + 12 * 64 + 128);
    }

    @Test
    void aWindowOfOneMemberHasNoRequests() {
        assertThat(new BroadcastBlock(1, 64).bytes()).isEqualTo(4 * 64 + 64);
    }

    @Test
    void aRequestTakesALineAndItsFlagComesFirst() {
        assertThat(ForwardRequest.SIZE).isEqualTo(64);
        assertThat(ForwardRequest.FLAG).isZero();
        assertThat(ForwardRequest.DESCRIPTION).isEqualTo(8);
        assertThat(ForwardRequest.DESCRIPTION_BYTES).isEqualTo(40);
    }
}
