package io.atoll.spring.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.history.RankHistory;
import io.atoll.history.Series;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class HistoryGridTest {

    private static final Series GAUGE = Series.HEAP_USED_BYTES;
    private static final Series TOTAL = Series.FREED_OBJECTS;

    /** A time by the clock of the rank's host, which has no relation to this host's clock. */
    private static final long THEIR_CLOCK = 5_000_000_000L;

    private static RankHistory.Point point(long atMillis, long gauge, long total) {
        long[] values = new long[Series.values().length];
        values[GAUGE.ordinal()] = gauge;
        values[TOTAL.ordinal()] = total;
        return new RankHistory.Point(THEIR_CLOCK + atMillis, values);
    }

    private static SeenHistory seen(long writtenMillisAgo, List<RankHistory.Point> points) {
        return new SeenHistory(
                new RankHistory(3, RankHistory.Origin.LIVE, new RankHistory.Identity("node-7", 4711, "1", THEIR_CLOCK),
                        writtenMillisAgo, points, List.of(), RankHistory.Operations.NONE),
                HistoryState.Origin.LIVE, 0);
    }

    private static List<@Nullable Double> values(Series series, SeenHistory seen, int seconds, int points) {
        HistoryState history = new HistoryGrid(seconds, points, 0, 0).of(List.of(GAUGE, TOTAL), List.of(seen));
        assertThat(history.intervalMillis()).isEqualTo(seconds * 1_000 / points);
        assertThat(history.untilAgeMillis()).isZero();
        return history.ranks().getFirst().values().get(series.key());
    }

    @Test
    void pointsOfAnyClockStandAtTheSameTimesAndTotalsAreRates() {
        List<RankHistory.Point> written = IntStream.rangeClosed(0, 10)
                .mapToObj(second -> point(second * 1_000L, 100 + second, second * 50L))
                .toList();
        assertThat(values(GAUGE, seen(0, written), 5, 5)).containsExactly(106.0, 107.0, 108.0, 109.0, 110.0);
        assertThat(values(TOTAL, seen(0, written), 5, 5)).containsOnly(50.0);
        assertThat(values(TOTAL, seen(0, written), 10, 2)).containsExactly(50.0, 50.0);
        assertThat(values(GAUGE, seen(0, written), 10, 2)).containsExactly(105.0, 110.0);
    }

    @Test
    void whatWasNotWrittenIsNotKnown() {
        List<RankHistory.Point> written = List.of(point(0, 1, 0), point(1_000, 2, 10), point(2_000, 3, 20));
        // The rank was lost ten seconds ago. So all times that follow its last point by more than a moment are unknown.
        assertThat(values(GAUGE, seen(10_000, written), 15, 15)).startsWith(null, null, 1.0, 2.0, 3.0)
                .endsWith(null, null, null);
    }

    @Test
    void aRankThatCountsAnewHasNoRateThen() {
        List<RankHistory.Point> written = List.of(point(0, 1, 900), point(1_000, 1, 1_000), point(2_000, 1, 30),
                point(3_000, 1, 60));
        assertThat(values(TOTAL, seen(0, written), 3, 3)).containsExactly(100.0, null, 30.0);
    }

    @Test
    void theGridStandsStillBetweenTwoLooks() {
        SeenHistory seen = seen(0, List.of(point(0, 1, 0)));
        assertThat(new HistoryGrid(60, 6, 125_000, 0).of(List.of(GAUGE), List.of(seen)).untilAgeMillis())
                .isEqualTo(5_000);
        assertThat(new HistoryGrid(60, 6, 126_000, 0).of(List.of(GAUGE), List.of(seen)).untilAgeMillis())
                .isEqualTo(6_000);
    }

    private static HistoryState after(long fromMillis, SeenHistory seen) {
        return new HistoryGrid(5, 5, 100_400, 0).after(fromMillis).of(List.of(GAUGE, TOTAL), List.of(seen));
    }

    @Test
    void onlyThePointsAfterATimeAreShownAndTheyAreThoseOfTheWholeGrid() {
        SeenHistory seen = seen(400, IntStream.rangeClosed(0, 10)
                .mapToObj(second -> point(second * 1_000L, 100 + second, second * 50L))
                .toList());
        HistoryState newer = after(98_000, seen);
        assertThat(newer.untilMillis()).isEqualTo(100_000);
        assertThat(newer.untilAgeMillis()).isEqualTo(400);
        assertThat(newer.ranks().getFirst().values().get(GAUGE.key())).containsExactly(109.0, 110.0);
        assertThat(newer.ranks().getFirst().values().get(TOTAL.key())).containsExactly(50.0, 50.0);
        assertThat(after(97_999, seen).ranks().getFirst().values().get(GAUGE.key())).hasSize(3);
        assertThat(after(100_000, seen).ranks().getFirst().values().get(GAUGE.key())).isEmpty();
        assertThat(after(100_400, seen).ranks().getFirst().values().get(GAUGE.key())).isEmpty();
        assertThat(after(0, seen).ranks().getFirst().values().get(GAUGE.key())).hasSize(5);
    }

    @Test
    void aSegmentThatFillsUpIsFullInTime() {
        List<RankHistory.Point> written = List.of(point(0, 100, 0), point(60_000, 400, 0));
        assertThat(EpochForecast.of(seen(0, written).history(), 1_000))
                .contains(new EpochSummary.Forecast(3, 120_000L));
        assertThat(EpochForecast.of(seen(0, List.of(point(0, 400, 0), point(60_000, 400, 0))).history(), 1_000))
                .contains(new EpochSummary.Forecast(3, null));
        assertThat(EpochForecast.of(seen(0, List.of(point(0, 100, 0), point(5_000, 400, 0))).history(), 1_000))
                .isEmpty();
    }
}
