package io.atoll.queue;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.failure.Aftermath;
import io.atoll.failure.FabricException;
import io.atoll.failure.RankUnreachableException;
import io.atoll.failure.SegmentLostException;
import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import io.atoll.world.Liveness;
import io.atoll.world.Participant;
import io.atoll.world.Reservations;
import io.atoll.world.WaitReason;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Announces which ranks may write to the slot of a ticket. A tail word names no rank. So every push says in its own
 * rank's segment, before it draws, the lowest ticket that it may draw. It takes that back when its slots are written. A
 * thread that is about to skip a dead ticket announces itself in the same way. Tickets are the queue's, over all its
 * rings.
 *
 * <p>So a thread that looks at all announcements after a ticket was drawn sees one of three things. It sees the
 * announcement of the ticket's holder, or that the slot is written, or that the holder is dead. It may also see the
 * announcement of a push that has meanwhile drawn a later ticket, or has drawn none. Then it looks again later. So an
 * unwritten ticket is dead, and skipped, as soon as no living rank could write it. The operations of other ranks need
 * not end first.
 *
 * <p>An announcement costs no verb: only the CPU of its rank writes it. The idea is that of hazard pointers (Michael,
 * 2004), for tickets.
 */
class PushAnnouncements {

    private static final Logger LOG = LoggerFactory.getLogger(PushAnnouncements.class);

    private static final long NONE = 0;

    /** What {@link #tryBegin} returns if it has announced nothing. */
    static final long NOT_BEGUN = -1;

    private final String queue;
    private final Participant participant;
    private final Endpoint endpoint;
    // other ranks only read the announcements, so the CPU may store to them on every fabric
    private final LocalMemory own;
    private final long[] blocks;
    private volatile @Nullable RingBlock registered; // the ring that this incarnation has used last

    /** @param blocks the places of the queue's {@link QueueBlock} in each rank's segment */
    PushAnnouncements(String queue, Participant participant, long[] blocks) {
        this.queue = queue;
        this.participant = participant;
        this.endpoint = participant.endpoint();
        this.own = endpoint.fabric().local();
        this.blocks = blocks;
    }

    /**
     * Removes what earlier incarnations of this rank have announced. Called before the first operation of this
     * incarnation.
     */
    void begin() {
        Object process = participant.shared(queue + " announcements", Object::new);
        // once, even if several threads open the queue at the same time, some by a former participant
        synchronized (process) {
            long incarnation = blocks[participant.rank()] + QueueBlock.INCARNATION;
            if (own.getAcquire(incarnation) < participant.incarnation()) {
                for (int push = 0; push < QueueBlock.PUSHES; push++) {
                    own.setRelease(announcement(participant.rank(), push), NONE);
                }
                own.setRelease(incarnation, participant.incarnation());
            }
        }
    }

    /**
     * Records that this incarnation uses the ring, before its first announcement there. Cost: R, and A for the first
     * time.
     */
    private void register(RingBlock ring) {
        long word = ring.header + RingBlock.user(participant.rank());
        long user = endpoint.readWord(ring.host, word);
        if (user < participant.incarnation()) {
            endpoint.compareAndExchange(ring.host, word, user, participant.incarnation());
        }
        registered = ring;
    }

    /**
     * Announces that this thread may write to the slot of this ticket, or of a later one. Returns the announcement, for
     * {@link #end}. Cost: no verb, except for the first in a ring.
     */
    long begin(RingBlock ring, long ticket) {
        if (registered != ring) {
            register(ring);
        }
        int first = (int) Thread.currentThread().threadId();
        for (int push = first;; push++) {
            long word = announcement(participant.rank(), push & QueueBlock.PUSHES - 1);
            long other = announce(word, ticket);
            if (other == NONE) {
                return word;
            }
            if (push - first >= QueueBlock.PUSHES) {
                // Fails if the host is gone, and with it the pushes that keep their announcements until it is back.
                endpoint.readWord(ring.host, ring.header + RingBlock.TAIL);
                participant.reservations()
                        .awaitSettled(participant.rank(), word, other, participant.rank(), participant.incarnation(),
                                () -> {}, new WaitReason("push to", queue));
            }
        }
    }

    /**
     * Like {@link #begin}, without a wait. Returns {@link #NOT_BEGUN} if this process has not used the ring, or all
     * announcements are taken. No verb.
     */
    long tryBegin(RingBlock ring, long ticket) {
        if (registered == ring) {
            for (int push = 0; push < QueueBlock.PUSHES; push++) {
                long word = announcement(participant.rank(), push);
                if (announce(word, ticket) == NONE) {
                    return word;
                }
            }
        }
        return NOT_BEGUN;
    }

