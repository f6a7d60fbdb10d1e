package io.atoll.queue;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SlotTest {

    @Test
    void theLayoutIsWhatOtherProcessesRelyOn() {
        assertThat(QueueBlock.ANNOUNCEMENTS).isZero();
        assertThat(QueueBlock.PUSHES).isEqualTo(8);
        assertThat(QueueBlock.INCARNATION).isEqualTo(64);
        assertThat(QueueBlock.OLDEST).isEqualTo(128);
        assertThat(QueueBlock.FIRST_RING).isEqualTo(192);
        assertThat(QueueBlock.bytes()).isEqualTo(128);
        assertThat(QueueBlock.bytesAtHome(9, 10, new Slot(8))).isEqualTo(192 + 256 + 160);
        assertThat(RingBlock.TAIL).isZero();
        assertThat(RingBlock.NEXT).isEqualTo(8);
        assertThat(RingBlock.CAPACITY).isEqualTo(16);
        assertThat(RingBlock.SLOTS).isEqualTo(24);
        assertThat(RingBlock.MOVES).isEqualTo(32);
        assertThat(RingBlock.HEAD).isEqualTo(64);
        assertThat(RingBlock.USERS).isEqualTo(128);
        assertThat(RingBlock.user(2)).isEqualTo(144);
        assertThat(RingBlock.headerBytes(9)).isEqualTo(256);
        assertThat(RingBlock.headerBytes(64)).isEqualTo(640);
        RingBlock first = RingBlock.first(9, 0, 192, 10, new Slot(8));
        assertThat(first.slot(0)).isEqualTo(448);
        assertThat(first.slot(9)).isEqualTo(592);
        assertThat(first.slot(10)).isEqualTo(448);
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
