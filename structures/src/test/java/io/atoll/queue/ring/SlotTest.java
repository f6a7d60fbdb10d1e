package io.atoll.queue.ring;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.memory.Layouts;
import org.junit.jupiter.api.Test;

class SlotTest {

    @Test
    void theLayoutIsWhatOtherProcessesRelyOn() {
        assertThat(CircularBlock.ANNOUNCEMENTS).isZero();
        assertThat(CircularBlock.PUSHES).isEqualTo(8);
        assertThat(CircularBlock.TAIL).isEqualTo(64);
        assertThat(CircularBlock.HEAD).isEqualTo(128);
        assertThat(CircularBlock.USERS).isEqualTo(192);
        assertThat(CircularBlock.user(2)).isEqualTo(208);
        var block = new CircularBlock(9, new Slot(8), 10);
        assertThat(block.slot(0)).isEqualTo(320);
        assertThat(block.slot(9)).isEqualTo(464);
        assertThat(block.slot(10)).isEqualTo(320);
        assertThat(block.bytes(true)).isEqualTo(480);
        assertThat(block.bytes(false)).isEqualTo(Layouts.CACHE_LINE);
        assertThat(new Slot(8).payload).isEqualTo(8);
    }

    @Test
    void slotsStraddleNoCacheLineInVain() {
        assertThat(new Slot(8).size).isEqualTo(16);
        assertThat(new Slot(24).size).isEqualTo(32);
        assertThat(new Slot(56).size).isEqualTo(64);
        assertThat(new Slot(64).size).isEqualTo(128);
    }

    @Test
    void aStampTellsTicketAndKindAndZeroIsNeitherReadyNorOfAnyTicket() {
        assertThat(Slot.ticket(0)).isEqualTo(Slot.NO_TICKET);
        assertThat(Slot.isReady(0)).isFalse();
        for (long ticket : new long[]{0, 1, 77, Long.MAX_VALUE - 1}) {
            assertThat(Slot.ticket(Slot.ready(ticket))).isEqualTo(ticket);
            assertThat(Slot.isReady(Slot.ready(ticket))).isTrue();
            assertThat(Slot.ticket(Slot.skipped(ticket))).isEqualTo(ticket);
            assertThat(Slot.isReady(Slot.skipped(ticket))).isFalse();
        }
    }
}
