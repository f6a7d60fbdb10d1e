package io.atoll.lock;

import io.atoll.fabric.Backoff;
import io.atoll.fabric.Clock;
import io.atoll.failure.Beforehand;
import io.atoll.failure.FabricException;
import io.atoll.lock.SpinHold.Stage;
import io.atoll.world.Participant;
import io.atoll.world.WaitReason;
import io.atoll.world.Waits;
import org.jspecify.annotations.Nullable;

/**
 * A lock that all threads, even the owner's, try to reserve through the fabric until it is free. It is the simpler
 * competitor of ALock (section 6). Threads do not wait in order, and no thread is sure ever to get the lock. A thread
 * that finds that the holder has died takes its place.
 */
class SpinLock implements LockProtocol {

    private static final int TRIES_BEFORE_DOUBT = 64;

    private final Descriptors descriptors;
    private final DescriptorPool pool;
    private final Participant participant;
    private final Clock clock;
    private final BackgroundTasks background;

    static {
        Beforehand.initialize(Stage.class, SpinLine.class, SpinLock.Leaving.class);
    }

    public SpinLock(Descriptors descriptors, BackgroundTasks background) {
        this.descriptors = descriptors;
        this.pool = descriptors.pool();
        this.participant = descriptors.participant();
        this.clock = descriptors.clock();
        this.background = background;
    }

    @Override
    public final @Nullable Hold acquire(long index, int owner, long line, WaitLimit limit) {
        Parts parts = descriptors.parts();
        long offset = parts.lines(owner) + line;
        pool.refuseIfUnreachable(owner, parts, offset);
        SpinHold request = pool.request(Descriptor.lock(parts.born(owner), index), limit,
                mine -> new SpinHold(this, descriptors, index, owner, parts, offset, mine));
        return request == null ? null : acquire(request, limit);
    }

    private @Nullable Hold acquire(SpinHold request, WaitLimit limit) {
        boolean holds = false;
        try {
            descriptors.begin(request);
            long holder = SpinLine.reserve(request, Tail.FREE);
            request.entered = holder == Tail.FREE
                    || (limit.isNone() ? succeeds(request, holder) : awaitFree(request, limit));
            if (request.entered) {
                descriptors.holds(request);
                holds = true;
            }
        } finally {
            if (!holds) {
                background.begin(request.leaving);
            }
        }
        return holds ? request : null;
    }

    private boolean awaitFree(SpinHold request, WaitLimit limit) {
        request.waits(clock.nanoTime());
        descriptors.phase(request, Phase.WAITING);
        var backoff = new Backoff(clock, Backoff.UNBOUNDED);
        try (Waits.Waiting waiting = participant.waits().begin("lock", request.owner())) {
            while (!limit.isOver()) {
                backoff.pause();
                long holder = SpinLine.reserve(request, Tail.FREE);
                if (holder == Tail.FREE) {
                    return true;
                }
                waiting.isFor(Tail.rank(holder));
                if (backoff.attempts() == TRIES_BEFORE_DOUBT) {
                    descriptors.refuseIfHeldByThisThread(request);
                }
                if (backoff.attempts() % TRIES_BEFORE_DOUBT == 0 && hasEnded(request, holder)
                        && takesOver(request, holder)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Returns true if a request that only tries has taken the place of a holder that has ended. */
    private boolean succeeds(SpinHold request, long holder) {
        return descriptors.mayDoubt() && hasEnded(request, holder) && takesOver(request, holder);
    }

    boolean hasEnded(SpinHold request, long holder) {
        return descriptors.hasEnded(request, holder);
    }

    /**
     * Returns true if the request has taken the place of the holder, which has ended. If several requests try, one
     * succeeds.
     */
    private boolean takesOver(SpinHold request, long holder) {
        request.takesOver = true;
        participant.reservations().repair(() -> {
            if (SpinLine.reserve(request, holder) == holder) {
                countDeath(request);
            }
        }, WaitReason.of("lock"));
        request.takesOver = false;
        return request.stage == Stage.HOLDING;
    }

    void countDeath(SpinHold request) {
        SpinLine.countDeath(request);
    }

    /** Leaves the lock, now or as soon as it can be reached. Returns true. */
    boolean leave(SpinHold request) {
        background.begin(request.leaving);
        return true;
    }

    /**
     * Leaves the lock, and has the next holder told as after a death. Returns true.
     *
     * @param known the number of deaths of which the holders know
     */
    boolean leaveByForce(SpinHold request, long known) {
        request.pretendDeath(known);
        return leave(request);
    }

    final class Leaving extends BackgroundTasks.Task {

        private final SpinHold request;

        Leaving(SpinHold request) {
            this.request = request;
        }

        @Override
        public boolean step() {
            try {
                leaveNow(request);
            } catch (FabricException notYet) {
                pool.isUnreachable(request.owner());
                throw notYet;
            }
            return true;
        }

        @Override
        public String toString() {
            return "Leaving[" + request + "]";
        }
    }

    private void leaveNow(SpinHold request) {
        if (descriptors.isLost(request)) {
            request.end(); // no process writes to the descriptor of such a request
            return;
        }
        if (request.stage == Stage.IN_DOUBT) {
            request.stage = SpinLine.isHeldBy(request) ? Stage.HOLDING : Stage.OUTSIDE;
        }
        if (request.stage == Stage.HOLDING) {
            if (request.takesOver) {
                countDeath(request);
            }
            SpinLine.release(request);
        }
        request.end();
    }

    /** Returns null: the owner reserves its locks through the fabric, too. */
    @Override
    public @Nullable LocalFastPath localFastPath() {
        return null;
    }
}
