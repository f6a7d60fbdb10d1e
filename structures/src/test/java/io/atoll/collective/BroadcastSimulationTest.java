package io.atoll.collective;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.IntStream;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Compares the simulation with the formulas: it gives the same where they are exact, and elsewhere shows what they
 * leave out.
 */
class BroadcastSimulationTest {

    private static final Offset<Double> EXACTLY = Offset.offset(1e-3);
    private static final LogGP COSTS = new LogGP(1_000, 100, 200, 1, 50);
    private static final LogGP COUNTING_IN_NO_TIME = new LogGP(1_000, 0, 0, 1, 50);

    private static BroadcastSimulation.Outcome binomial(LogGP costs, int ranks, long bytes) {
        return BroadcastSimulation.run(costs, Algorithm.BINOMIAL, ranks, bytes);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4, 8, 64, 1_024, 65_536})
    void fullTreesArriveWhenTheFormulaSaysSo(int ranks) {
        for (long bytes : new long[]{1, 2_048, 40 << 20}) {
            assertThat(binomial(COSTS, ranks, bytes).arrivedNanos())
                    .isEqualTo(COSTS.binomial(ranks, bytes) - COSTS.overhead() - COSTS.latency(), EXACTLY);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4, 64, 65_536})
    void theRootKnowsWhenTheFormulaSaysSoIfItCountsInNoTime(int ranks) {
        assertThat(binomial(COUNTING_IN_NO_TIME, ranks, 4_096).completedNanos())
                .isEqualTo(COUNTING_IN_NO_TIME.binomial(ranks, 4_096), EXACTLY);
    }

    @Test
    void otherTreesNeverTakeLongerThanTheNextFullOne() {
        IntStream.rangeClosed(1, 300)
                .forEach(ranks -> assertThat(binomial(COSTS, ranks, 100).arrivedNanos())
                        .isLessThanOrEqualTo(COSTS.binomial(ranks, 100)));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 48, 65_536})
    void theLinearAlgorithmTakesWhatTheFormulaSays(int ranks) {
        assertThat(BroadcastSimulation.run(COSTS, Algorithm.LINEAR, ranks, 2_048).completedNanos())
                .isEqualTo(COSTS.linear(ranks, 2_048), Offset.offset(1.0));
    }

    @Test
    void theCounterAtTheRootTakesAGapForEachRank() {
        int ranks = 65_536;
        double formula = COSTS.binomial(ranks, 1);
        assertThat(formula).isLessThan(Duration.ofMillis(1).toNanos());
        assertThat(binomial(COSTS, ranks, 1).completedNanos()).isGreaterThan((ranks - 1) * COSTS.gap());
    }

    @Test
    void whereTheGapIsLongerThanAMessageTakesTheFormulaIsTooLow() {
        LogGP gaping = new LogGP(10, 10, 1_000, 0, 10);
        assertThat(binomial(gaping, 1_024, 1).arrivedNanos()).isGreaterThan(gaping.binomial(1_024, 1));
    }

    /**
     * The printed loop goes from the lowest bit up: the root serves a child first that has no child to pass the data on
     * to.
     */
    @ParameterizedTest
    @ValueSource(ints = {3, 6, 10})
    void inThePrintedOrderTheTreeTakesAStageForEachPairOfBits(int bits) {
        LogGP sendingTakesAll = new LogGP(0, 0, 0, 1, 0);
        long bytes = 1_001;
        assertThat(binomial(sendingTakesAll, 1 << bits, bytes).arrivedNanos()).isEqualTo(bits * 1_000.0, EXACTLY);
        assertThat(BroadcastSimulation.binomial(sendingTakesAll, 1 << bits, bytes,
                descending -> IntStream.range(0, descending.length)
                        .map(at -> descending[descending.length - 1 - at])
                        .toArray())
                .arrivedNanos()).isEqualTo(bits * (bits + 1) / 2 * 1_000.0, EXACTLY);
    }

    @Test
    void toEachOtherRankGoFourMessagesOfTheTreeAndOneOfTheLinearAlgorithm() {
        assertThat(binomial(COSTS, 13, 1).messages()).isEqualTo(12 * 4);
        assertThat(BroadcastSimulation.run(COSTS, Algorithm.LINEAR, 13, 1).messages()).isEqualTo(12);
    }
}
