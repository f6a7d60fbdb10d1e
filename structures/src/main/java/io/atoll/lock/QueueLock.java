package io.atoll.lock;

import io.atoll.fabric.Backoff;
import io.atoll.fabric.Clock;
import io.atoll.failure.Beforehand;
import io.atoll.failure.FabricException;
import io.atoll.failure.FabricTimeoutException;
import io.atoll.lock.QueuedHold.Stage;
import io.atoll.world.Waits;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The asymmetric lock (ALock, algorithms 2 to 4): a queue for each cohort, and Peterson's algorithm between the first
 * of each. Steps have the names that the model {@code ALock.tla} gives them.
 * <pre>
 *               owner's threads                        threads of other ranks
 *
 *     local tail --> d3 --> d2 --> d1                r1 <-- r2 <-- r3 <-- remote tail    d1 passes the lock to d2,
 *                                    \              /                                    and d2 to d3
 *                                    Peterson: victim
 * </pre>
 * The paper leaves out two things. A request that gives up stays in the queue and is passed over. A queue with a dead
 * rank in it is rebuilt ({@link QueueRepair}).
 */
class QueueLock implements LockProtocol {

    private static final int LOOKS_BEFORE_ASKING = 64;

    /**
     * The longest time that a release waits for its successor's name, before it leaves that to the background thread.
     */
    private static final Duration NAMING = Duration.ofMillis(1);

    private static final Logger LOG = LoggerFactory.getLogger(QueueLock.class);

    final Descriptors descriptors;
    private final DescriptorPool pool;
    final LeftPlaces places;
    private final Clock clock;
    private final Waits waits;
    private final Contest contest;
    private final Duration timeout; // for threads that wait for another thread's next step
    private final RemoteCohort remote;
    private final @Nullable LocalFastPath localFastPath; // null if the owner goes through the fabric, too
    private final BackgroundTasks background;

    static {
        // A thread that waits, or whose acquisition has failed, uses these first. It may be out of memory, or near the
        // end of its stack.
        Beforehand.initialize(QueuedHold.Stage.class, ReleaseTask.class, QueueRepair.class, QueueRepair.Closing.class);
    }

    QueueLock(Descriptors descriptors, RemoteCohort remote, @Nullable LocalCohort local, BackgroundTasks background) {
        this.descriptors = descriptors;
        this.pool = descriptors.pool();
        this.places = new LeftPlaces(descriptors.ofThisRank());
        this.clock = descriptors.clock();
        this.waits = descriptors.participant().waits();
        this.contest = new Contest(descriptors);
        this.timeout = descriptors.participant().reservations().timeout();
        this.remote = remote;
        this.background = background;
        this.localFastPath = local == null ? null : new LocalFastPath(descriptors, local, this, background);
    }

    /**
     * Returns a lock with a queue for the owner's threads, and one for all others (ALock).
     *
     * @param localBudget how often in a row the owner's threads may have a lock while others want it
     * @param remoteBudget how often in a row other ranks' threads may have a lock while its owner wants it
     */
    public static QueueLock asymmetric(Descriptors descriptors, int localBudget, int remoteBudget,
            BackgroundTasks background) {
        return new QueueLock(descriptors, new RemoteCohort(descriptors, remoteBudget),
                new LocalCohort(descriptors, localBudget), background);
    }

    /**
     * Returns a lock with one queue for all threads; the owner goes through the fabric, too (Mellor-Crummey and Scott,
     * 1991).
     */
    public static QueueLock symmetric(Descriptors descriptors, BackgroundTasks background) {
        return new QueueLock(descriptors, new OnlyCohort(descriptors), null, background);
    }

    @Override
    public final @Nullable Hold acquire(long index, int owner, long line, WaitLimit limit) {
        Parts parts = descriptors.parts();
        long offset = parts.lines(owner) + line;
        pool.refuseIfUnreachable(owner, parts, offset);
        long lock = Descriptor.lock(parts.born(owner), index);
        QueuedHold left = takeOver(lock, limit);
        if (left != null) {
            return acquire(left, limit);
        }
        QueuedHold request = pool.request(lock, limit,
                mine -> new QueuedHold(this, index, owner, parts, offset, mine, remote));
        return request == null ? null : acquire(request, limit);
    }

    @Override
    public final @Nullable LocalFastPath localFastPath() {
        return localFastPath;
    }

    /** (step) Returns true if the background thread may go on with a request that other threads may take over. */
    boolean takesOut(QueuedHold request) {
        return places.takeOut(request);
    }

