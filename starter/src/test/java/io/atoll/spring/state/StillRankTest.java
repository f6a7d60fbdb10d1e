package io.atoll.spring.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.history.RankHistory;
import io.atoll.history.Series;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class StillRankTest {

    private static final RankHistory.Identity IDENTITY = new RankHistory.Identity("node-7", 4711, "1", 1);
    private static final RankHistory.Point POINT = new RankHistory.Point(1_000, new long[Series.values().length]);

    private static SeenHistory seen(RankHistory.Identity identity, long writtenMillisAgo,
            List<RankHistory.Point> points) {
        return new SeenHistory(new RankHistory(3, RankHistory.Origin.LIVE, identity, writtenMillisAgo, points,
                List.of(), RankHistory.Operations.NONE), HistoryState.Origin.LIVE, 0);
    }

    private static List<StillRank> in(SeenHistory seen, long nowMillis) {
        return StillRank.in(List.of(seen), rank -> rank == 3, TimeUnit.MILLISECONDS.toNanos(nowMillis));
    }

    @Test
    void aRankThatWritesItsHistoryNoMoreStandsStill() {
        SeenHistory seen = seen(IDENTITY, 4_000, List.of(POINT));
        assertThat(in(seen, 999)).isEmpty();
        assertThat(in(seen, 1_000)).containsExactly(new StillRank(3, "node-7", 4711L, 5_000));
        assertThat(in(seen(RankHistory.Identity.UNKNOWN, 7_000, List.of(POINT)), 0))
                .containsExactly(new StillRank(3, null, null, 7_000));
    }

    @Test
    void aRankOfAnotherHostIsNotJudgedByItsClock() {
        assertThat(StillRank.in(List.of(seen(IDENTITY, 60_000, List.of(POINT))), _ -> false, 0)).isEmpty();
    }

    @Test
    void aRankThatIsGoneOrHasWrittenNothingYetDoesNotStandStill() {
        assertThat(in(seen(IDENTITY, 60_000, List.of(POINT)).lost(), 0)).isEmpty();
        assertThat(in(seen(IDENTITY, 60_000, List.of()), 0)).isEmpty();
    }
}
