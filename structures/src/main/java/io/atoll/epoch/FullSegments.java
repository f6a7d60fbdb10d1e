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
 * Frees retired objects when a heap has no room: first those of this rank, then those of the other ranks. If that does
 * not help, it names the token that keeps the objects from being freed.
 */
final class FullSegments implements Relief {

    private static final Logger LOG = LoggerFactory.getLogger(FullSegments.class);

    /** How long it waits for a thread that reclaims at the same time, or that advances the epoch for all. */
    private static final Duration PATIENCE = Duration.ofMillis(100);

    private final RankEpochs rankEpochs;
    private final Supplier<EpochSnapshot> look;
    private final Duration patience;
    private final PeerRelief peers;

    FullSegments(RankEpochs rankEpochs, Supplier<EpochSnapshot> look) {
        this(rankEpochs, look, PATIENCE);
    }

    FullSegments(RankEpochs rankEpochs, Supplier<EpochSnapshot> look, Duration patience) {
        this.rankEpochs = rankEpochs;
        this.look = look;
        this.patience = patience;
        this.peers = new PeerRelief(rankEpochs::epochParts);
    }

    /**
     * Advances the epoch until something can be freed, or until a token is in the way. Then asks the ranks that hold
     * retired objects of the segment. Objects for which the calling thread itself is pinned stay. While that thread is
     * pinned it asks no rank, because its own pin would be in their way.
     */
    @Override
    public boolean relieve(int rank) {
        // Finds runs that a dead rank has retired, too.
        rankEpochs.retiredRuns().lookEverywhere();
        return relieveUnpinned(rank);
    }

    /** As {@link #relieve}, but only for objects of which ranks know that they have retired them. */
    boolean relieveUnpinned(int rank) {
        return relieveOfOwn() || !rankEpochs.isPinnedByThisThread() && relieveByPeers(rank, () -> {});
    }

    /** As {@link #relieve}, but only for objects of which this rank knows that it has retired them. */
    boolean relieveOfOwn() {
        return reclaimed(false);
    }

    /**
     * Asks the other ranks that hold retired objects of the segment to free them, and waits for their answers.
     *
     * @param meanwhile run again and again while it waits: ends whatever is in their way
     * @return true if one of them has freed anything
     */
    boolean relieveByPeers(int rank, Runnable meanwhile) {
        try {
            return peers.ask(rank, look.get(), meanwhile);
        } catch (FabricException unreachable) {
            LOG.debug("cannot see who holds what of a segment that is full: {}", rankEpochs, unreachable);
            return false;
        }
    }

    /** Returns true if another rank has asked this one to free what it can. No verb. */
    boolean isAsked() {
        return peers.isAsked();
    }

    /** Frees everything that can be freed, for the ranks that ask. Waits a moment for short pins to end. */
    void serve() {
        peers.serve(() -> reclaimed(true));
    }

    /** @param all true to go on after the first objects are freed, and to wait for pinned tokens */
    private boolean reclaimed(boolean all) {
        try {
            rankEpochs.sealIdle();
            return reclaim(all);
        } catch (FabricException unreachable) {
            LOG.debug("cannot reclaim for a segment that is full: {}", rankEpochs, unreachable);
            return false;
        }
    }

    private boolean reclaim(boolean all) {
        var backoff = new Backoff(rankEpochs.self().endpoint().clock(), patience);
        long before = rankEpochs.freed();
        for (int advances = 0; advances <= RankEpochs.LONGEST && !rankEpochs.isIdle();) {
            Outcome outcome = rankEpochs.tryToReclaim().attempt().outcome();
            // Objects freed by another thread of this process count, too: they make room as well.
            if (!all && rankEpochs.freed() != before) {
                return true;
            }
            boolean waits = outcome == Outcome.LOST_ELECTION || all && outcome == Outcome.BLOCKED;
            if (outcome != Outcome.ADVANCED && !(waits && backoff.pause())) {
                break;
            }
            advances += outcome == Outcome.ADVANCED ? 1 : 0;
        }
        return rankEpochs.freed() != before;
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
                    : full.explained(limboBytes, longestPinned(snapshot).map(FullSegments::shown).orElse(""));
        } catch (FabricException unreachable) {
            LOG.debug("cannot see what waits to be freed: {}", rankEpochs, unreachable);
            return full;
        }
    }

    /** Leaves out the operation that has failed: its own pin ends with it. */
    private Optional<TokenState> longestPinned(EpochSnapshot snapshot) {
        return snapshot.ranks()
                .stream()
                .flatMap(rank -> rank.tokens().stream())
                .filter(TokenState::pinned)
                .filter(token -> token.rank() != rankEpochs.self().rank()
                        || !rankEpochs.isLentToThisThread(token.index()))
                .min(Comparator.comparingLong(TokenState::epoch));
    }

    private static String shown(TokenState token) {
        return "pinnedByRank=" + token.rank() + " pinnedByThread=" + token.thread() + " pinnedForAtLeastMillis="
                + token.age().toMillis();
    }
}