    /**
     * Returns a place that a thread of this process has given up. Returns null for a request that only tries: it waits
     * in no place.
     */
    private @Nullable QueuedHold takeOver(long lock, WaitLimit limit) {
        return limit.isNone() ? null : places.takeOver(lock);
    }

    /**
     * As {@link #acquire(QueuedHold, WaitLimit)}, for a request that has found others in the queue and is not in it
     * itself. If a thread of this process has given up a place there, this thread takes it over instead.
     */
    final @Nullable Hold acquireBehindOthers(QueuedHold request, WaitLimit limit) {
        QueuedHold left;
        try {
            left = takeOver(request.lock(), limit);
        } catch (Throwable noMemory) {
            leave(request, Duration.ZERO);
            throw noMemory;
        }
        if (left == null) {
            return acquire(request, limit);
        }
        boolean ended = false;
        try {
            leave(request, Duration.ZERO);
            ended = true;
        } finally {
            if (!ended) {
                leave(left, Duration.ZERO);
            }
        }
        return acquire(left, limit);
    }

    final @Nullable Hold acquire(QueuedHold request, WaitLimit limit) {
        boolean holds = false;
        try {
            if (request.stage == Stage.LEADING ? lead(request, limit) : enter(request, limit)) {
                if (request.isLost()) {
                    throw descriptors.loss(request); // the thread that granted it does not know yet that it is lost
                }
                descriptors.holds(request);
                holds = true;
            }
        } finally {
            if (!holds) {
                leave(request, Duration.ZERO);
            }
        }
        return holds ? request : null;
    }

    /** Leaves the queue of a lock that the request has had. Returns true. */
    final boolean leaveAfterUse(QueuedHold request) {
        return leaveAfterUse(request, NAMING);
    }

    /** @param patience the longest wait for the successor's name */
    final boolean leaveAfterUse(QueuedHold request, Duration patience) {
        if (request.budget > 0) {
            request.budget--;
        }
        leave(request, patience);
        return true;
    }

    /**
     * Returns the number of deaths of which the holders know. Called by a thread that holds the lock: meanwhile no
     * other thread writes that number.
     *
     * @throws FabricException if the owner cannot be reached
     */
    final long knownDeaths(QueuedHold request) {
        return request.recovered ? request.died : request.cohort.acknowledged(request);
    }

    /**
     * Leaves the queue, and has the next holder told as after a death. The request sets the budget to zero, so that the
     * next holder looks at the number of deaths. Returns true.
     *
     * @param known the number of deaths of which the holders know
     */
    final boolean leaveByForce(QueuedHold request, long known) {
        request.pretendDeath(known);
        request.budget = 0;
        leave(request, NAMING);
        return true;
    }

    /** (late) Returns how long a thread waits for the next step of another one that itself waits for none. */
    final Duration timeout() {
        return timeout;
    }

    /** Returns the exception for a thread that has waited too long for the next step of another one. */
    final FabricException standstill(String reason, QueuedHold request, int rank) {
        long offset = request.line();
        return new FabricTimeoutException(reason, "lock=" + request.index(), timeout, "lock", rank, offset)
                .in(descriptors.parts().endpoint().structures().find(request.owner(), offset));
    }

    /**
     * Leaves the queue, whatever the request is in the middle of. Never fails: it allocates only what the background
     * thread can make later.
     */
    private void leave(QueuedHold request, Duration patience) {
        ReleaseTask releaseTask = request.releaseTask;
        boolean left = false;
        try {
            left = releaseTask.step() || leaves(releaseTask, patience);
        } catch (FabricException notYet) {
            LOG.debug("cannot leave, will try again: {}", request, notYet);
            pool.isUnreachable(request.owner());
        } finally {
            // After an error, too: others wait for this request to leave.
            if (!left) {
                background.add(releaseTask);
            }
        }
    }

    private boolean leaves(ReleaseTask releaseTask, Duration patience) {
        var backoff = new Backoff(clock, patience);
        while (backoff.pause()) {
            if (releaseTask.step()) {
                return true;
            }
        }
        return releaseTask.step();
    }

    private boolean enter(QueuedHold request, WaitLimit limit) {
        if (request.isTakenOver()) {
            resume(request);
        }
        while (request.stage == Stage.WAITING || enqueue(request, limit)) {
            if (request.stage == Stage.LEADING) {
                return lead(request, limit);
            }
            if (!request.linked) {
                link(request);
            }
            long grant = await(request, limit);
            if (Grant.isPassed(grant)) {
                take(request, grant);
                return lead(request, limit);
            }
            if (grant == Grant.NONE) {
                return false;
            }
            request.stage = Stage.OUTSIDE;
            request.linked = false;
        }
        return false;
    }

