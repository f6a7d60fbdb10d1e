package io.atoll.spring.state.overview;

import io.atoll.history.Event;
import io.atoll.history.Series;
import io.atoll.spring.state.CachedLook;
import io.atoll.spring.state.HistoryState;
import io.atoll.spring.state.LockStates;
import io.atoll.spring.state.RankState;
import io.atoll.spring.state.WorldState;
import io.atoll.spring.state.WorldStates;
import io.atoll.spring.state.overview.Observations.BrokenPromise;
import io.atoll.world.Peers.PeerStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Gives an overview of a world to any number of callers, but looks only once a second. Any thread may use it. Cost:
 * that of {@link WorldStates#rankStates}; every five seconds that of {@link LockStates#tables}; every ten seconds
 * that of {@link WorldStates#structures}.
 */
public final class OverviewWatch {

    private static final int SECONDS = 60;

    /** How long a broken promise stays a problem. */
    private static final Duration PROMISES_SHOWN = Duration.ofMinutes(10);

    private static final List<Series> SERIES = List.of(Series.REMOTE_READS, Series.REMOTE_WRITES,
            Series.REMOTE_ATOMICS, Series.OPERATIONS, Series.HEAP_USED_BYTES, Series.LIMBO_BYTES);

    private final WorldStates worldStates;
    private final CachedLook<Overview> sight = new CachedLook<>();

    public OverviewWatch(WorldStates worldStates) {
        this.worldStates = worldStates;
    }

    /** Returns the world at a glance. The result is at most a second old, unless another look is under way. */
    public Overview look() {
        return sight.look(WorldStates.KEPT, this::lookOver);
    }

    private Overview lookOver() {
        List<RankState> ranks = worldStates.rankStates();
        WorldState world = worldStates.world();
        List<Problem> problems = ProblemFinder.in(new Observations(world, worldStates.view(), ranks,
                worldStates.histories().stillRanks(),
                worldStates.lastEpochSummary(), worldStates.pinLimit().toMillis(), worldStates.locks().recentTables(),
                worldStates.locks().recentDeadlocks(),
                worldStates.recentStructures(), worldStates.troubles(), brokenPromises()));
        return new Overview(world, ProblemFinder.sentence(world, problems),
                problems.isEmpty() ? Severity.GOOD : problems.getFirst().severity(), problems,
                new Overview.RankCounts(count(ranks, PeerStatus.JOINED), count(ranks, PeerStatus.LOST),
                        count(ranks, PeerStatus.MISSING)),
                sparklines(ranks));
    }

    /** Returns the last broken promises of each rank. A promise that breaks again and again is shown once. */
    private List<BrokenPromise> brokenPromises() {
        Set<String> texts = new HashSet<>();
        return worldStates.histories()
                .recentEvents(Event.Kind.PROMISE_BROKEN, PROMISES_SHOWN)
                .stream()
                .filter(event -> texts.add(event.rank() + " " + event.text()))
                .map(BrokenPromise::of)
                .toList();
    }

    private static int count(List<RankState> ranks, PeerStatus standing) {
        return (int) ranks.stream().filter(rank -> rank.standing() == standing).count();
    }

    private Map<String, List<@Nullable Double>> sparklines(List<RankState> ranks) {
        HistoryState seen = worldStates.histories()
                .figures(SERIES, false, OptionalInt.empty(), SECONDS, SECONDS,
                        OptionalLong.empty());
        long heapBytes = ranks.stream()
                .map(RankState::usage)
                .mapToLong(usage -> usage == null ? 0 : usage.totalBytes())
                .max()
                .orElse(0);
        Map<String, List<@Nullable Double>> lines = new LinkedHashMap<>();
        lines.put("remote-verbs",
                sums(seen, List.of(Series.REMOTE_READS, Series.REMOTE_WRITES, Series.REMOTE_ATOMICS), false, 1));
        lines.put("operations", sums(seen, List.of(Series.OPERATIONS), false, 1));
        lines.put("memory-percent",
                sums(seen, List.of(Series.HEAP_USED_BYTES), true, heapBytes == 0 ? Double.NaN : 100.0 / heapBytes));
        lines.put("limbo-bytes", sums(seen, List.of(Series.LIMBO_BYTES), false, 1));
        return lines;
    }

    /** Returns the sum or the mean over all ranks, as far as their values are known. */
    private static List<@Nullable Double> sums(HistoryState seen, List<Series> series, boolean isMean, double factor) {
        List<@Nullable Double> sums = new ArrayList<>(SECONDS);
        for (int second = 0; second < SECONDS; second++) {
            double sum = 0;
            int known = 0;
            for (HistoryState.RankSeries rank : seen.ranks()) {
                for (Series each : series) {
                    Double value = rank.values().getOrDefault(each.key(), List.of()).get(second);
                    if (value != null) {
                        sum += value;
                        known++;
                    }
                }
            }
            double shown = isMean ? sum / Math.max(1, known) * factor : sum * factor;
            sums.add(known == 0 || !Double.isFinite(shown) ? null : shown);
        }
        return sums;
    }
}
