package io.atoll.epoch;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * Mistakes must not go unnoticed. Seeds like those that {@link EpochSimulationTest} passes find the published rule, and
 * each other way to free too early.
 */
@Tag("simulation")
class EpochMistakesTest {

    static final List<Guarantees> EVERY_FABRIC = SimOptions.EVERY_FABRIC;

    private static final int SEEDS = 200;

    /** Pauses are long enough for other ranks to get through two epochs. */
    private static SimOptions options(Guarantees guarantees) {
        return EpochTrial.options(guarantees).pauses(0.02).longestPause(Duration.ofMillis(2));
    }

    private static EpochTrial duel(long seed, Guarantees guarantees, Mistake mistake) {
        return duel(seed, guarantees, mistake, 1);
    }

    private static EpochTrial duel(long seed, Guarantees guarantees, Mistake mistake, int threads) {
        return new EpochTrial(seed, options(guarantees), threads, mistake).operations(30 * threads).duel();
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void withoutAMistakeNothingIsFound(Guarantees guarantees) {
        Seeds.each(SEEDS, seed -> duel(seed, guarantees, Mistake.NONE).run());
    }

    @ParameterizedTest
    @EnumSource(names = {"SEALED_WITH_THE_TOKENS_EPOCH", "SEALED_WITH_THE_CACHED_EPOCH", "FREED_ONE_EPOCH_EARLIER",
        "ADVANCED_WITHOUT_A_SCAN"})
    void whatFreesTooEarlyIsFound(Mistake mistake) {
        UseAfterFree.assertIsFound(seed -> duel(seed, SimOptions.NETWORK_CARD, mistake).runWithoutLookingBack());
    }

    @Test
    void aBagThatIsFreedByTheNumberOfItsListIsFound() {
        UseAfterFree.assertIsFound(seed -> new EpochTrial(seed, options(SimOptions.NETWORK_CARD).pauses(0.06), 3,
                Mistake.FREED_BY_THE_NUMBER_OF_THE_LIST).operations(120).duel().runWithoutLookingBack());
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void withoutBagsAndWithoutAMistakeNothingIsFound(Guarantees guarantees) {
        Seeds.each(SEEDS, seed -> duel(seed, guarantees, Mistake.NONE).refusing(_ -> true).run());
    }

    @Test
    void aChainThatIsFreedTooEarlyIsFound() {
        UseAfterFree.assertIsFound(seed -> duel(seed, SimOptions.NETWORK_CARD,
                Mistake.CHAIN_SEALED_WITH_AN_EARLIER_EPOCH).refusing(_ -> true).runWithoutLookingBack());
    }

    @Test
    void aPinWithoutAFenceIsFound() {
        UseAfterFree.assertIsFound(seed -> duel(seed, SimOptions.SHARED_MEMORY, Mistake.PINNED_WITHOUT_A_FENCE)
                .runWithoutLookingBack());
    }

    @ParameterizedTest
    @EnumSource(names = {"FORGOTTEN_BEFORE_ALL_KNOW_OF_THE_LOSS", "A_BAG_KEEPS_WHAT_IS_LOST"})
    void whatIsFreedInAnotherSegmentThanItWasRetiredInIsFound(Mistake mistake) {
        // A thread that uses an object finds it, or the heap does, which has no such object there.
        assertThat(Seeds.untilFailure(3_000, seed -> new EpochTrial(seed,
                EpochSimulationTest.losing(SimOptions.NETWORK_CARD), 2, mistake)
                .lossy()
                .operations(96)
                .runWithoutLookingBack())).isPositive();
    }

    private static EpochTrial cut(long seed, Mistake mistake) {
        SimOptions options = options(SimOptions.TCP).longestPause(Duration.ofMillis(40)).breaks(0.01, 20).cuts();
        return new EpochTrial(seed, options, 1, mistake).operations(120).breaks(20).duelOfWrites();
    }

    @Test
    void whereTheNetworkIsCutNothingIsFoundWithoutAMistake() {
        Seeds.each(SEEDS, seed -> cut(seed, Mistake.NONE).run());
    }

    @ParameterizedTest
    @EnumSource(names = {"UNPINNED_WHILE_VERBS_MAY_ARRIVE", "PINNED_ANEW_WHILE_VERBS_MAY_ARRIVE"})
    void aVerbThatArrivesLateIsFound(Mistake mistake) {
        UseAfterFree.assertIsFound(seed -> cut(seed, mistake).runWithoutLookingBack());
    }

    @Test
    void aWriteThatIsStillUnderWayAfterUnpinningIsFound() {
        UseAfterFree.assertIsFound(seed -> duel(seed, SimOptions.NETWORK_CARD, Mistake.NONE).neverFlushes()
                .runWithoutLookingBack());
    }
}
