package io.atoll.spring.meters;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.spring.state.HistoryState;
import java.time.Duration;
import java.util.List;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FigureRingTest {

    private static final Duration INTERVAL = Duration.ofSeconds(5);

    private final FigureRing ring = new FigureRing();

    private void addAfter(double seconds, double entries, double operations) {
        ring.add(nanos(seconds), entries, OptionalDouble.of(entries / 1_000), OptionalDouble.of(operations));
    }

    private static long nanos(double seconds) {
        return Math.round(seconds * 1e9);
    }

    private List<@Nullable Double> last(String series, int points, double nowSeconds) {
        HistoryState seen = ring.history(3, INTERVAL, nanos(nowSeconds));
        List<@Nullable Double> values = seen.ranks().getFirst().values().get(series);
        assertThat(values).hasSize(FigureRing.POINTS);
        return values.subList(FigureRing.POINTS - points, FigureRing.POINTS);
    }

    @Test
    void eachLookStandsAtTheNearestPointAndOneThatIsMissingIsAbsent() {
        addAfter(0, 10, 0);
        addAfter(5.4, 20, 0);
        addAfter(9.8, 30, 0);
        addAfter(20, 40, 0);
        assertThat(last("entries", 6, 20)).containsExactly(null, 10.0, 20.0, 30.0, null, 40.0);
        assertThat(last("load-percent", 1, 20)).containsExactly(4.0);
    }

    @Test
    void operationsAreARateASecondAndUnknownWhereTheCountBeginsAnew() {
        addAfter(0, 1, 100);
        addAfter(5, 1, 150);
        addAfter(15, 1, 250);
        addAfter(20, 1, 7);
        addAfter(25, 1, 7);
        assertThat(last("operations", 6, 25)).containsExactly(null, 10.0, null, 10.0, null, 0.0);
    }

    @Test
    void tenMinutesAreKeptAndNoMore() {
        for (int look = 0; look < 1_000; look++) {
            addAfter(look * 5.0, look, look * 10.0);
        }
        assertThat(last("entries", FigureRing.POINTS, 4_997)).doesNotContainNull().startsWith(880.0).endsWith(999.0);
        HistoryState seen = ring.history(3, INTERVAL, nanos(4_997));
        assertThat(seen.untilAgeMillis()).isEqualTo(2_000);
        assertThat(seen.intervalMillis()).isEqualTo(5_000);
        assertThat(seen.ranks()).singleElement().extracting(HistoryState.RankSeries::rank).isEqualTo(3);
    }

    @Test
    void whatIsNotKnownIsAbsent() {
        assertThat(ring.history(3, INTERVAL, 0).ranks()).isEmpty();
        ring.add(0, 5, OptionalDouble.empty(), OptionalDouble.empty());
        assertThat(last("load-percent", FigureRing.POINTS, 0)).containsOnlyNulls();
        assertThat(last("operations", FigureRing.POINTS, 0)).containsOnlyNulls();
    }
}
