package io.atoll.spring.state;

import io.atoll.history.RankHistory;
import java.util.List;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * A rank whose process lives and does nothing: it no longer writes its history. On mapped memory nothing else shows it,
 * since other ranks read and write the memory without the process.
 *
 * @param host the host where it runs; null if the rank has not told it
 * @param pid the id of its process; null if the rank has not told it
 * @param millis the time since it wrote its last point
 */
public record StillRank(int rank, @Nullable String host, @Nullable Long pid, long millis) {

    /** A rank writes once a second. On a busy host some points come late. */
    static final long STILL_MILLIS = 5_000;

    /** @param isMapped returns true for a rank of this host, since clocks of two hosts are never compared */
    static List<StillRank> in(List<SeenHistory> histories, IntPredicate isMapped, long nowNanos) {
        return histories.stream()
                .filter(seen -> seen.origin() == HistoryState.Origin.LIVE && isMapped.test(seen.rank()))
                .filter(seen -> !seen.history().points().isEmpty() && seen.ageMillis(nowNanos) >= STILL_MILLIS)
                .map(seen -> of(seen, nowNanos))
                .toList();
    }

    private static StillRank of(SeenHistory seen, long nowNanos) {
        RankHistory.Identity identity = seen.history().identity();
        boolean isKnown = !identity.equals(RankHistory.Identity.UNKNOWN);
        return new StillRank(seen.rank(), isKnown ? identity.host() : null, isKnown ? identity.pid() : null,
                seen.ageMillis(nowNanos));
    }
}