    /** (take over) The request waits where another thread has given up. */
    private void resume(QueuedHold request) {
        request.waits(clock.nanoTime());
        descriptors.resume(request);
    }

    // --- enqueueing ---

    /** (swap) Returns true if the request stands in the queue now, behind its predecessor if it has one. */
    private boolean enqueue(QueuedHold request, WaitLimit limit) {
        descriptors.begin(request);
        long expected = Tail.FREE;
        var deciding = new Backoff(clock, timeout);
        while (true) {
            request.self = Tail.inEpochOf(expected, request.self);
            long witness = exchangeTail(request, expected);
            if (witness == expected) {
                request.stage = expected == Tail.FREE ? Stage.LEADING : Stage.WAITING;
                request.predecessor = expected;
                if (expected != Tail.FREE) {
                    request.waits(clock.nanoTime());
                    descriptors.predecessor(request, expected);
                }
                return true;
            }
            if (witness != Tail.FREE && limit.isOver()) {
                if (!limit.isNone() || hasLost(request, witness) || !deciding.pause()) {
                    return false;
                }
                if (isToDoubt(deciding)) {
                    repairIfEnded(request, witness);
                }
                witness = Tail.FREE; // try again
            }
            expected = witness;
            if (Tail.isClosed(witness)) {
                if (!awaitOpen(request, witness, limit)) {
                    return false;
                }
                expected = Tail.FREE;
            }
        }
    }

    /**
     * Exchanges the tail. After an error that is not the fabric's, it is unknown whether the exchange was done: the
     * stage then says so.
     */
    private long exchangeTail(QueuedHold request, long expected) {
        request.stage = Stage.ENTRY_IN_DOUBT;
        try {
            long witness = request.cohort.exchangeTail(request, expected, request.self);
            request.stage = Stage.OUTSIDE;
            return witness;
        } catch (FabricException failure) {
            if (request.cohort.executesAtOnce(request)) {
                request.stage = Stage.OUTSIDE;
            }
            throw failure;
        }
    }

    /**
     * (blocked) Waits until the queue is open. The repair waits for the next steps of other threads, and so does this.
     */
    private boolean awaitOpen(QueuedHold request, long closed, WaitLimit limit) {
        request.waits(clock.nanoTime());
        descriptors.phase(request, Phase.BLOCKED);
        var backoff = new Backoff(clock, timeout);
        try (Waits.Waiting _ = waits.begin("lock, whose queue is repaired", Tail.rank(closed))) {
            for (long tail = closed; Tail.isClosed(tail); tail = remote.tail(request)) {
                if (limit.isOver()) {
                    return false;
                }
                if (isToDoubt(backoff)) {
                    repairIfEnded(request, tail);
                }
                if (!backoff.pause()) {
                    throw standstill(
                            "the queue of the lock is under repair, and that does not go on, look at the threads "
                                    + "of the rank that repairs it and at ranks that stand still",
                            request, Tail.rank(tail));
                }
            }
        }
        descriptors.begin(request);
        return true;
    }

    /**
     * (link) Links the request to its predecessor. If the link may still arrive, the request stays in the phase of
     * enqueueing.
     */
    final void link(QueuedHold request) {
        try {
            request.cohort.link(request);
            request.linked = true;
        } catch (FabricException inDoubt) {
            LOG.debug("the predecessor cannot be told, the queue will be repaired: {}", request, inDoubt);
        }
        if (request.linked) {
            descriptors.phase(request, Phase.WAITING);
        } else {
            trySettlingLink(request);
        }
    }

    private void trySettlingLink(QueuedHold request) {
        try {
            settleLink(request, Phase.WAITING);
        } catch (FabricException notYet) {
            LOG.debug("the predecessor cannot be asked yet: {}", request, notYet);
        }
    }

    /**
     * (settle link) Rebuilds the queue if the link is in doubt. The predecessor is not told again, since its descriptor
     * may be another request's by now. For the same reason the link must not arrive after a repair. Every repair waits
     * for the phase. So the phase is written when the link has arrived or never will. The predecessor's rank has then
     * answered by connections that have replaced those that broke, or has ended.
     *
     * @throws FabricException while it is unknown whether the link has arrived
     */
    final void settleLink(QueuedHold request, long phase) {
        if (!hasEnded(request, request.predecessor)) {
            descriptors.next(request.predecessor);
        }
        descriptors.phase(request, phase);
        repair(request);
        request.linked = true;
    }

