package io.atoll.epoch;

import io.atoll.epoch.EpochSnapshot.TokenState;
import io.atoll.epoch.GlobalEpoch.Outcome;
import io.atoll.fabric.Backoff;
import io.atoll.failure.FabricException;
import io.atoll.failure.SegmentFullException;
import io.atoll.heap.Relief;
import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Frees what was retired when a heap has no room, first by this rank, then by the others, and says who is in the way if
 * that does not help.
 */
final class FullSegments implements Relief {

    private static final Logger LOG = LoggerFactory.getLogger(FullSegments.class);

    /** For who reclaims at the same time, or advances the epoch for all. */
    private static final Duration PATIENCE = Duration.ofMillis(100);

    private final Reclamation reclamation;
    private final Supplier<EpochSnapshot> look;
    private final Duration patience;
    private final PeerRelief peers;

    FullSegments(Reclamation reclamation, Supplier<EpochSnapshot> look) {
        this(reclamation, look, PATIENCE);
    }

    FullSegments(Reclamation reclamation, Supplier<EpochSnapshot> look, Duration patience) {
        this.reclamation = reclamation;
        this.look = look;
        this.patience = patience;
        this.peers = new PeerRelief(reclamation::parts);
    }

    /**
     * Advances the epoch until something can be freed, or somebody is in the way; then asks the ranks that hold something
     * of the segment. What the calling thread itself is pinned for stays, and while it is pinned it asks nobody: its own
     * pin would be in their way.
     */
    @Override
    public boolean relieve(int rank) {
        // Also those that a dead rank has retired.
        reclamation.retiredRuns().lookEverywhere();
        return relieveUnpinned(rank);
    }

    /** As {@link #relieve}, of what ranks know to have retired. */
    boolean relieveUnpinned(int rank) {
        return relieveOfOwn() || !reclamation.isPinnedByThisThread() && relieveByPeers(rank, () -> {});
    }

    /** As {@link #relieve}, of what this rank knows to have retired. */
    boolean relieveOfOwn() {
        return reclaimed(false);
    }

    /**
     * Asks the other ranks that hold something of the segment to free it, and waits for their answers.
     *
     * @param meanwhile run again and again: lets go of what is in their way
     * @return whether one of them has freed anything
     */
    boolean relieveByPeers(int rank, Runnable meanwhile) {
        try {
            return peers.ask(rank, look.get(), meanwhile);
        } catch (FabricException unreachable) {
            LOG.debug("cannot see who holds what of a segment that is full: {}", reclamation, unreachable);
            return false;
        }
    }

    /** Whether another rank has asked this one to free what it can. No verb. */
    boolean isAsked() {
        return peers.isAsked();
    }

    /** Frees all that can be freed, for the ranks that ask. Waits a moment for pins that are just short. */
    void serve() {
        peers.serve(() -> reclaimed(true));
    }

    /** @param all whether it goes on after the first that it frees, and waits for those who are in the way */
    private boolean reclaimed(boolean all) {
        try {
            reclamation.sealIdle();
            return reclaim(all);
        } catch (FabricException unreachable) {
            LOG.debug("cannot reclaim for a segment that is full: {}", reclamation, unreachable);
            return false;
        }
    }

    private boolean reclaim(boolean all) {
        var backoff = new Backoff(reclamation.self().endpoint().clock(), patience);
        long before = reclamation.freed();
        for (int advances = 0; advances <= Reclamation.LONGEST && !reclamation.isIdle();) {
            Outcome outcome = reclamation.tryToReclaim().attempt().outcome();
            // By another thread of this process, too: there is room as well.
            if (!all && reclamation.freed() != before) {
                return true;
            }
            boolean waits = outcome == Outcome.LOST_ELECTION || all && outcome == Outcome.BLOCKED;
            if (outcome != Outcome.ADVANCED && !(waits && backoff.pause())) {
                break;
            }
            advances += outcome == Outcome.ADVANCED ? 1 : 0;
        }
        return reclamation.freed() != before;
    }

    @Override
    public SegmentFullException explained(SegmentFullException full) {
        try {
            EpochSnapshot snapshot = look.get();
            long limboBytes = full.limboBytes() + snapshot.ranks()
                    .stream()
                    .flatMap(rank -> rank.limbo().stream())
                    .flatMap(limbo -> limbo.owned().stream())
                    .filter(owned -> owned.rank() == full.rank())
                    .mapToLong(EpochSnapshot.Owned::bytes)
                    .sum();
            return limboBytes <= 0
                    ? full
                    : new SegmentFullException(full.rank(), full.askedBytes(), full.freeBytes(), limboBytes,
                            longestPinned(snapshot).map(FullSegments::shown).orElse(""));
        } catch (FabricException unreachable) {
            LOG.debug("cannot see what waits to be freed: {}", reclamation, unreachable);
            return full;
        }
    }

    /** But for the operation that has failed: its own pin ends with it. */
    private Optional<TokenState> longestPinned(EpochSnapshot snapshot) {
        return snapshot.ranks()
                .stream()
                .flatMap(rank -> rank.tokens().stream())
                .filter(TokenState::pinned)
                .filter(token -> token.rank() != reclamation.self().rank()
                        || !reclamation.isLentToThisThread(token.index()))
                .min(Comparator.comparingLong(TokenState::epoch));
    }

    private static String shown(TokenState token) {
        return "pinnedByRank=" + token.rank() + " pinnedByThread=" + token.thread() + " pinnedForAtLeastMillis="
                + token.age().toMillis();
    }
}
