package io.atoll.epoch;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.FieldSource;

/** No object is freed while a thread uses it, and none is forgotten, whichever rank pauses or dies, and whenever. */
@Tag("simulation")
class EpochSimulationTest {

    static final List<Guarantees> EVERY_FABRIC = SimOptions.EVERY_FABRIC;

    private static final int SEEDS = 300;
    private static final int BREAKS = 4;

    private static SimOptions pausing(Guarantees guarantees) {
        return EpochTrial.options(guarantees).pauses(0.01);
    }

    private static SimOptions dying(Guarantees guarantees) {
        return pausing(guarantees).longestPause(Duration.ofMillis(20)).kills(0.003, 1, 2).zombies();
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void nobodyComesAcrossAnObjectThatWasFreed(Guarantees guarantees) {
        AtomicLong freed = new AtomicLong();
        Seeds.each(SEEDS, seed -> freed
                .addAndGet(new EpochTrial(seed, pausing(guarantees), 1, Mistake.NONE).run().freed));
        Seeds.together(() -> assertThat(freed.get()).as("objects that were freed").isGreaterThan(SEEDS));
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void norWithSeveralThreadsOfEachRank(Guarantees guarantees) {
        Seeds.each(SEEDS / 2, seed -> new EpochTrial(seed, pausing(guarantees), 2, Mistake.NONE).operations(24).run());
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void norWhenConnectionsBreak(Guarantees guarantees) {
        SimOptions options = pausing(guarantees).breaks(0.01, BREAKS);
        Seeds.each(SEEDS, seed -> new EpochTrial(seed, options, 1, Mistake.NONE).breaks(BREAKS).run());
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void norWhenTheNetworkIsCut(Guarantees guarantees) {
        SimOptions options = pausing(guarantees).breaks(0.01, BREAKS).cuts();
        AtomicLong freed = new AtomicLong();
        AtomicLong kept = new AtomicLong();
        Seeds.each(SEEDS, seed -> {
            EpochTrial trial = new EpochTrial(seed, options, 1, Mistake.NONE).breaks(BREAKS).run();
            freed.addAndGet(trial.freed);
            kept.addAndGet(trial.kept);
        });
        Seeds.together(() -> assertThat(freed.get()).as("objects that were freed").isGreaterThan(SEEDS));
        Seeds.together(() -> assertThat(kept.get()).as("times that pins were kept").isPositive());
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void norWhenRanksDieWhileTheNetworkIsCut(Guarantees guarantees) {
        SimOptions options = dying(guarantees).breaks(0.01, BREAKS).cuts();
        Seeds.each(SEEDS, seed -> new EpochTrial(seed, options, 2, Mistake.NONE).operations(24).breaks(BREAKS).run());
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void norWhenRanksComeBackWithoutTheirSegments(Guarantees guarantees) {
        AtomicLong losses = new AtomicLong();
        AtomicLong freed = new AtomicLong();
        Seeds.each(SEEDS, seed -> {
            EpochTrial trial = new EpochTrial(seed, losing(guarantees), 2, Mistake.NONE).lossy().operations(96);
            trial.runWithoutLookingBack();
            losses.addAndGet(trial.losses());
            freed.addAndGet(trial.freed);
        });
        Seeds.together(() -> assertThat(losses.get()).isGreaterThan(SEEDS / 4));
        Seeds.together(() -> assertThat(freed.get()).isGreaterThan(SEEDS));
    }

    static SimOptions losing(Guarantees guarantees) {
        return pausing(guarantees).longestPause(Duration.ofMillis(20)).kills(0.001, 0, 1, 2).losesMemory();
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void norWhenSegmentsAreOutOfReachUntilTheirRanksComeBack(Guarantees guarantees) {
        SimOptions options = dying(guarantees).segmentsDieWithRanks();
        Seeds.each(SEEDS, seed -> new EpochTrial(seed, options, 1, Mistake.NONE).run());
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void norWhenEachSurvivorLosesTheSegmentsOfTheDeadAtATimeOfItsOwn(Guarantees guarantees) {
        SimOptions options = dying(guarantees).survivorsUnmapTheDead();
        Seeds.each(SEEDS, seed -> new EpochTrial(seed, options, 1, Mistake.NONE).run());
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void norWhenRanksAskEachOtherToFree(Guarantees guarantees) {
        AtomicLong relieved = new AtomicLong();
        Seeds.each(SEEDS / 2, seed -> relieved.addAndGet(
                new EpochTrial(seed, pausing(guarantees), 2, Mistake.NONE).operations(24).asking().run().relieved));
        Seeds.together(() -> assertThat(relieved.get()).as("requests that made room").isGreaterThan(SEEDS / 10));
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void norWhenRanksDieThatAskOrAreAsked(Guarantees guarantees) {
        SimOptions options = dying(guarantees).survivorsUnmapTheDead();
        Seeds.each(SEEDS / 2,
                seed -> new EpochTrial(seed, options, 2, Mistake.NONE).operations(24).asking().run());
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void norWhenThereIsNoRoomForBags(Guarantees guarantees) {
        AtomicLong freed = new AtomicLong();
        Seeds.each(SEEDS, seed -> freed.addAndGet(new EpochTrial(seed, pausing(guarantees), 2, Mistake.NONE)
                .operations(24)
                .refusing(_ -> true)
                .run().freed));
        Seeds.together(() -> assertThat(freed.get()).as("objects that were freed").isGreaterThan(SEEDS));
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void norWhenOneBagAfterTheOtherHasNoRoom(Guarantees guarantees) {
        Seeds.each(SEEDS, seed -> new EpochTrial(seed, pausing(guarantees), 1, Mistake.NONE)
                .refusing(attempt -> attempt == seed % 12)
                .run());
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void norWhenRanksDieWithoutRoomForBags(Guarantees guarantees) {
        Seeds.each(SEEDS, seed -> new EpochTrial(seed, dying(guarantees), 1, Mistake.NONE)
                .refusing(attempt -> seed % 2 == 0 || attempt % 2 == 0)
                .run());
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void norWhenConnectionsBreakWithoutRoomForBags(Guarantees guarantees) {
        SimOptions options = pausing(guarantees).breaks(0.01, BREAKS);
        Seeds.each(SEEDS, seed -> new EpochTrial(seed, options, 1, Mistake.NONE).breaks(BREAKS)
                .refusing(_ -> true)
                .run());
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void norWhenRanksDieAndComeBack(Guarantees guarantees) {
        Seeds.each(SEEDS, seed -> new EpochTrial(seed, dying(guarantees), 1, Mistake.NONE).run());
    }
}
