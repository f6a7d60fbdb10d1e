package io.atoll.lock;

import io.atoll.failure.FabricException;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import io.atoll.world.Liveness;
import io.atoll.world.Liveness.LaterSegment;
import io.atoll.world.Participant;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Segments that ranks have lost, with the locks in them, and how this process leaves them.
 *
 * <p>When a rank has lost its segment, its locks are gone, and others of the same indices take their places. A request
 * of a lost lock may still be about to write. Its write must not reach the next request of the same descriptor, nor the
 * queue of another lock. So a request of a lost lock ends in three steps:
 * <pre>
 *     (lost)    each process learns of it by itself, {@link Descriptors#reach}: its requests can do nothing any
 *               more at the lost lock
 *     (left)    once none of them is in the middle of a write to another's descriptor, and its writes have arrived
 *               or never will, it writes {@code left} for that rank: the incarnation in which the present segment
 *               was made, {@link #leave}
 *     (reuse)   once all processes have, or have ended, a descriptor of such a request may be another's,
 *               {@link #isLeftByAll}
 * </pre>
 * The middle of such a write is visible. A request is in the phase of enqueueing until it has told its predecessor. It
 * is in the phase of releasing until it has passed the lock on. Both begin with an exchange at the lock, and no
 * exchange succeeds in a segment that is lost. A repair writes to descriptors, too, so repairs are counted.
 */
final class LostSegments {

    private static final long LEFT = 2 * Layouts.WORD; // of rank 0; those of the other ranks follow
    // value of the incarnation's word while no process has opened the table in the rank's present segment
    private static final int NEVER_OPENED = 0;
    private static final int FIRST_LIFE = 1;

    private final Descriptors descriptors;
    private final Participant participant;
    private final int rank;
    private final LocalMemory own;
    private final long ownTable;
    private final OwnDescriptor[] owns;
    private final AtomicIntegerArray repairs; // repairs under way, by owner of the lock
    // by owner: all processes have left the segments that were made before this incarnation
    private final AtomicIntegerArray leftByAll;

    /**
     * @param ownTable the offset of this process's table in the own segment
     * @param owns the descriptors of this process
     */
    LostSegments(Descriptors descriptors, long ownTable, OwnDescriptor[] owns) {
        this.descriptors = descriptors;
        this.participant = descriptors.participant();
        this.rank = descriptors.rank();
        this.own = descriptors.own();
        this.ownTable = ownTable;
        this.owns = owns;
        Parts parts = descriptors.parts();
        this.repairs = new AtomicIntegerArray(parts.ranks());
        this.leftByAll = new AtomicIntegerArray(parts.ranks());
        for (int owner = 0; owner < parts.ranks(); owner++) {
            leftByAll.set(owner, parts.born(owner));
        }
    }

    /** Notes that this incarnation has met no lost lock. Called before other ranks see the incarnation. */
    void begin() {
        Parts parts = descriptors.parts();
        for (int owner = 0; owner < parts.ranks(); owner++) {
            own.setVolatile(left(owner), parts.born(owner));
        }
    }

    /** Counts a repair of a queue of that owner: called with 1 before it, and with -1 after it. */
    public void countRepairs(int owner, int change) {
        repairs.addAndGet(owner, change);
    }

    private long left(int owner) {
        return ownTable + LEFT + owner * Layouts.WORD;
    }

    /**
     * (left) Notes, for each rank that has lost its segment, that this process is in the middle of nothing there. Then
     * checks whether all other processes have noted the same. Called by one thread at a time. Cost: none if nothing was
     * lost, else for each lost segment 3R for each rank.
     *
     * @return true if nothing is left to be done
     * @throws FabricException if a rank cannot be reached, so that it is unknown what has arrived there
     */
    public boolean leave() {
        Parts now = descriptors.parts();
        for (int owner = 0; owner < now.ranks(); owner++) {
            int born = now.born(owner);
            if (own.getAcquire(left(owner)) < born && !isInTheMiddle(owner, born)) {
                settle(now);
                own.setVolatile(left(owner), born);
            }
            if (leftByAll.get(owner) < born && areAllLeft(now, owner, born)) {
                leftByAll.set(owner, born);
            }
        }
        return !owes();
    }

    /** Returns true if a rank has no part, or {@link #leave} has more to do. No verb. */
    public boolean owes() {
        Parts now = descriptors.parts();
        for (int owner = 0; owner < now.ranks(); owner++) {
            if (!now.contains(owner) || own.getAcquire(left(owner)) < now.born(owner)
                    || leftByAll.get(owner) < now.born(owner)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns once everything that was sent to any rank has arrived or never will. Each rank has answered by
     * connections that have replaced those that broke, or has ended.
     */
    private void settle(Parts now) {
        for (int any = 0; any < now.ranks(); any++) {
            try {
                now.endpoint().readWord(any, now.requests(any));
            } catch (RankUnreachableException gone) {
                if (!participant.liveness().isFenced(any, Liveness.EVERY_INCARNATION, rank)) {
                    throw gone;
                }
            }
        }
    }

    /**
     * Returns true if this process may be in the middle of a write to a descriptor for a lost lock. The lock lay in an
     * earlier segment of the owner.
     */
    private boolean isInTheMiddle(int owner, int born) {
        if (repairs.get(owner) != 0) {
            return true;
        }
        for (OwnDescriptor any : owns) {
            long phase = Phase.kind(own.getAcquire(any.at(own) + Descriptor.PHASE));
            long lock = own.getAcquire(any.at(own) + Descriptor.LOCK);
            if ((phase == Phase.ENQUEUEING || phase == Phase.RELEASING)
                    && ownerOf(lock) == owner && Descriptor.born(lock) < born) {
                return true;
            }
        }
        return false;
    }

    private int ownerOf(long lock) {
        return (int) (Descriptor.index(lock) % repairs.length());
    }

    /**
     * (reuse) Returns true if no process writes to a descriptor any more on behalf of locks in the request's lost
     * segment. No verb: {@link #leave} looks.
     */
    public boolean isLeftByAll(RequestedHold request) {
        return leftByAll.get(request.owner()) > request.born();
    }

    private boolean areAllLeft(Parts now, int owner, int born) {
        for (int any = 0; any < now.ranks(); any++) {
            if (!isLeftBy(any, now, owner, born)) {
                return false;
            }
        }
        return true;
    }

    private boolean isLeftBy(int any, Parts now, int owner, int born) {
        if (any == rank) {
            return own.getAcquire(left(owner)) >= born;
        }
        Liveness liveness = participant.liveness();
        try {
            long table = now.requests(any);
            int incarnation = (int) now.endpoint().readWord(any, table);
            if (descriptors.laterSegment(any) != LaterSegment.NONE) {
                throw Parts.another(any); // the words that were read may say nothing
            }
            // Both must have left: the process that uses the rank's present segment, and those that have used an
            // earlier one.
            return (now.endpoint().readWord(any, table + LEFT + owner * Layouts.WORD) >= born
                    || incarnation == NEVER_OPENED
                    || liveness.isFenced(any, incarnation, rank))
                    && (now.born(any) == FIRST_LIFE || liveness.isFenced(any, now.born(any) - 1, rank));
        } catch (RankUnreachableException gone) {
            if (!liveness.isFenced(any, Liveness.EVERY_INCARNATION, rank)) {
                throw gone;
            }
            return true;
        }
    }

    /** Releases each lost lock that a thread of this process still holds. Called by one thread at a time. */
    public void releaseHolds() {
        for (OwnDescriptor any : owns) {
            RequestedHold last = descriptors.lastHeld(any);
            if (last != null && last.isHolding() && last.isLost()) {
                last.release();
            }
        }
    }
}
