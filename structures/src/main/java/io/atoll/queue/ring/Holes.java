package io.atoll.queue.ring;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.memory.Layouts;
import io.atoll.world.Participant;
import io.atoll.world.waiting.Reservations;

/**
 * Holes are tickets that are drawn and not yet written: nobody's elements yet, but the queue is not empty. A popper that meets one notes it in its batch, and waits. If
 * nobody is left who could fill it ({@link Announcements}), it is skipped.
 *
 * <p>What a test overrides to break the protocol is not private.
 */
class Holes {

    // Positions in the popper's batch.
    private static final long TICKET = 0;
    private static final long STAMP = TICKET + Layouts.WORD; // of its slot
    private static final long OFFSET = STAMP + Layouts.WORD; // of its slot

    private final String doing;
    private final Participant participant;
    private final Endpoint endpoint;
    private final int host;
    private final Announcements announcements;

    Holes(String queue, Participant participant, int host, Announcements announcements) {
        this.doing = "push to " + queue;
        this.participant = participant;
        this.endpoint = participant.endpoint();
        this.host = host;
        this.announcements = announcements;
    }

    /**
     * Notes the hole that a popper has met.
     *
     * @param stamp of its slot, older than the ticket
     */
    static void note(Batch batch, long ticket, long slot, long stamp) {
        batch.setWord(TICKET, ticket);
        batch.setWord(STAMP, stamp);
        batch.setWord(OFFSET, slot);
    }

    /** Waits until the hole that was noted is filled or skipped. */
    final void await(Batch batch) {
        long ticket = batch.word(TICKET);
        long stamp = batch.word(STAMP);
        long slot = batch.word(OFFSET);
        participant.reservations()
                .awaitSettled(host, slot, stamp, host, () -> trySkip(ticket, slot, stamp), doing);
    }

    /** Skips the hole that was noted, if nobody is left to fill it. */
    final void trySkip(Batch batch) {
        trySkip(batch.word(TICKET), batch.word(OFFSET), batch.word(STAMP));
    }

    /** Skips a hole that nobody is left to fill; else returns who may be. */
    int trySkip(long ticket, long slot, long stamp) {
        int holder = announcements.holder(ticket);
        if (holder == Reservations.NOBODY) {
            skip(ticket, slot, stamp);
        }
        return holder;
    }

    final void skip(long ticket, long slot, long stamp) {
        // Fails if it was filled, or skipped, meanwhile: its stamp never becomes again what it was.
        participant.reservations()
                .repair(() -> endpoint.compareAndExchange(host, slot, stamp, Slot.skipped(ticket)), doing);
    }
}