    /** (waiting) Returns the grant; NONE if the time is over before. */
    private long await(QueuedHold request, WaitLimit limit) {
        var backoff = new Backoff(clock, Backoff.UNBOUNDED);
        try (Waits.Waiting _ = waits.begin("lock", Tail.rank(request.predecessor))) {
            while (true) {
                // (3) acquire: pairs with the predecessor's write of the grant, which follows everything that it did
                // with the lock.
                long grant = descriptors.grant(request);
                if (grant != Grant.NONE || limit.isOver()) {
                    return grant;
                }
                if (isToDoubt(backoff)) {
                    if (backoff.attempts() < LOOKS_BEFORE_ASKING) { // it is enough to ask once
                        descriptors.refuseIfHeldByThisThread(request);
                    }
                    if (!request.linked) {
                        trySettlingLink(request);
                    }
                    doubt(request);
                }
                backoff.pause();
            }
        }
    }

    /** Takes the grant: the request is the first of its queue now. */
    final void take(QueuedHold request, long grant) {
        request.token = Grant.token(grant) + 1;
        request.granted = Grant.budget(grant);
        request.budget = request.granted;
        request.entered = request.budget > 0;
        request.stage = Stage.LEADING;
        descriptors.phase(request, Phase.LEADING);
    }

    // --- competing with the other cohort ---

    /** (lead, yield, look) */
    private boolean lead(QueuedHold request, WaitLimit limit) {
        if (request.entered) {
            return true;
        }
        descriptors.phase(request, Phase.LEADING);
        request.entered = request.cohort.yield(request);
        if (!request.entered) {
            awaitOther(request, limit);
        }
        request.budget = request.cohort.budget();
        return request.entered;
    }

    private void awaitOther(QueuedHold request, WaitLimit limit) {
        request.waits(clock.nanoTime());
        var backoff = new Backoff(clock, limit.isNone() ? timeout : Backoff.UNBOUNDED);
        while (!request.entered && (limit.isNone()
                ? !isTaken(request, request.cohort.otherTail(request))
                : !limit.isOver())) {
            if (isToDoubt(backoff)) {
                doubtOther(request);
            }
            if (!backoff.pause()) {
                return;
            }
            request.entered = request.cohort.look(request);
        }
        if (!request.entered && limit.isNone() && descriptors.mayDoubt()) {
            doubtOther(request);
            request.entered = request.cohort.look(request);
        }
    }

    boolean isTaken(QueuedHold request, long otherTail) {
        return contest.isTaken(request, otherTail);
    }

    /** Returns true if a request that only tries, and has found that tail, has lost. */
    boolean hasLost(QueuedHold request, long tail) {
        boolean lost = contest.isLost(request, tail);
        if (lost && request.cohort == remote && descriptors.mayDoubt()) {
            repairIfEnded(request, tail); // not for this request, but for the next one that tries
        }
        return lost;
    }

    // --- death ---

    private static boolean isToDoubt(Backoff backoff) {
        return backoff.attempts() % LOOKS_BEFORE_ASKING == LOOKS_BEFORE_ASKING - 1;
    }

    boolean hasEnded(QueuedHold request, long tail) {
        return descriptors.hasEnded(request, tail);
    }

    /** Repairs the queue if the request's predecessor has died, or the rank that repairs the queue. */
    final void doubt(QueuedHold request) {
        if (request.cohort == remote) {
            long tail = remote.tail(request);
            if (hasEnded(request, request.predecessor) || Tail.isClosed(tail) && hasEnded(request, tail)) {
                repair(request);
            }
        }
    }

    private void doubtOther(QueuedHold request) {
        if (request.cohort == remote) {
            remote.doubtOther(request, tail -> hasEnded(request, tail));
        } else {
            repairIfEnded(request, remote.tail(request));
        }
    }

    private void repairIfEnded(QueuedHold request, long tail) {
        if (hasEnded(request, tail)) {
            repair(request);
        }
    }

    /**
     * Begins to repair the remote cohort's queue, unless another repair is under way or the queue is empty. The rest is
     * done as soon as possible.
     */
    final void repair(QueuedHold request) {
        background.begin(newRepair(request, false));
    }

    /** @param insists see {@link QueueRepair} */
    QueueRepair newRepair(QueuedHold request, boolean insists) {
        return new QueueRepair(descriptors, remote, request, localFastPath != null, insists);
    }

    /**
     * Wakes the background thread if the next request is one that a thread of this process has given up. It is then
     * passed over at once, because a thread that tries to have the lock waits for that.
     */
    final void hasGranted(long next) {
        if (descriptors.leavesHere(next)) {
            background.wake();
        }
    }

    final void end(QueuedHold request) {
        descriptors.unlink(request);
        if (request.isTakenOver()) {
            descriptors.handBack(request);
        }
        request.end();
    }

    final RemoteCohort remote() {
        return remote;
    }
}
