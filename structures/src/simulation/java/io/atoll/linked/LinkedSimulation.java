package io.atoll.linked;

import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Tests the promises of every structure of linked nodes. Ranks may pause and die at any step. */
public abstract class LinkedSimulation {

    private static final String EVERY_FABRIC = "io.atoll.linked.LinkedTrial#FABRICS";

    private static final int SEEDS = 300;
    private static final int BREAKS = 4;

    private final boolean lastFirst;

    /** @param lastFirst true if what is pushed last is popped first, false if what is pushed first is popped first */
    protected LinkedSimulation(boolean lastFirst) {
        this.lastFirst = lastFirst;
    }

    protected abstract LinkedTrial trial(long seed, SimOptions options);

    private static SimOptions pausing(Guarantees guarantees) {
        return LinkedTrial.options(guarantees).pauses(0.01);
    }

    private static SimOptions dying(Guarantees guarantees) {
        return pausing(guarantees).longestPause(Duration.ofMillis(20)).kills(0.003, 1, 2).zombies();
    }

    @ParameterizedTest
    @FieldSource(EVERY_FABRIC)
    void valuesArePoppedInTheirOrder(Guarantees guarantees) {
        Seeds.each(SEEDS, seed -> trial(seed, pausing(guarantees)).run(LinkedTrial.order(lastFirst)));
    }

    @ParameterizedTest
    @FieldSource(EVERY_FABRIC)
    void whatABrokenConnectionLeavesOpenHappensOnceOrNever(Guarantees guarantees) {
        SimOptions options = pausing(guarantees).breaks(0.01, BREAKS);
        Seeds.each(SEEDS, seed -> trial(seed, options).breaks(BREAKS).run(LinkedTrial.order(lastFirst)));
    }

    @ParameterizedTest
    @FieldSource(EVERY_FABRIC)
    void whileTheHostIsOutOfReachNothingHappens(Guarantees guarantees) {
        SimOptions options = dying(guarantees).segmentsDieWithRanks();
        Seeds.each(SEEDS, seed -> trial(seed, options).run(LinkedTrial.order(lastFirst)));
    }

    @ParameterizedTest
    @FieldSource(EVERY_FABRIC)
    void deathsAtAnyStepLoseNothingThatWasPushed(Guarantees guarantees) {
        Seeds.each(SEEDS, seed -> trial(seed, dying(guarantees)).run(LinkedTrial.order(lastFirst)));
    }

    @ParameterizedTest
    @FieldSource(EVERY_FABRIC)
    void theDepthThatIsShownWasThatOfSomeMoment(Guarantees guarantees) {
        Seeds.each(SEEDS, seed -> trial(seed, dying(guarantees)).lookedAt(
                endpoint -> LinkedTrial.depth(endpoint, !lastFirst).figures(lastFirst ? 0 : 1))
                .run(LinkedTrial.order(lastFirst)));
    }

    @ParameterizedTest
    @FieldSource(EVERY_FABRIC)
    void anErrorInTheFirstPushOfAllLosesNoNode(Guarantees guarantees) {
        LinkedTrial trial = trial(1, LinkedTrial.options(guarantees));
        trial.strikes(guarantees, false).strikeTheFirstPush();
        if (!guarantees.equals(SimOptions.SHARED_MEMORY)) {
            trial.strikes(guarantees, true).strikeTheFirstPush();
        }
    }

    @ParameterizedTest
    @FieldSource(EVERY_FABRIC)
    void anErrorAtAnyAccessLosesNoValueAndNoNode(Guarantees guarantees) {
        LinkedTrial trial = trial(1, LinkedTrial.options(guarantees));
        for (boolean isPush : new boolean[]{true, false}) {
            trial.strikes(guarantees, false).strikeEachAccess(isPush);
            if (!guarantees.equals(SimOptions.SHARED_MEMORY)) {
                trial.strikes(guarantees, true).strikeEachAccess(isPush);
            }
        }
    }
}
