package io.atoll.lock;

import io.atoll.background.BackgroundThread;
import io.atoll.fabric.Backoff;
import io.atoll.fabric.Clock;
import io.atoll.failure.Beforehand;
import io.atoll.failure.FabricException;
import io.atoll.failure.FabricTimeoutException;
import io.atoll.failure.SegmentLostException;
import io.atoll.lock.QueuedRequest.Stage;
import io.atoll.memory.LocalMemory;
import io.atoll.world.Waits;
import java.time.Duration;
import java.util.Objects;
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
class QueueLock implements Locking {

    private static final int LOOKS_BEFORE_DOUBT = 64;

    /** How long a release waits to learn who is next, before it leaves that to the keeper. */
    private static final Duration NAMING = Duration.ofMillis(1);

    private static final Logger LOG = LoggerFactory.getLogger(QueueLock.class);

    final Descriptors descriptors;
    final LeftPlaces places;
    private final int rank;
    private final Clock clock;
    private final LocalMemory own;
    private final Waits waits;
    private final Contest contest;
    private final Duration timeout; // for those who wait for another's next step
    private final RemoteCohort remote;
    private final @Nullable LocalCohort local; // null: the owner, too, goes through the fabric
    private final @Nullable OwnLocks owns; // likewise
    private final Keeper keeper;

    static {
        // What those use first who wait, or whom something has failed, maybe without memory or near the end of their stack.
        Beforehand.initialize(QueuedRequest.Stage.class, Departure.class, Repair.class, Repair.Closing.class);
    }

    QueueLock(Descriptors descriptors, RemoteCohort remote, @Nullable LocalCohort local, Keeper keeper) {
        this.descriptors = descriptors;
        this.places = new LeftPlaces(descriptors.ofThisRank());
        this.rank = descriptors.rank();
        this.clock = descriptors.clock();
        this.own = descriptors.own();
        this.waits = descriptors.participant().waits();
        this.contest = new Contest(descriptors);
        this.timeout = descriptors.participant().reservations().timeout();
        this.remote = remote;
        this.local = local;
        this.keeper = keeper;
        this.owns = local == null ? null : new OwnLocks(descriptors, local, this);
    }

    /**
     * A queue for the owner's threads, and one for all others (ALock).
     *
     * @param localBudget how often in a row the owner's threads may have a lock while others want it
     * @param remoteBudget how often in a row others may, while its owner wants it
     */
    public static QueueLock asymmetric(Descriptors descriptors, int localBudget, int remoteBudget, Keeper keeper) {
        return new QueueLock(descriptors, new RemoteCohort(descriptors, remoteBudget),
                new LocalCohort(descriptors, localBudget), keeper);
    }

    /** One queue for all, the owner too goes through the fabric (Mellor-Crummey and Scott, 1991). */
    public static QueueLock symmetric(Descriptors descriptors, Keeper keeper) {
        return new QueueLock(descriptors, new OnlyCohort(descriptors), null, keeper);
    }

    @Override
    public final @Nullable Claim acquire(long index, int owner, long line, Patience patience) {
        Parts parts = descriptors.parts();
        long offset = parts.lines(owner) + line;
        if (owns != null && owner == rank) {
            return owns.acquire(own, index, offset / LockLine.SIZE, null, patience);
        }
        descriptors.refuseIfUnreachable(owner, parts, offset);
        long lock = Descriptor.lock(parts.born(owner), index);
        QueuedRequest left = takeOver(lock, patience);
        if (left != null) {
            return acquire(left, patience);
        }
        QueuedRequest request = descriptors.request(lock, patience,
                mine -> new QueuedRequest(this, index, owner, parts, offset, mine, remote));
        return request == null ? null : acquire(request, patience);
    }

    /** What the owner's threads acquire its locks by; null if as all others do. */
    public final @Nullable OwnLocks owns() {
        return owns;
    }

    /** (step) Whether its keeper may go on with a request that others may take over. */
    boolean takesOut(QueuedRequest request) {
        return places.takeOut(request);
    }

    /** Null for a request that only tries: it waits in no place. */
    private @Nullable QueuedRequest takeOver(long lock, Patience patience) {
        return patience.isNone() ? null : places.takeOver(lock);
    }

