package io.atoll.lock;

import io.atoll.failure.FabricException;
import io.atoll.failure.RankUnreachableException;
import io.atoll.lock.QueuedHold.Stage;
import org.jspecify.annotations.Nullable;

/**
 * Takes a request out of its queue: its thread releases the lock, has given up, or has met a failure. A waiter leaves
 * when its turn comes, and passes the turn on. Before that, another thread of the process may take its place over
 * ({@link LeftPlaces}).
 *
 * <p>If the answer of an exchange is missing, the queue is rebuilt. Then it does not matter whether the request was in
 * it. If the lock was lost, nothing is to be done at it. But the descriptor stays in use until no process writes to it
 * any more.
 */
final class ReleaseTask extends BackgroundTasks.Task {

    private final QueueLock lock;
    private final Descriptors descriptors;
    private final QueuedHold request;
    private @Nullable QueueRepair repair;
    private long expectedEpoch; // epoch of the link that the successor writes
    private boolean passing; // the successor may have its grant already
    private boolean leaving; // the request is noted as one that has given up
    private boolean isPut; // the request is among the places that other threads may take over

    ReleaseTask(QueueLock lock, QueuedHold request) {
        this.lock = lock;
        this.descriptors = lock.descriptors;
        this.request = request;
    }

    /** Makes the task of a request that takes the place of another one at the same lock. */
    ReleaseTask(ReleaseTask former, QueuedHold request) {
        this(former.lock, request);
    }

    @Override
    public boolean step() {
        if (isPut && !lock.takesOut(request)) {
            return true; // another request stands there, and leaves by itself
        }
        isPut = false;
        boolean moved = true;
        while (moved && request.stage != Stage.OUTSIDE) {
            moved = request.isLost() ? awaitLeftByAll() : goesOn(request.stage);
        }
        if (moved) {
            lock.end(request);
        } else if (request.stage == Stage.WAITING) {
            lock.places.put(request);
            isPut = true; // set after the put: if that fails, the background thread still has the place
        }
        return moved;
    }

    /**
     * Takes one step of that stage. This is no switch. The table of a switch is a class of its own, which would be made
     * at the first release. There may be no memory then.
     */
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
        return descriptors.lost().isLeftByAll(request) && become(Stage.OUTSIDE);
    }

    private boolean resolveEntry() {
        if (request.isByCpu()) { // an access by the CPU that has thrown anything has certainly not been done
            return become(Stage.OUTSIDE);
        }
        if (!isRebuilt(Phase.LEAVING)) {
            return false;
        }
        // The repair made it enqueue again, or it never was in the queue, unless its turn had come before.
        return become(Grant.isPassed(descriptors.grant(request)) ? Stage.WAITING : Stage.OUTSIDE);
    }

    /**
     * Returns true if this task has rebuilt the queue since the request has been in that phase. Another rank's
     * repair goes on as soon as it sees the phase. So the phase is written only when the exchange has arrived or never
     * will. The lock's owner has then answered by connections that have replaced those that broke.
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
        return rebuilt && !request.isLost(); // at a lost lock nothing was rebuilt
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

    /**
     * Links the request to its predecessor. An error came between the exchange of the tail and the link. Or it is
     * unknown whether the link has arrived. An access by the CPU leaves no doubt. The queue of a lock at another rank
     * is rebuilt.
     */
    private void link() {
        descriptors.predecessor(request, request.predecessor);
        if (request.isByCpu()) {
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
            request.self = witness; // the request is alone since the queue was rebuilt
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

    /** (told) Notes that the request neither holds the lock nor waits for it, for the repair that surveys the queue. */
    private boolean leaveBehind() {
        descriptors.phase(request, Phase.BLOCKED);
        return become(Stage.LEFT);
    }

    /**
     * (left) Until the queue is rebuilt, a successor may still be about to link itself to the request. Until then the
     * descriptor must serve no other request.
     */
    private boolean awaitRebuilt() {
        long tail = lock.remote().tail(request);
        if (lock.hasEnded(request, tail)) {
            lock.repair(request);
            return false;
        }
        return !Tail.isClosed(tail) && become(Stage.OUTSIDE);
    }

    private boolean resolveExit() {
        if (request.isByCpu()) {
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
        return "ReleaseTask[" + request + "]";
    }
}
