package io.atoll.spring.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.history.RankHistory;
import io.atoll.history.Series;
import io.atoll.spring.state.HistoryState.RankSeries;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LimboRingTest {

    // a clock of nanoseconds may begin anywhere
    private static final long START = Long.MAX_VALUE - TimeUnit.MINUTES.toNanos(5);
    private static final Duration REST = Duration.ofSeconds(5);

    private final LimboRing ring = new LimboRing(REST);

    private static long at(double seconds) {
        return START + (long) (seconds * 1e9);
    }

    private void see(double seconds, Map<Integer, Long> ownedBytes) {
        ring.add(at(seconds), ownedBytes);
    }

    /** Returns a grid that spans the given seconds until the given time, with one point per second. */
    private static HistoryGrid grid(int seconds, double until) {
        return new HistoryGrid(seconds, seconds, 0, at(until));
    }

    private List<@Nullable Double> row(int owner, int seconds, double until) {
        return ring.shown(grid(seconds, until), List.of(owner)).values().get(owner);
    }

    @Test
    void beforeTheFirstLookNothingIsSaidOfAnyRank() {
        LimboRing.Shown shown = ring.shown(grid(10, 0), List.of(3));
        assertThat(shown.seenForMillis()).isNull();
        assertThat(shown.values()).isEmpty();
    }

    @Test
    void eachTimeHasWhatTheLastLookBeforeHasSeenAndNothingBeforeTheFirst() {
        see(2, Map.of(3, 100L));
        see(4, Map.of(3, 300L, 7, 50L));
        see(5, Map.of(7, 20L));
        assertThat(row(3, 6, 6)).containsExactly(null, 100.0, 100.0, 300.0, 0.0, 0.0);
        assertThat(row(7, 6, 6)).containsExactly(null, 0.0, 0.0, 50.0, 20.0, 20.0);
        assertThat(row(5, 6, 6)).as("of a rank in whose segment nothing waits")
                .containsExactly(null, 0.0, 0.0, 0.0, 0.0, 0.0);
        LimboRing.Shown shown = ring.shown(grid(6, 6), List.of());
        assertThat(shown.seenForMillis()).isEqualTo(4_000);
        assertThat(shown.ageMillis()).isEqualTo(1_000);
        assertThat(shown.values()).containsOnlyKeys(3, 7);
    }

    @Test
    void aTimeForWhichNobodyHasLookedIsNotKnown() {
        see(0, Map.of(3, 100L));
        see(30, Map.of(3, 200L));
        assertThat(row(3, 31, 30)).startsWith(100.0, 100.0).endsWith(null, 200.0);
        assertThat(row(3, 31, 30).stream().filter(bytes -> bytes != null && bytes == 100).count())
                .as("as long as a rest, and a little more")
                .isEqualTo(8);
    }

    @Test
    void looksThatFollowEachOtherAtOnceAreOnePoint() {
        see(0, Map.of(3, 100L));
        see(0.5, Map.of(3, 200L));
        see(1, Map.of(3, 300L));
        assertThat(row(3, 2, 1.5)).as("at half a second the look before it").containsExactly(100.0, 300.0);
    }

    @Test
    void tenMinutesAreKeptAndARankInWhoseSegmentNothingWaitsTakesNoRoom() {
        see(0, Map.of(3, 100L));
        for (int second = 1; second < LimboRing.POINTS; second++) {
            see(second, Map.of(7, 50L));
        }
        assertThat(ring.shown(grid(600, 599), List.of()).values()).containsOnlyKeys(3, 7);
        assertThat(row(3, 600, 599)).startsWith(100.0, 0.0).endsWith(0.0);
        see(LimboRing.POINTS, Map.of(7, 50L));
        LimboRing.Shown shown = ring.shown(grid(600, 600), List.of());
        assertThat(shown.values()).containsOnlyKeys(7);
        assertThat(shown.values().get(7)).hasSize(600).containsOnly(50.0);
        assertThat(shown.seenForMillis()).isEqualTo(600_000);
    }

    @Test
    void soManyRanksHaveRoomThatTheFirstOnesKeepTheirs() {
        Map<Integer, Long> all = new HashMap<>();
        for (int rank = 0; rank < LimboRing.MOST_OWNERS; rank++) {
            all.put(rank, 1L);
        }
        see(0, all);
        all.put(LimboRing.MOST_OWNERS, 1L);
        see(1, all);
        assertThat(ring.shown(grid(1, 1), List.of()).values()).hasSize(LimboRing.MOST_OWNERS)
                .doesNotContainKey(LimboRing.MOST_OWNERS);
        see(2, Map.of(3, 5L));
        see(3, all);
        // Until the rows of the others are given up, there is no room for one more.
        assertThat(row(LimboRing.MOST_OWNERS, 4, 3)).as("of a rank for which there was no room")
                .containsExactly(0.0, null, 0.0, null);
        assertThat(row(3, 4, 3)).containsExactly(1.0, 1.0, 5.0, 1.0);
    }

    @Test
    void whatWasSeenOfARankBeforeItHadRoomIsNotKnown() {
        Map<Integer, Long> all = new HashMap<>();
        for (int rank = 0; rank < LimboRing.MOST_OWNERS; rank++) {
            all.put(rank, 1L);
        }
        see(0, all);
        see(1, Map.of(0, 1L, LimboRing.MOST_OWNERS, 7L));
        for (int second = 2; second <= LimboRing.POINTS; second++) {
            see(second, Map.of(0, 1L, LimboRing.MOST_OWNERS, 8L));
        }
        assertThat(row(LimboRing.MOST_OWNERS, 600, LimboRing.POINTS)).startsWith(null, null)
                .endsWith(8.0)
                .doesNotContain(0.0, 7.0);
    }

    // --- in a history ---

    private static SeenHistory written(int rank) {
        long[] values = new long[Series.values().length];
        values[Series.LIMBO_BYTES.ordinal()] = 9;
        return new SeenHistory(new RankHistory(rank, RankHistory.Origin.LIVE, RankHistory.Identity.UNKNOWN, 0,
                List.of(new RankHistory.Point(1_000, values)), List.of(), RankHistory.Operations.NONE),
                HistoryState.Origin.LIVE, at(2));
    }

    @Test
    void ranksThatKeepNoHistoryAreShownBesideThoseThatDo() {
        see(1, Map.of(3, 100L, 7, 50L));
        see(2, Map.of(3, 200L, 7, 50L));
        HistoryState shown = grid(2, 2).of(List.of(Series.LIMBO_BYTES), List.of(written(3), written(5)), ring,
                rank -> rank != 1);
        assertThat(shown.series()).extracting(HistoryState.SeriesState::key)
                .containsExactly("limbo-bytes", "owned-limbo-bytes");
        assertThat(shown.series()).extracting(HistoryState.SeriesState::seenForMillis).containsExactly(null, 1_000L);
        assertThat(shown.ranks()).extracting(RankSeries::rank).containsExactly(3, 5, 7);
        assertThat(shown.ranks()).extracting(RankSeries::origin)
                .containsExactly(HistoryState.Origin.LIVE, HistoryState.Origin.LIVE, HistoryState.Origin.WATCHED);
        assertThat(shown.ranks()).extracting(rank -> rank.values().get("limbo-bytes").getLast())
                .containsExactly(9.0, 9.0, null);
        assertThat(shown.ranks()).extracting(rank -> rank.values().get("owned-limbo-bytes"))
                .containsExactly(List.of(100.0, 200.0), List.of(0.0, 0.0), List.of(50.0, 50.0));
        HistoryState one = grid(2, 2).of(List.of(), List.of(), ring, rank -> rank == 7);
        assertThat(one.ranks()).extracting(RankSeries::rank).containsExactly(7);
    }
}
