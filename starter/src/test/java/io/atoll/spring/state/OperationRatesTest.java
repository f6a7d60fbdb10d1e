package io.atoll.spring.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.history.RankHistory;
import io.atoll.history.RankHistory.Operations.Counts;
import io.atoll.history.RankHistory.Operations.Listed;
import io.atoll.world.NamedStructure;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests how many operations per second the processes of all ranks do on a structure. */
class OperationRatesTest {

    private static final Counts NO_OTHERS = new Counts(0, 0);

    private static SeenHistory seen(HistoryState.Origin origin, long writtenMillisAgo,
            RankHistory.Operations operations) {
        return new SeenHistory(
                new RankHistory(3, RankHistory.Origin.LIVE, new RankHistory.Identity("node-7", 4711, "1", 1),
                        writtenMillisAgo, List.of(), List.of(), operations),
                origin, 0);
    }

    private static SeenHistory seen(RankHistory.Operations operations) {
        return seen(HistoryState.Origin.LIVE, 1_000, operations);
    }

    private static RankHistory.Operations operations(long intervalMillis, Counts others, long ofHits) {
        return new RankHistory.Operations(7, intervalMillis,
                List.of(new Listed(NamedStructure.hash("hits"), new Counts(10 * ofHits, ofHits))), others);
    }

    private static OperationRates of(SeenHistory... seen) {
        return OperationRates.of(List.of(seen), 0);
    }

    @Test
    void thoseOfAllRanksAreSummed() {
        OperationRates rates = of(seen(operations(1_000, NO_OTHERS, 50)), seen(operations(500, NO_OTHERS, 30)));
        assertThat(rates.of("hits")).isEqualTo(110);
        assertThat(rates.of("orders")).as("which nobody uses").isZero();
    }

    @Test
    void ofARankThatDoesNotWriteNothingIsKnown() {
        assertThat(of().of("hits")).isNull();
        assertThat(of(seen(RankHistory.Operations.NONE)).of("hits")).isNull();
        assertThat(of(seen(operations(0, NO_OTHERS, 50))).of("hits")).as("whose process has just begun").isNull();
        RankHistory.Operations written = operations(1_000, NO_OTHERS, 50);
        assertThat(of(seen(HistoryState.Origin.LIVE, 6_000, written)).of("hits")).as("which stands still").isNull();
        assertThat(of(seen(HistoryState.Origin.FILE, 100, written)).of("hits")).as("which has ended").isNull();
        assertThat(of(seen(HistoryState.Origin.SEEN, 100, written)).of("hits")).as("out of reach").isNull();
    }

    @Test
    void whatARankDoesNotListIsNotTakenForNothing() {
        OperationRates rates = of(seen(operations(1_000, new Counts(9, 0), 50)),
                seen(operations(1_000, NO_OTHERS, 30)));
        assertThat(rates.of("hits")).isEqualTo(80);
        assertThat(rates.of("orders")).isNull();
    }
}
