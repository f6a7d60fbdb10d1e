package io.atoll.lock.protocol;

import io.atoll.fabric.Backoff;
import io.atoll.fabric.Endpoint;
import io.atoll.failure.FabricException;
import io.atoll.lock.protocol.Request.Stage;
import io.atoll.world.waiting.Waits;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The asymmetric lock (ALock, algorithms 2 to 4): a queue for each cohort, and Peterson's algorithm between the first of each. Names of steps are those of the model, {@code
 * ALock.tla}.
 * <pre>
 *               owner's threads                        threads of other ranks
 *
 *     local tail --> d3 --> d2 --> d1                r1 <-- r2 <-- r3 <-- remote tail         the lock is passed from d1 to d2 to d3
 *                                    \              /
 *                                    Peterson: victim
 * </pre>
 * What the paper leaves out: who gives up stays in the queue and is passed over; a queue with a dead rank in it is rebuilt ({@link Repair}).
 */
class QueueLock {

    private static final int LOOKS_BEFORE_DOUBT = 64;

    /** How long a release waits to learn who is next, before it leaves that to the keeper. */
    private static final Duration NAMING = Duration.ofMillis(1);

    private static final Logger LOG = LoggerFactory.getLogger(QueueLock.class);

    final Descriptors descriptors;
    private final Endpoint endpoint;
    private final Waits waits;
    private final RemoteCohort remote;
    private final @Nullable LocalCohort local; // null: the owner, too, goes through the fabric
    private final Keeper keeper;

    QueueLock(Descriptors descriptors, RemoteCohort remote, @Nullable LocalCohort local, Keeper keeper) {
        this.descriptors = descriptors;
        this.endpoint = descriptors.endpoint();
        this.waits = descriptors.participant().waits();
        this.remote = remote;
        this.local = local;
        this.keeper = keeper;
    }

    /** @throws IllegalStateException when this rank has no descriptor left */
    final Request request(int owner, long line) {
        Cohort cohort = owner == endpoint.rank() && local != null ? local : remote;
        return descriptors.claim(owner, line, cohort);
    }

    /** Whether the request has the lock. If not, or if it throws, it is over, and what others rely on is seen to. */
    final boolean acquire(Request request, Patience patience) {
        boolean acquired = false;
        try {
            acquired = enter(request, patience);
            return acquired;
        } finally {
            if (!acquired) {
                leave(request, Duration.ZERO);
            }
        }
    }

    /** Never fails: what cannot be done at once is done as soon as it can. */
    final void release(Request request) {
        if (request.budget > 0) {
            request.budget--;
        }
        leave(request, NAMING);
    }

    private void leave(Request request, Duration patience) {
        var departure = new Departure(this, request);
        var backoff = new Backoff(endpoint.clock(), patience);
        boolean inTime = true;
        try {
            while (!departure.step()) {
                if (!inTime) {
                    keeper.add(departure);
                    return;
                }
                inTime = backoff.pause();
            }
        } catch (FabricException notYet) {
            keeper.add(departure);
        }
    }

    private boolean enter(Request request, Patience patience) {
        descriptors.begin(request);
        while (enqueue(request, patience)) {
            if (request.predecessor == Tail.FREE) {
                return lead(request, patience);
            }
            link(request);
            long grant = await(request, patience);
            if (Grant.isPassed(grant)) {
                take(request, grant);
                return lead(request, patience);
            }
            if (grant == Grant.NONE) {
                return false;
            }
            request.stage = Stage.OUTSIDE;
            descriptors.begin(request);
        }
        return false;
    }

    // --- enqueueing ---

    /** (swap) Whether it stands in the queue now, behind its predecessor. */
    private boolean enqueue(Request request, Patience patience) {
        long expected = Tail.FREE;
        while (true) {
            request.self = Tail.inEpochOf(expected, request.self);
            request.stage = Stage.ENTRY_IN_DOUBT;
            long witness = request.cohort.exchangeTail(request, expected, request.self);
            request.stage = Stage.OUTSIDE;
            if (witness == expected) {
                request.stage = expected == Tail.FREE ? Stage.LEADING : Stage.WAITING;
                descriptors.predecessor(request, expected);
                return true;
            }
            if (witness != Tail.FREE && patience.isOver()) {
                return false;
            }
            expected = witness;
            if (Tail.isClosed(witness)) {
                if (!awaitOpen(request, witness, patience)) {
                    return false;
                }
                expected = Tail.FREE;
            }
        }
    }

