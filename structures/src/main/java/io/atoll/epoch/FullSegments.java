package io.atoll.epoch;

import io.atoll.epoch.GlobalEpoch.Outcome;
import io.atoll.epoch.observation.EpochSnapshot;
import io.atoll.epoch.observation.EpochSnapshot.TokenState;
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

/** Frees what this rank has retired when a heap has no room, and says who is in the way if that does not help. */
final class FullSegments implements Relief {

    private static final Logger LOG = LoggerFactory.getLogger(FullSegments.class);

    /** For who reclaims at the same time, or advances the epoch for all. */
    private static final Duration PATIENCE = Duration.ofMillis(100);

    private final Reclamation reclamation;
    private final Supplier<EpochSnapshot> look;
    private final Duration patience;

    FullSegments(Reclamation reclamation, Supplier<EpochSnapshot> look) {
        this(reclamation, look, PATIENCE);
    }

    FullSegments(Reclamation reclamation, Supplier<EpochSnapshot> look, Duration patience) {
        this.reclamation = reclamation;
        this.look = look;
        this.patience = patience;
    }

    /**
     * Advances the epoch until something can be freed, or somebody is in the way. What the calling thread itself is pinned for stays.
     */
    @Override
    public boolean relieve() {
        // Also those that a dead rank has retired.
        reclamation.retiredRuns().lookEverywhere();
        return relieveOfOwn();
    }

    /** As {@link #relieve}, of what this rank knows to have retired. */
    boolean relieveOfOwn() {
        try {
            reclamation.sealIdle();
            return reclaim();
        } catch (FabricException unreachable) {
            LOG.debug("cannot reclaim for a segment that is full: {}", reclamation, unreachable);
            return false;
        }
    }

    private boolean reclaim() {
        var backoff = new Backoff(reclamation.self().endpoint().clock(), patience);
        long before = reclamation.freed();
        for (int advances = 0; advances <= Reclamation.LONGEST && !reclamation.isIdle();) {
            Outcome outcome = reclamation.tryToReclaim().attempt().outcome();
            // By another thread of this process, too: there is room as well.
            if (reclamation.freed() != before) {
                return true;
            }
            if (outcome == Outcome.BLOCKED || outcome == Outcome.LOST_ELECTION && !backoff.pause()) {
                return false;
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