    /** Announces the ticket in this word, unless another is announced there. Returns that, or {@link #NONE}. */
    private long announce(long word, long ticket) {
        // (1) before the ticket is drawn, or before a thread that would skip a dead ticket reads the head. Pairs with
        // the reads in holder (2). Those come after another thread has seen the ticket drawn, or has marked that head.
        return own.compareAndExchange(word, NONE, ticket + 1);
    }

    /** Ends the announcement: what was to be written is there, for everyone, or never will be. */
    void end(long announcement) {
        own.setRelease(announcement, NONE);
    }

    /** Like {@link #endWhenSettled}, for an operation that has taken effect, or had no effect. */
    void end(long announcement, RingBlock ring, CachedWord word) {
        try {
            end(announcement);
        } catch (VirtualMachineError | LinkageError notYet) {
            Aftermath.warn("its announcement ends later", notYet);
            endWhenSettled(announcement, ring, word);
        }
    }

    /**
     * Ends the announcement of an operation that has failed, at once or later. Where verbs execute at once, what has
     * not arrived never will. On other fabrics that is unknown until an atomic comes through to the host again, or the
     * host has ended. What was sent to a process that has ended arrives at no other one.
     */
    void endWhenSettled(long announcement, RingBlock ring, CachedWord word) {
        try {
            // At once, and without an allocation: it may be memory that was missing.
            settle(announcement, ring, word);
        } catch (FabricException | VirtualMachineError | LinkageError notYet) {
            // An announcement that stayed for ever would keep every unwritten ticket: a popper would wait for it.
            participant.reservations().undo(ring.host, () -> settle(announcement, ring, word));
        }
    }

    private void settle(long announcement, RingBlock ring, CachedWord word) {
        // There are few announcements for all rings of the queue. One for a host that never returns would be lost.
        if (!endpoint.executesAtOnce(ring.host)
                && !participant.liveness().isFenced(ring.host, Liveness.EVERY_INCARNATION, ring.host)) {
            try {
                word.settle();
            } catch (SegmentLostException gone) {
                // What was sent to that segment arrives in no other one. The announcement lies in this rank's own
                // segment, and is not lost with that one.
                LOG.debug("what was announced for a lost ring ends: queue={} rank={}", queue, ring.host, gone);
            }
        }
        end(announcement);
    }

    /**
     * Returns a rank that may still write to the slot of this ticket or of an earlier one. Returns {@link
     * Reservations#NOBODY} if there is none. Cost: R for each rank, and R for each that uses the ring and lives.
     *
     * @param ticket known to have been drawn
     * @throws SegmentLostException if a rank has lost its segment, and may hold the ticket: it announces that where
     * this process cannot look
     */
    int holder(RingBlock ring, long ticket) {
        for (int rank = 0; rank < blocks.length; rank++) {
            long user = endpoint.readWord(ring.host, ring.header + RingBlock.user(rank));
            if (user != 0 && !participant.liveness().isFenced(rank, (int) user, ring.host)
                    && announces(rank, user, ticket)) {
                return rank;
            }
        }
        return Reservations.NOBODY;
    }

    private boolean announces(int rank, long user, long ticket) {
        Batch batch = endpoint.batch(rank);
        try {
            // (2) after the ticket was seen drawn, and before the slot's stamp is exchanged.
            batch.read(rank, announcement(rank, 0), 0, QueueBlock.ANNOUNCEMENTS_BYTES + Layouts.WORD);
            batch.complete();
        } catch (SegmentLostException elsewhere) {
            throw elsewhere;
        } catch (RankUnreachableException unknown) {
            // The rank has not been fenced, so it may hold the ticket until it is.
            return true;
        }
        // (3) written before the ring was used, see begin. If it is missing, this process reads the segment that the
        // rank has lost, and has yet to learn so.
        if (batch.word(QueueBlock.INCARNATION - QueueBlock.ANNOUNCEMENTS) < user) {
            return true;
        }
        for (long at = 0; at < QueueBlock.ANNOUNCEMENTS_BYTES; at += Layouts.WORD) {
            long announced = batch.word(at);
            if (announced != NONE && announced - 1 <= ticket) {
                return true;
            }
        }
        return false;
    }

    private long announcement(int rank, int push) {
        return blocks[rank] + QueueBlock.ANNOUNCEMENTS + push * Layouts.WORD;
    }
}
