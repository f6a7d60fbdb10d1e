package io.atoll.spring.state;

import io.atoll.history.RankIdentity;
import java.util.List;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * A rank whose process lives, and does nothing: it writes its history no more. Where memory is mapped nothing else tells,
 * since everyone can read and write there, whatever the process does.
 *
 * @param host where it runs; null if it has told nobody
 * @param pid of its process; null likewise
 * @param millis since it has written the last point
 */
public record StillRank(int rank, @Nullable String host, @Nullable Long pid, long millis) {

    /** A rank writes once a second; some points late are no more than a busy host. */
    static final long STILL_MILLIS = 5_000;

    /** @param isMapped whether a rank is one of this host: the clocks of hosts are not compared */
    static List<StillRank> in(List<SeenHistory> histories, IntPredicate isMapped, long nowNanos) {
        return histories.stream()
                .filter(seen -> seen.origin() == HistoryState.Origin.LIVE && isMapped.test(seen.rank()))
                .filter(seen -> !seen.history().points().isEmpty() && seen.ageMillis(nowNanos) >= STILL_MILLIS)
                .map(seen -> of(seen, nowNanos))
                .toList();
    }

    private static StillRank of(SeenHistory seen, long nowNanos) {
        RankIdentity identity = seen.history().identity();
        boolean isKnown = !identity.equals(RankIdentity.UNKNOWN);
        return new StillRank(seen.rank(), isKnown ? identity.host() : null, isKnown ? identity.pid() : null,
                seen.ageMillis(nowNanos));
    }
}
