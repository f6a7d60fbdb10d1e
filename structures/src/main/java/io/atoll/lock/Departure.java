package io.atoll.lock;

import io.atoll.failure.FabricException;
import io.atoll.failure.RankUnreachableException;
import io.atoll.lock.QueuedRequest.Stage;
import org.jspecify.annotations.Nullable;

/**
 * A request that leaves its queue: because its thread releases the lock, has given up, or has met a failure. A waiter leaves when its turn comes, and passes that on; or another thread of the process takes
 * its place over before ({@link LeftPlaces}).
 *
 * <p>Where the answer of an exchange is missing, the queue is rebuilt: whether the request was in it does not matter then. Where the lock was lost, nothing is to be done at it; but the descriptor stays
 * in use until nobody writes to it any more.
 */
final class Departure extends Keeper.Task {

    private final QueueLock lock;
    private final Descriptors descriptors;
    private final QueuedRequest request;
    private @Nullable Repair repair;
    private long expectedEpoch; // of the link to the next
    private boolean passing; // it may have been passed
    private boolean leaving; // it has given up
    private boolean isPut; // among the places that others may take over

    Departure(QueueLock lock, QueuedRequest request) {
        this.lock = lock;
        this.descriptors = lock.descriptors;
        this.request = request;
    }

    /** Of the one that stands where another one of the same lock has stood. */
    Departure(Departure former, QueuedRequest request) {
        this(former.lock, request);
    }

    @Override
    public boolean step() {
        if (isPut && !lock.takesOut(request)) {
            return true; // another one stands there, and leaves by itself
        }
        isPut = false;
        boolean moved = true;
        while (moved && request.stage != Stage.OUTSIDE) {
            moved = lock.isLost(request) ? awaitLeftByAll() : goesOn(request.stage);
        }
        if (moved) {
            lock.end(request);
        } else if (request.stage == Stage.WAITING) {
            lock.places.put(request);
            isPut = true; // behind, so that an error leaves no place that nobody has
        }
        return moved;
    }

    /** By no switch: its table, a class of its own, would be made for the first one that leaves, when there may be no memory. */
    private boolean goesOn(Stage stage) {
        if (stage == Stage.ENTRY_IN_DOUBT) {
            return resolveEntry();
        }
        if (stage == Stage.WAITING) {
            return passOver();
        }
        if (stage == Stage.LEADING) {
            return release();
        }
        if (stage == Stage.EXIT_IN_DOUBT) {
            return resolveExit();
        }
        return stage == Stage.PASSING ? pass() : awaitRebuilt();
    }

    /** (lost, reuse) */
    private boolean awaitLeftByAll() {
        if (request.stage != Stage.LOST) {
            descriptors.phase(request, Phase.BLOCKED);
            become(Stage.LOST);
        }
        return descriptors.isLeftByAll(request) && become(Stage.OUTSIDE);
    }

    private boolean resolveEntry() {
        if (lock.isByCpu(request)) {
            return become(Stage.OUTSIDE);
        }
        if (!isRebuilt(Phase.LEAVING)) {
            return false;
        }
        // Made to enqueue again, or never in the queue; unless its turn had come before.
        return become(Grant.isPassed(descriptors.grant(request)) ? Stage.WAITING : Stage.OUTSIDE);
    }

    /**
     * Whether the queue has been rebuilt, by this, since the request has been in that phase. Another rank's repair goes on as soon as it sees the phase. So the phase comes when the exchange has arrived or never
     * will: the lock's owner has answered by connections that have replaced those that broke.
     */
    private boolean isRebuilt(long phase) {
        if (repair == null) {
            lock.remote().tail(request);
            descriptors.phase(request, phase);
            repair = lock.newRepair(request, true);
        }
        boolean rebuilt = repair.step();
        if (rebuilt) {
            repair = null; // a second doubt takes a second repair
        }
        return rebuilt && !lock.isLost(request); // in a lost one nothing was rebuilt
    }

