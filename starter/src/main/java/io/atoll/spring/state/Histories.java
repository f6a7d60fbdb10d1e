package io.atoll.spring.state;

import io.atoll.Inspection;
import io.atoll.history.Event;
import io.atoll.history.RankHistory;
import io.atoll.history.Series;
import io.atoll.spring.state.ParallelLook.Kind;
import io.atoll.world.Peers.Peer;
import io.atoll.world.Peers.PeerStatus;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Shows the histories that a world's ranks keep to its observers. However many observers there are, a rank's history is
 * read at most once in {@link WorldStates#KEPT}. All public methods read other ranks. Any thread may use it.
 */
public final class Histories {

    private final ReadableRanks ranks;
    private final Inspection inspection;
    private final EpochWatch epochWatch;
    private final Map<Integer, CachedLook<Boolean>> looks = new ConcurrentHashMap<>();
    private final Map<Integer, SeenHistory> known = new ConcurrentHashMap<>();

    Histories(ReadableRanks ranks, Inspection inspection, EpochWatch epochWatch) {
        this.ranks = ranks;
        this.inspection = inspection;
        this.epochWatch = epochWatch;
    }

    /**
     * Returns the histories of ranks that keep one, in their order. For a killed rank, reads its file if the rank was
     * on this host. Else returns what was read of it before. Cost: that of {@link Inspection#history} for each rank.
     */
    List<SeenHistory> all() {
        List<Peer> peers = ranks.all();
        ranks.look(Kind.HISTORY, peers, this::read);
        peers.stream().filter(peer -> peer.status() == PeerStatus.LOST).map(Peer::rank).forEach(this::read);
        return peers.stream()
                .flatMap(peer -> Optional.ofNullable(known.get(peer.rank()))
                        .map(seen -> isCurrent(peer, seen) ? seen : seen.lost())
                        .stream())
                .toList();
    }

    private boolean isCurrent(Peer peer, SeenHistory seen) {
        return seen.origin() == HistoryState.Origin.FILE || ranks.isReadable(peer);
    }

    private void read(int rank) {
        CachedLook.at(looks, rank).look(WorldStates.KEPT, () -> inspection.history(rank).map(read -> {
            known.put(rank, new SeenHistory(read,
                    read.origin() == RankHistory.Origin.FILE ? HistoryState.Origin.FILE : HistoryState.Origin.LIVE,
                    System.nanoTime()));
            return true;
        }).orElse(false));
    }

    /** Returns a rank's history as it was read last; null if it was never read. Cost: none. */
    @Nullable SeenHistory known(int rank) {
        return known.get(rank);
    }

    /**
     * Returns the ranks of this host whose processes live and do nothing, as their histories show. Cost: that of
     * {@link #events}.
     */
    public List<StillRank> stillRanks() {
        List<SeenHistory> seen = all();
        return StillRank.in(seen, rank -> rank != ranks.own() && inspection.isMapped(rank), System.nanoTime());
    }

    /**
     * Returns figures of ranks over time. Cost: that of {@link #events}; none if no series is shown that ranks
     * write.
     *
     * @param series the series to show
     * @param withOwnedLimbo true to show {@link HistoryState#OWNED_LIMBO_BYTES}, too, as
     * {@link WorldStates#watchPins} has seen it
     * @param rank the rank to show; all ranks if empty
     * @param seconds the time from the first to the last point
     * @param points the number of points to show
     * @param fromMillis shows only the points after this time of this process's clock, if it is given
     */
    public HistoryState figures(List<Series> series, boolean withOwnedLimbo, OptionalInt rank, long seconds,
            int points, OptionalLong fromMillis) {
        IntPredicate isShown = each -> rank.isEmpty() || rank.getAsInt() == each;
        List<SeenHistory> written = series.isEmpty()
                ? List.of()
                : all().stream().filter(seen -> isShown.test(seen.rank())).toList();
        HistoryGrid whole = new HistoryGrid(seconds, points, System.currentTimeMillis(), System.nanoTime());
        HistoryGrid grid = fromMillis.isPresent() ? whole.after(fromMillis.getAsLong()) : whole;
        return withOwnedLimbo ? grid.of(series, written, epochWatch.limbo(), isShown) : grid.of(series, written);
    }

    /** Returns the events of all ranks, the last first. Cost: that of {@link Inspection#history} for each rank. */
    public List<RankEvent> events() {
        long nowNanos = System.nanoTime();
        return all().stream()
                .flatMap(seen -> seen.history()
                        .events()
                        .stream()
                        .map(event -> rankEvent(event, seen, nowNanos)))
                .sorted(Comparator.comparingLong(RankEvent::ageMillis)
                        .thenComparing(Comparator.comparingLong(RankEvent::sequence).reversed()))
                .toList();
    }

    /**
     * Returns the recent events of that kind at all ranks, the last of each rank first. Cost: that of
     * {@link #events}.
     */
    public List<RankEvent> recentEvents(Event.Kind kind, Duration within) {
        long nowNanos = System.nanoTime();
        return all().stream()
                .flatMap(seen -> seen.history()
                        .events()
                        .reversed()
                        .stream()
                        .takeWhile(event -> seen.ageMillis(event.atMillis(), nowNanos) <= within.toMillis())
                        .filter(event -> event.kind() == kind)
                        .map(event -> rankEvent(event, seen, nowNanos)))
                .toList();
    }

    private static RankEvent rankEvent(Event event, SeenHistory seen, long nowNanos) {
        return RankEvent.of(event, seen.rank(), Math.max(0, seen.ageMillis(event.atMillis(), nowNanos)));
    }
}
