package io.atoll.queue;

import io.atoll.fabric.Endpoint;
import io.atoll.world.Participant;
import io.atoll.world.Reservations;
import io.atoll.world.WaitReason;

/**
 * Skips dead tickets. A ticket that is drawn and not yet written has no element, but the queue is not empty. A popper
 * that meets an unwritten ticket waits. If no rank is left that could write it ({@link PushAnnouncements}), the ticket
 * is dead, and is skipped.
 */
final class DeadTicketSkipper {

    private final String queue;
    private final Participant participant;
    private final Endpoint endpoint;
    private final RingBlock ring;
    private final CachedWord tail;
    private final CachedWord head;
    private final PushAnnouncements pushAnnouncements;

    DeadTicketSkipper(String queue, Participant participant, RingBlock ring, CachedWord tail, CachedWord head,
            PushAnnouncements pushAnnouncements) {
        this.queue = queue;
        this.participant = participant;
        this.endpoint = participant.endpoint();
        this.ring = ring;
        this.tail = tail;
        this.head = head;
        this.pushAnnouncements = pushAnnouncements;
    }

    /**
     * Skips the ticket at the head, if it is dead. Returns a rank that may still write it, or
     * {@link Reservations#NOBODY}. Cost: 3 R, what {@link PushAnnouncements#holder} costs, and R + A if no rank is
     * left.
     */
    int trySkip() {
        long ticket = head.read();
        if (RingBlock.isMarked(ticket)) {
            return Reservations.NOBODY;
        }
        long stamp = endpoint.readWord(ring.host, ring.slot(ticket));
        if (Slot.ticket(stamp) >= ticket || RingBlock.ticket(tail.read()) == ticket) {
            return Reservations.NOBODY;
        }
        int holder = pushAnnouncements.holder(ring, ticket);
        if (holder == Reservations.NOBODY) {
            participant.reservations().repair(() -> skip(ticket, stamp), new WaitReason("push to", queue));
        }
        return holder;
    }

    /** Announced, so that the slot does not become another ring's while it is exchanged. */
    private void skip(long ticket, long stamp) {
        long announcement = pushAnnouncements.begin(ring, ticket);
        try {
            if (head.read() == ticket) {
                // Fails if the ticket was written, or skipped, meanwhile: its stamp never becomes again what it was.
                endpoint.compareAndExchange(ring.host, ring.slot(ticket), stamp, Slot.skipped(ticket));
            }
        } catch (Throwable failure) {
            pushAnnouncements.endWhenSettled(announcement, ring, tail);
            throw failure;
        }
        pushAnnouncements.end(announcement, ring, tail);
    }
}
