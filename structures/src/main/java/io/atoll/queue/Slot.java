package io.atoll.queue;

import io.atoll.memory.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;

/**
 * One slot of a circular queue, as it lies in the host's segment. Tickets t, t + capacity, t + 2 capacity, ... use the
 * same slot.
 * <pre>
 *       0         8              8 + payload
 *       +---------+--------------+
 *       |  stamp  |   payload    |    then room, so that a slot lies in as few cache lines as it can
 *       +---------+--------------+
 *
 *   stamp:     0 --(1)--> ready(t) --(1)--> ready(t + capacity) --> ...
 *                \--(2)--> skipped(t) --(1)--/
 * </pre>
 * (1) The pusher that has drawn the ticket writes the stamp, after the payload. No other thread does. (2) A popper that
 * waits for the ticket makes this compareAndExchange, when no living rank can have drawn the ticket.
 *
 * <p>The ticket that a stamp names only grows. If a slot's stamp is older than a ticket, the slot has not been written
 * for it. So no thread has popped that ticket yet.
 */
final class Slot {

    /** Returned by {@link #ticket} for a slot that was never written: zeroed memory is an empty queue. */
    public static final long NO_TICKET = -1;

    public static final long STAMP = 0;

    private final StructLayout layout;

    public final long payloadBytes;
    public final long payload;
    public final long size;

    public Slot(long payloadBytes) {
        this.payloadBytes = payloadBytes;
        this.layout = MemoryLayout.structLayout( //
                Layouts.word("stamp"), //
                Layouts.words("payload", payloadBytes / Layouts.WORD));
        assert Layouts.offsetOf(layout, "stamp") == STAMP;
        this.payload = Layouts.offsetOf(layout, "payload");
        this.size = Layouts.spaced(layout.byteSize());
    }

    /** Returns the stamp that says: the ticket's payload is there. */
    public static long ready(long ticket) {
        return ticket + 1;
    }

    /** Returns the stamp that says: the ticket will never have a payload. */
    public static long skipped(long ticket) {
        return ~ticket;
    }

    /** Returns the last ticket that the slot was written, or skipped, for. */
    public static long ticket(long stamp) {
        return stamp >= 0 ? stamp - 1 : ~stamp;
    }

    public static boolean isReady(long stamp) {
        return stamp > 0;
    }
}
