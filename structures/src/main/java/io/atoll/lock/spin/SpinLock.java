package io.atoll.lock.spin;

import io.atoll.fabric.Backoff;
import io.atoll.fabric.Endpoint;
import io.atoll.failure.Beforehand;
import io.atoll.failure.FabricException;
import io.atoll.lock.request.Claim;
import io.atoll.lock.request.Descriptors;
import io.atoll.lock.request.FabricLines;
import io.atoll.lock.request.Keeper;
import io.atoll.lock.request.Locking;
import io.atoll.lock.request.Patience;
import io.atoll.lock.spin.SpinRequest.Stage;
import io.atoll.lock.words.Descriptor;
import io.atoll.lock.words.Phase;
import io.atoll.lock.words.Tail;
import io.atoll.world.Participant;
import io.atoll.world.waiting.Doing;
import io.atoll.world.waiting.Waits;
import org.jspecify.annotations.Nullable;

/**
 * A lock that everybody, its owner too, tries to reserve through the fabric until it is free (the simpler competitor of ALock, section 6). Nobody waits in order, and nobody is
 * sure to have it ever. Who finds that its holder has died takes its place.
 */
public class SpinLock implements Locking {

    private static final int TRIES_BEFORE_DOUBT = 64;

    private final Descriptors descriptors;
    private final Participant participant;
    private final Endpoint endpoint;
    private final Keeper keeper;
    private final SpinLine line;

    static {
        Beforehand.initialize(Stage.class, SpinLock.Leaving.class);
    }

    public SpinLock(Descriptors descriptors, Keeper keeper) {
        this.descriptors = descriptors;
        this.participant = descriptors.participant();
        this.endpoint = descriptors.endpoint();
        this.keeper = keeper;
        this.line = new SpinLine(new FabricLines(endpoint));
    }

    @Override
    public final @Nullable Claim acquire(long index, int owner, long offset, Patience patience) {
        descriptors.refuseIfUnreachable(owner, offset);
        SpinRequest request = descriptors.request(Descriptor.lock(owner, offset), patience,
                mine -> new SpinRequest(this, endpoint.fabric().local(), index, owner, offset, mine));
        return request == null ? null : acquire(request, patience);
    }

    private @Nullable Claim acquire(SpinRequest request, Patience patience) {
        boolean holds = false;
        try {
            descriptors.begin(request);
            long holder = line.reserve(request, Tail.FREE);
            request.entered = holder == Tail.FREE
                    || (patience.isNone() ? succeeds(request, holder) : awaitFree(request, patience));
            if (request.entered) {
                descriptors.holds(request);
                holds = true;
            }
        } finally {
            if (!holds) {
                keeper.begin(request.leaving);
            }
        }
        return holds ? request : null;
    }

    private boolean awaitFree(SpinRequest request, Patience patience) {
        request.waits(endpoint.clock().nanoTime());
        descriptors.phase(request, Phase.WAITING);
        var backoff = new Backoff(endpoint.clock(), Backoff.UNBOUNDED);
        try (Waits.Waiting waiting = participant.waits().begin("lock", request.owner())) {
            while (!patience.isOver()) {
                backoff.pause();
                long holder = line.reserve(request, Tail.FREE);
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

    /** Of a request that only tries: whether it has taken the place of a holder who has ended. */
    private boolean succeeds(SpinRequest request, long holder) {
        return descriptors.mayDoubt() && hasEnded(request, holder) && takesOver(request, holder);
    }

    boolean hasEnded(SpinRequest request, long holder) {
        return descriptors.hasEnded(request, holder);
    }

    /** Whether it has taken the place of the holder, who has ended: of several that try, one does. */
    private boolean takesOver(SpinRequest request, long holder) {
        request.takesOver = true;
        participant.reservations().repair(() -> {
            if (line.reserve(request, holder) == holder) {
                countDeath(request);
            }
        }, Doing.of("lock"));
        request.takesOver = false;
        return request.stage == Stage.HOLDING;
    }

    void countDeath(SpinRequest request) {
        line.countDeath(request);
    }

    @Override
    public final boolean release(Claim claim) {
        if (!claim.releases()) {
            return false;
        }
        keeper.begin(((SpinRequest) claim).leaving);
        return true;
    }

    @Override
    public final void sweep() {
        descriptors.sweep(this::release);
    }

    final class Leaving extends Keeper.Task {

        private final SpinRequest request;

        Leaving(SpinRequest request) {
            this.request = request;
        }

        @Override
        public boolean step() {
            try {
                leaveNow(request);
            } catch (FabricException notYet) {
                descriptors.isUnreachable(request.owner());
                throw notYet;
            }
            return true;
        }

        @Override
        public String toString() {
            return "Leaving[" + request + "]";
        }
    }

    private void leaveNow(SpinRequest request) {
        if (request.stage == Stage.IN_DOUBT) {
            request.stage = line.isHeldBy(request) ? Stage.HOLDING : Stage.OUTSIDE;
        }
        if (request.stage == Stage.HOLDING) {
            if (request.takesOver) {
                countDeath(request);
            }
            line.release(request);
        }
        request.end();
    }

    /** It writes that it knows of one death less than it does. */
    @Override
    public final boolean revoke(Claim claim) {
        if (!claim.isHolding()) {
            return false;
        }
        var request = (SpinRequest) claim;
        // What can fail comes first: as long as the lock is held, nobody else writes that.
        long died = (request.recovered ? request.died : line.acknowledged(request)) - 1;
        if (!claim.releases()) {
            return false;
        }
        request.died = died;
        request.recovered = true;
        keeper.begin(request.leaving);
        return true;
    }

    @Override
    public final boolean isHeld(Claim claim) {
        return claim.isHolding();
    }

    @Override
    public final @Nullable Claim held(long index, int owner, long offset) {
        return descriptors.held(Descriptor.lock(owner, offset), (_, _) -> null);
    }

    /** Nothing: who wants the lock finds that its holder has ended. */
    @Override
    public final void restart(long offset) {}
}
