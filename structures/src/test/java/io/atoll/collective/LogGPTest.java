package io.atoll.collective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks the formulas of Paznikov's section 3 by hand, and the crossover that follows. */
class LogGPTest {

    private static final Offset<Double> EXACTLY = Offset.offset(1e-6);

    /** L 1,000, o 100, g 200, G 1, o_r 50. */
    private static final LogGP COSTS = new LogGP(1_000, 100, 200, 1, 50);

    /** Approximate costs of InfiniBand QDR, with a look for requests every millisecond, as in the paper's section 4. */
    static final LogGP INFINIBAND = new LogGP(1_500, 300, 500, 0.31, 500_000);

    @Test
    void aStageSendsTheDataTheDescriptionAndTheRequest() {
        assertThat(COSTS.stage(1)).isEqualTo(100 + 2 * 200 + 1_000 + 50);
        assertThat(COSTS.stage(1_001)).isEqualTo(100 + 1_000 + 2 * 200 + 1_000 + 50);
    }

    @Test
    void theTreeTakesAStageForEachBitAndTheLastAddition() {
        assertThat(COSTS.binomial(8)).isEqualTo(3 * 1_550 + 100 + 1_000, EXACTLY);
        assertThat(COSTS.binomial(8, 1_001)).isEqualTo(3 * 2_550 + 100 + 1_000, EXACTLY);
        assertThat(COSTS.binomial(5)).isEqualTo(COSTS.binomial(8));
    }

    @Test
    void theLinearAlgorithmWritesToEachOfTheOthersOnce() {
        assertThat(COSTS.linear(8)).isEqualTo(100 + 6 * 200 + 2 * 1_000, EXACTLY);
        assertThat(COSTS.linear(8, 1_001)).isEqualTo(100 + 7 * 1_000 + 6 * 200 + 2 * 1_000, EXACTLY);
    }

    @Test
    void aloneItTakesNoTime() {
        assertThat(COSTS.linear(1, 1_000)).isZero();
        assertThat(COSTS.binomial(1, 1_000)).isZero();
    }

    @Test
    void whatIsNotATimeIsRefused() {
        assertThatThrownBy(() -> new LogGP(1, -1, 1, 1, 1)).hasMessageContaining("overhead=-1.0");
        assertThatThrownBy(() -> new LogGP(1, 1, 1, Double.NaN, 1)).hasMessageContaining("gapPerByte=NaN");
        assertThatThrownBy(() -> COSTS.binomial(0, 1)).hasMessageEndingWith("ranks=0 bytes=1");
        assertThatThrownBy(() -> COSTS.linear(2, 0)).hasMessageEndingWith("ranks=2 bytes=0");
    }

    // --- the crossover ---

    @ParameterizedTest
    @ValueSource(longs = {2_048, 40_960, 65_536, 10 << 20})
    void theCrossoverInRanksIsTheFirstForWhichTheTreeIsFaster(long bytes) {
        int ranks = Crossover.ranks(COSTS, bytes, 1 << 16).orElseThrow();
        assertThat(Algorithm.fastest(COSTS, ranks, bytes)).isEqualTo(Algorithm.BINOMIAL);
        assertThat(Algorithm.fastest(COSTS, ranks - 1, bytes)).isEqualTo(Algorithm.LINEAR);
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 8, 24, 1_000})
    void theCrossoverInBytesIsTheFirstWithWhichTheTreeIsFaster(int ranks) {
        long bytes = Crossover.bytes(INFINIBAND, ranks).orElseThrow();
        assertThat(Algorithm.fastest(INFINIBAND, ranks, bytes)).isEqualTo(Algorithm.BINOMIAL);
        assertThat(Algorithm.fastest(INFINIBAND, ranks, bytes - 1)).isEqualTo(Algorithm.LINEAR);
    }

    @Test
    void betweenTwoTheTreeIsNeverFaster() {
        assertThat(Crossover.bytes(COSTS, 2)).isEmpty();
        assertThat(Crossover.ranks(COSTS, 1, 2)).isEmpty();
    }

    @Test
    void theTreeGainsAsInThePaperWithRanksAndWithBytes() {
        assertThat(Crossover.bytes(INFINIBAND, 32).orElseThrow())
                .isLessThan(Crossover.bytes(INFINIBAND, 8).orElseThrow());
        assertThat(Crossover.ranks(INFINIBAND, 10 << 20, 1 << 16).orElseThrow())
                .isLessThan(Crossover.ranks(INFINIBAND, 64 << 10, 1 << 16).orElseThrow());
    }

    /**
     * The paper measured 24 to 32. Its formulas, with the costs of such a network, put the crossover far lower. The
     * difference is what they leave out.
     */
    @Test
    void theFormulasPutTheCrossoverBelowWhatThePaperMeasured() {
        assertThat(Crossover.ranks(INFINIBAND, 10 << 20, 1 << 16)).hasValue(4);
        assertThat(Crossover.ranks(INFINIBAND, 16 << 20, 1 << 16)).hasValue(4);
    }

    /**
     * One receive overhead explains both crossovers that the paper reports of a cluster, measured every 8 ranks. On
     * InfiniBand it is 16 ms, which is far more than the interval of 1 ms. On Ethernet it is 1.4 ms, which is the
     * interval.
     */
    @Test
    void oneReceiveOverheadForEachClusterPutsBothItsCrossoversWhereThePaperMeasuredThem() {
        LogGP infiniband = new LogGP(1_500, 300, 500, 0.31, 16_000_000);
        assertThat(Crossover.ranks(infiniband, 10 << 20, 1 << 16).orElseThrow()).isBetween(25, 32);
        assertThat(Crossover.ranks(infiniband, 16 << 20, 1 << 16).orElseThrow()).isBetween(17, 24);
        LogGP ethernet = new LogGP(30_000, 5_000, 5_000, 8, 1_350_000);
        assertThat(Crossover.ranks(ethernet, 16 << 10, 1 << 16).orElseThrow()).isBetween(73, 80);
        assertThat(Crossover.ranks(ethernet, 34 << 10, 1 << 16).orElseThrow()).isBetween(25, 32);
    }
}