    /** (blocked) */
    private boolean awaitOpen(Request request, long closed, Patience patience) {
        descriptors.phase(request, Descriptor.BLOCKED);
        var backoff = new Backoff(endpoint.clock(), Backoff.UNBOUNDED);
        try (Waits.Waiting _ = waits.begin("lock, whose queue is repaired", Tail.rank(closed))) {
            for (long tail = closed; Tail.isClosed(tail); tail = remote.tail(request)) {
                if (patience.isOver()) {
                    return false;
                }
                if (isToDoubt(backoff)) {
                    repairIfEnded(request, tail);
                }
                backoff.pause();
            }
        }
        descriptors.begin(request);
        return true;
    }

    /** (link) */
    private void link(Request request) {
        boolean linked = false;
        try {
            request.cohort.link(request);
            linked = true;
        } catch (FabricException inDoubt) {
            LOG.debug("the predecessor cannot be told, the queue will be repaired: {}", request, inDoubt);
        }
        descriptors.phase(request, Descriptor.WAITING);
        if (!linked) {
            // It may have been told nevertheless, and have gone: told again, its descriptor may be another request's.
            repair(request);
        }
    }

    /** (waiting) What it is granted; NONE if the time is over before. */
    private long await(Request request, Patience patience) {
        var backoff = new Backoff(endpoint.clock(), Backoff.UNBOUNDED);
        try (Waits.Waiting _ = waits.begin("lock", Tail.rank(request.predecessor))) {
            while (true) {
                // (3) acquire: pairs with the predecessor's write of the grant, behind everything that it did with the lock.
                long grant = descriptors.grant(request);
                if (grant != Grant.NONE || patience.isOver()) {
                    return grant;
                }
                if (isToDoubt(backoff)) {
                    doubt(request);
                }
                backoff.pause();
            }
        }
    }

    /** It is the first of its queue now. */
    final void take(Request request, long grant) {
        request.token = Grant.token(grant) + 1;
        request.budget = Grant.budget(grant);
        request.entered = request.budget > 0;
        request.stage = Stage.LEADING;
        descriptors.phase(request, Descriptor.HOLDING);
    }

    // --- competing with the other cohort ---

    /** (lead, yield, look) */
    private boolean lead(Request request, Patience patience) {
        if (request.entered) {
            return true;
        }
        descriptors.phase(request, Descriptor.HOLDING);
        request.entered = request.cohort.yield(request);
        var backoff = new Backoff(endpoint.clock(), Backoff.UNBOUNDED);
        while (!request.entered) {
            if (patience.isOver()) {
                return false;
            }
            if (isToDoubt(backoff)) {
                doubtOther(request);
            }
            backoff.pause();
            request.entered = request.cohort.look(request);
        }
        request.budget = request.cohort.budget();
        return true;
    }

    // --- death ---

    private static boolean isToDoubt(Backoff backoff) {
        return backoff.attempts() % LOOKS_BEFORE_DOUBT == LOOKS_BEFORE_DOUBT - 1;
    }

    /** What a former incarnation of this rank has left in a lock of its own: it holds it no more. To be called before the lock is used by this one. */
    final void restart(long line) {
        if (local != null) {
            local.restart(line, descriptors.participant().incarnation());
        }
    }

    boolean hasEnded(Request request, long tail) {
        return descriptors.hasEnded(request, tail);
    }

    /** Whom the request waits for may have died, or who repairs its queue. */
    final void doubt(Request request) {
        if (request.cohort == remote) {
            long tail = remote.tail(request);
            if (hasEnded(request, request.predecessor) || Tail.isClosed(tail) && hasEnded(request, tail)) {
                repair(request);
            }
        }
    }

    private void doubtOther(Request request) {
        if (request.cohort == remote) {
            remote.doubtOther(request, tail -> hasEnded(request, tail));
        } else {
            repairIfEnded(request, remote.tail(request));
        }
    }

    private void repairIfEnded(Request request, long tail) {
        if (hasEnded(request, tail)) {
            repair(request);
        }
    }

    /**
     * Begins to repair the remote cohort's queue, unless somebody else does or it is empty. What cannot be done at once is done as soon as it can.
     */
    final void repair(Request request) {
        keeper.begin(newRepair(request, false));
    }

    /** @param insists see {@link Repair} */
    Repair newRepair(Request request, boolean insists) {
        return new Repair(descriptors, remote, request, local != null, insists);
    }

    final void end(Request request) {
        descriptors.phase(request, Descriptor.IDLE);
        descriptors.giveBack(request);
    }

    final boolean executesAtOnce(Request request) {
        return request.cohort == local || endpoint.executesAtOnce(request.owner);
    }

    final RemoteCohort remote() {
        return remote;
    }
}