    /** (give up, granted) */
    private boolean passOver() {
        if (!request.linked && !Grant.isPassed(descriptors.grant(request))) {
            link();
        }
        if (!leaving) {
            leaving = true;
            descriptors.leaves(request);
        }
        long grant = descriptors.grant(request);
        if (Grant.isPassed(grant)) {
            lock.take(request, grant);
            return true;
        }
        if (grant == Grant.RETRY) {
            return become(Stage.OUTSIDE);
        }
        lock.doubt(request);
        return false;
    }

    /** An error came between its exchange of the tail and its link, or nobody knows yet whether the link has arrived. Of an access by the CPU it is known; other ranks' queues are rebuilt. */
    private void link() {
        descriptors.predecessor(request, request.predecessor);
        if (lock.isByCpu(request)) {
            lock.link(request);
        } else {
            lock.settleLink(request, Phase.LEAVING);
        }
    }

    /** (leave, release, tell) */
    private boolean release() {
        descriptors.phase(request, Phase.RELEASING);
        long witness = exchange();
        if (witness == request.self) {
            return become(Stage.OUTSIDE);
        }
        if (Tail.isClosed(witness) && tell(witness)) {
            return leaveBehind();
        }
        if (Tail.isSameDescriptor(witness, request.self)) {
            request.self = witness; // alone since the queue was rebuilt
            return become(Stage.LEADING);
        }
        expectedEpoch = witness;
        return become(Tail.isClosed(witness) ? Stage.LEADING : Stage.PASSING);
    }

    private long exchange() {
        request.stage = Stage.EXIT_IN_DOUBT;
        try {
            return request.cohort.release(request);
        } catch (FabricException failure) {
            if (request.cohort.executesAtOnce(request)) {
                request.stage = Stage.LEADING;
            }
            throw failure;
        }
    }

    private boolean tell(long closed) {
        return lock.remote().exchangeTail(request, closed, Tail.closedAndFree(closed)) == closed;
    }

    /** (told) To whoever surveys the queue the request neither holds the lock nor waits for it. */
    private boolean leaveBehind() {
        descriptors.phase(request, Phase.BLOCKED);
        return become(Stage.LEFT);
    }

    /** (left) Whoever comes after it may still be about to link itself to it, until the queue is rebuilt: so long the descriptor is no other request's. */
    private boolean awaitRebuilt() {
        long tail = lock.remote().tail(request);
        if (lock.hasEnded(request, tail)) {
            lock.repair(request);
            return false;
        }
        return !Tail.isClosed(tail) && become(Stage.OUTSIDE);
    }

    private boolean resolveExit() {
        if (lock.isByCpu(request)) {
            return become(Stage.LEADING);
        }
        return isRebuilt(Phase.BLOCKED) && become(Stage.OUTSIDE);
    }

    /** (successor, pass) */
    private boolean pass() {
        long next = request.next();
        if (next != Tail.FREE && Tail.isOfSameEpoch(next, expectedEpoch)) {
            grant(next);
            return become(Stage.OUTSIDE);
        }
        if (request.cohort == lock.remote()) {
            long tail = lock.remote().tail(request);
            if (Tail.isClosed(tail)) {
                return become(Stage.LEADING);
            }
            if (lock.hasEnded(request, tail)) {
                return leaveBehind();
            }
        }
        return false;
    }

    private void grant(long next) {
        try {
            if (!passing || descriptors.waitsBehind(next, request)) {
                passing = true;
                request.cohort.grant(next, Grant.passed(request.entered ? request.budget : 0, request.token));
                lock.hasGranted(next);
            }
        } catch (RankUnreachableException gone) {
            if (!lock.hasEnded(request, next)) {
                throw gone;
            }
        }
    }

    private boolean become(Stage stage) {
        request.stage = stage;
        return true;
    }

    @Override
    public String toString() {
        return "Departure[" + request + "]";
    }
}