    /** As {@link #acquire(QueuedRequest, Patience)}, of a request that finds others there, and is not in the queue itself: a place that a thread of this process has given up is taken over instead. */
    final @Nullable Claim acquireBehindOthers(QueuedRequest request, Patience patience) {
        QueuedRequest left;
        try {
            left = takeOver(request.lock(), patience);
        } catch (Throwable noMemory) {
            leave(request, Duration.ZERO);
            throw noMemory;
        }
        if (left == null) {
            return acquire(request, patience);
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
        return acquire(left, patience);
    }

    final @Nullable Claim acquire(QueuedRequest request, Patience patience) {
        boolean holds = false;
        try {
            if (request.stage == Stage.LEADING ? lead(request, patience) : enter(request, patience)) {
                if (isLost(request)) {
                    throw descriptors.loss(request); // it was granted by somebody who does not know that yet
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

    @Override
    public final boolean release(Claim claim) {
        return claim instanceof OwnClaim own
                ? release(own)
                : claim.releases() && leaveAfterUse((QueuedRequest) claim, NAMING);
    }

    private boolean release(OwnClaim own) {
        if (!own.isHolding()) {
            return false;
        }
        if (Objects.requireNonNull(owns).leave(own)) {
            return true;
        }
        return awaitFollower(own, timeout) ? releaseToFollower(own, NAMING) : own.isHolding() && releaseLater(own);
    }

    private boolean releaseToFollower(OwnClaim own, Duration patience) {
        QueuedRequest request = Objects.requireNonNull(owns).request(own);
        return own.releases() && leaveAfterUse(request, patience);
    }

    /** (late) The keeper releases it as soon as who comes next says so, unless another thread has released it by then. */
    private boolean releaseLater(OwnClaim own) {
        var later = new Keeper.Task() {

            @Override
            public boolean step() {
                if (own.isHolding() && isFollowed(own)) {
                    releaseToFollower(own, Duration.ZERO);
                }
                return !own.isHolding();
            }
        };
        own.detach();
        keeper.add(later);
        return true;
    }

    private boolean leaveAfterUse(QueuedRequest request, Duration patience) {
        if (request.budget > 0) {
            request.budget--;
        }
        leave(request, patience);
        return true;
    }

    /**
     * (behind) Whether somebody stands behind it; false if it is released before that is seen, or the patience is over. The exchange of the tail tells nobody whether another thread has released it by that or somebody has come
     * after it, and each of the two says so soon: by the end of its turn, by the link to it. Whoever is between its exchange and its link waits for nobody there, and as a thread of this process dies with it
     * alone. It may be kept from going on nevertheless, by a debugger say.
     */
    boolean awaitFollower(OwnClaim own, Duration patience) {
        var backoff = new Backoff(clock, patience);
        while (own.isHolding()) {
            if (isFollowed(own)) {
                return true;
            }
            if (!backoff.pause()) {
                return false;
            }
        }
        return false;
    }

    private static boolean isFollowed(OwnClaim own) {
        long next = own.next();
        return next != Tail.FREE && Tail.isOfSameEpoch(next, own.self());
    }

    /**
     * It writes that it knows of one death less than it does, and leaves no chance to pass the lock on without a look at that. What can fail comes before anything else, and says nothing if another
     * thread releases it meanwhile: as long as it is held, nobody else writes what it knows of deaths.
     */
    @Override
    public final boolean revoke(Claim claim, Duration patience) {
        if (!claim.isHolding()) {
            return false;
        }
        QueuedRequest request = claim instanceof OwnClaim own
                ? Objects.requireNonNull(owns).request(own)
                : (QueuedRequest) claim;
        long died = (request.recovered ? request.died : request.cohort.acknowledged(request)) - 1;
        boolean lasts = !(claim instanceof OwnClaim own)
                || Objects.requireNonNull(owns).seize(own)
                || awaitFollower(own, patience);
        if (!lasts && claim.isHolding()) {
            throw standstill("another thread of this process that wants the lock does not go on, look at its threads",
                    request, rank);
        }
        if (!lasts || !claim.releases()) {
            return false;
        }
        request.died = died;
        request.recovered = true;
        request.budget = 0;
        leave(request, NAMING);
        return true;
    }

    @Override
    public final boolean isHeld(Claim claim) {
        return claim.isHolding() && !isLost(claim);
    }

    /** The owner does not lose its own segment while it lives. */
    @Override
    public final boolean isLost(Claim claim) {
        return claim instanceof QueuedRequest request && isLost(request);
    }

    boolean isLost(QueuedRequest request) {
        return descriptors.isLost(request);
    }

    @Override
    public final SegmentLostException loss(Claim claim) {
        return descriptors.loss((QueuedRequest) claim);
    }

    @Override
    public final void leaveLost() {
        descriptors.eachLostHeld(this::release);
    }

    @Override
    public final @Nullable Claim held(long index, int owner, long line) {
        Parts parts = descriptors.parts();
        return descriptors.held(Descriptor.lock(parts.born(owner), index), (descriptor, phase) -> owns == null
                ? null
                : owns.held(own, index, parts.lines(owner) + line, descriptor, phase));
    }

    @Override
    public final void sweep() {
        BackgroundThread.all(() -> descriptors.sweep(this::release), () -> {
            if (owns != null) {
                owns.sweep();
            }
        });
    }

    /** (late) How long a thread waits for the next step of another one that waits for nobody. */
    final Duration timeout() {
        return timeout;
    }

    private FabricException standstill(String reason, QueuedRequest request, int rank) {
        long offset = request.line();
        return new FabricTimeoutException(reason, "lock=" + request.index(), timeout, "lock", rank, offset)
                .in(descriptors.parts().endpoint().structures().find(request.owner(), offset));
    }

    /** Leaves whatever it is in the middle of, or has been doing. Never fails: allocates nothing but what the keeper can make later. */
    private void leave(QueuedRequest request, Duration patience) {
        Departure departure = request.departure;
        boolean left = false;
        try {
            left = departure.step() || leaves(departure, patience);
        } catch (FabricException notYet) {
            LOG.debug("cannot leave, will try again: {}", request, notYet);
            descriptors.isUnreachable(request.owner());
        } finally {
            // After an error, too: others wait for this request to leave.
            if (!left) {
                keeper.add(departure);
            }
        }
    }

    private boolean leaves(Departure departure, Duration patience) {
        var backoff = new Backoff(clock, patience);
        while (backoff.pause()) {
            if (departure.step()) {
                return true;
            }
        }
        return departure.step();
    }

    private boolean enter(QueuedRequest request, Patience patience) {
        if (request.isTakenOver()) {
            resume(request);
        }
        while (request.stage == Stage.WAITING || enqueue(request, patience)) {
            if (request.stage == Stage.LEADING) {
                return lead(request, patience);
            }
            if (!request.linked) {
                link(request);
            }
            long grant = await(request, patience);
            if (Grant.isPassed(grant)) {
                take(request, grant);
                return lead(request, patience);
            }
            if (grant == Grant.NONE) {
                return false;
            }
            request.stage = Stage.OUTSIDE;
            request.linked = false;
        }
        return false;
    }

    /** (take over) It waits where another thread has given up. */
    private void resume(QueuedRequest request) {
        request.waits(clock.nanoTime());
        descriptors.resume(request);
    }

    // --- enqueueing ---

    /** (swap) Whether it stands in the queue now, behind its predecessor. */
    private boolean enqueue(QueuedRequest request, Patience patience) {
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
            if (witness != Tail.FREE && patience.isOver()) {
                if (!patience.isNone() || hasLost(request, witness) || !deciding.pause()) {
                    return false;
                }
                if (isToDoubt(deciding)) {
                    repairIfEnded(request, witness);
                }
                witness = Tail.FREE; // again
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

    /** Of another error than the fabric's nobody knows whether it came before the exchange: the stage says so. */
    private long exchangeTail(QueuedRequest request, long expected) {
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

    /** (blocked) Whoever repairs the queue waits for the next steps of others, and so does this. */
    private boolean awaitOpen(QueuedRequest request, long closed, Patience patience) {
        request.waits(clock.nanoTime());
        descriptors.phase(request, Phase.BLOCKED);
        var backoff = new Backoff(clock, timeout);
        try (Waits.Waiting _ = waits.begin("lock, whose queue is repaired", Tail.rank(closed))) {
            for (long tail = closed; Tail.isClosed(tail); tail = remote.tail(request)) {
                if (patience.isOver()) {
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

    /** (link) If the link may still arrive it stays in the middle of enqueueing. */
    final void link(QueuedRequest request) {
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

    private void trySettlingLink(QueuedRequest request) {
        try {
            settleLink(request, Phase.WAITING);
        } catch (FabricException notYet) {
            LOG.debug("the predecessor cannot be asked yet: {}", request, notYet);
        }
    }

    /**
     * (settle link) The link is in doubt: the queue is rebuilt, and the predecessor is not told again, whose descriptor may be another request's by now. For the same reason the link must not arrive after a repair. So
     * the phase, for which every repair waits, comes when it has arrived or never will: its rank has answered by connections that have replaced those that broke, or has ended.
     *
     * @throws FabricException while that is not known
     */
    final void settleLink(QueuedRequest request, long phase) {
        if (!hasEnded(request, request.predecessor)) {
            descriptors.next(request.predecessor);
        }
        descriptors.phase(request, phase);
        repair(request);
        request.linked = true;
    }

    /** (waiting) What it is granted; NONE if the time is over before. */
    private long await(QueuedRequest request, Patience patience) {
        var backoff = new Backoff(clock, Backoff.UNBOUNDED);
        try (Waits.Waiting _ = waits.begin("lock", Tail.rank(request.predecessor))) {
            while (true) {
                // (3) acquire: pairs with the predecessor's write of the grant, behind everything that it did with the lock.
                long grant = descriptors.grant(request);
                if (grant != Grant.NONE || patience.isOver()) {
                    return grant;
                }
                if (isToDoubt(backoff)) {
                    if (backoff.attempts() < LOOKS_BEFORE_DOUBT) { // it is enough to ask once
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

    /** It is the first of its queue now. */
    final void take(QueuedRequest request, long grant) {
        request.token = Grant.token(grant) + 1;
        request.granted = Grant.budget(grant);
        request.budget = request.granted;
        request.entered = request.budget > 0;
        request.stage = Stage.LEADING;
        descriptors.phase(request, Phase.LEADING);
    }

    // --- competing with the other cohort ---

    /** (lead, yield, look) */
    private boolean lead(QueuedRequest request, Patience patience) {
        if (request.entered) {
            return true;
        }
        descriptors.phase(request, Phase.LEADING);
        request.entered = request.cohort.yield(request);
        if (!request.entered) {
            awaitOther(request, patience);
        }
        request.budget = request.cohort.budget();
        return request.entered;
    }

    private void awaitOther(QueuedRequest request, Patience patience) {
        request.waits(clock.nanoTime());
        var backoff = new Backoff(clock, patience.isNone() ? timeout : Backoff.UNBOUNDED);
        while (!request.entered && (patience.isNone()
                ? !isTaken(request, request.cohort.otherTail(request))
                : !patience.isOver())) {
            if (isToDoubt(backoff)) {
                doubtOther(request);
            }
            if (!backoff.pause()) {
                return;
            }
            request.entered = request.cohort.look(request);
        }
        if (!request.entered && patience.isNone() && descriptors.mayDoubt()) {
            doubtOther(request);
            request.entered = request.cohort.look(request);
        }
    }

    boolean isTaken(QueuedRequest request, long otherTail) {
        return contest.isTaken(request, otherTail);
    }

    /** Of a request that only tries, and has found that tail. */
    boolean hasLost(QueuedRequest request, long tail) {
        boolean lost = contest.isLost(request, tail);
        if (lost && request.cohort == remote && descriptors.mayDoubt()) {
            repairIfEnded(request, tail); // not for this one: for whoever tries next
        }
        return lost;
    }

    // --- death ---

    private static boolean isToDoubt(Backoff backoff) {
        return backoff.attempts() % LOOKS_BEFORE_DOUBT == LOOKS_BEFORE_DOUBT - 1;
    }

    @Override
    public final void restart(long line) {
        if (local != null) {
            local.restart(descriptors.parts().lines(rank) + line, descriptors.participant().incarnation());
        }
    }

    boolean hasEnded(QueuedRequest request, long tail) {
        return descriptors.hasEnded(request, tail);
    }

    /** Whom the request waits for may have died, or who repairs its queue. */
    final void doubt(QueuedRequest request) {
        if (request.cohort == remote) {
            long tail = remote.tail(request);
            if (hasEnded(request, request.predecessor) || Tail.isClosed(tail) && hasEnded(request, tail)) {
                repair(request);
            }
        }
    }

    private void doubtOther(QueuedRequest request) {
        if (request.cohort == remote) {
            remote.doubtOther(request, tail -> hasEnded(request, tail));
        } else {
            repairIfEnded(request, remote.tail(request));
        }
    }

    private void repairIfEnded(QueuedRequest request, long tail) {
        if (hasEnded(request, tail)) {
            repair(request);
        }
    }

    /**
     * Begins to repair the remote cohort's queue, unless somebody else does or it is empty. What cannot be done at once is done as soon as it can.
     */
    final void repair(QueuedRequest request) {
        keeper.begin(newRepair(request, false));
    }

    /** @param insists see {@link Repair} */
    Repair newRepair(QueuedRequest request, boolean insists) {
        return new Repair(descriptors, remote, request, local != null, insists);
    }

    /** What a thread of this process has given up is passed over at once, and not when the keeper looks next: whoever tries to have the lock waits for that. */
    final void hasGranted(long next) {
        if (descriptors.leavesHere(next)) {
            keeper.wake();
        }
    }

    final void end(QueuedRequest request) {
        descriptors.unlink(request);
        if (request.isTakenOver()) {
            descriptors.handBack(request);
        }
        request.end();
    }

    /** Whether an access of this request that has thrown anything has certainly not been done: one by the CPU. */
    final boolean isByCpu(QueuedRequest request) {
        return request.cohort == local;
    }

    final RemoteCohort remote() {
        return remote;
    }
}
