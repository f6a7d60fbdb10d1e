package io.atoll.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * One thread at a time holds the lock, whichever thread pauses, gives up or dies, and whenever. The checks find
 * mistakes that are built in.
 */
@Tag("simulation")
class SpinSimulationTest {

    static final List<Guarantees> EVERY_FABRIC = SimOptions.EVERY_FABRIC;

    private static final int SEEDS = 150;
    private static final int SEEDS_OF_MISTAKES = 2_000;

    private static SimOptions pausing(Guarantees guarantees) {
        return LockTrial.options(guarantees).pauses(0.01);
    }

    private static SimOptions dying(Guarantees guarantees) {
        return pausing(guarantees).longestPause(Duration.ofMillis(20)).kills(0.004, 0, 1, 2).zombies();
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void oneHoldsItAtATime(Guarantees guarantees) {
        Seeds.each(SEEDS, seed -> assertThat(new LockTrial(seed, pausing(guarantees), SpinLock::new).run())
                .isEqualTo(3 * 2 * 3));
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void ofAllThatTryToHaveAFreeLockOneHasIt(Guarantees guarantees) {
        Seeds.each(SEEDS, seed -> new LockTrial(seed, pausing(guarantees), SpinLock::new).trying().run());
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void deathsAtAnyStepKeepNobodyWaiting(Guarantees guarantees) {
        Seeds.each(SEEDS, seed -> new LockTrial(seed, dying(guarantees), SpinLock::new).hurried().run());
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void whoIsDeadForGoodKeepsNobodyWaitingThoughItsSegmentCannotBeRead(Guarantees guarantees) {
        SimOptions forGood = dying(guarantees).kills(0.004, 1, 2).survivorsUnmapTheDead();
        Seeds.each(SEEDS, seed -> new LockTrial(seed, forGood, SpinLock::new).withoutRestarts().hurried().run());
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void whatConnectionsLoseIsMadeGood(Guarantees guarantees) {
        Seeds.each(SEEDS, seed -> new LockTrial(seed, pausing(guarantees).breaks(0.01, 4), SpinLock::new)
                .hurried()
                .revoking()
                .run());
    }

    @Test
    void takingThePlaceOfOneThatLivesIsFound() {
        assertIsFound((descriptors, background) -> new SpinLock(descriptors, background) {
            @Override
            boolean hasEnded(SpinHold request, long holder) {
                return true;
            }
        });
    }

    @Test
    void aDeathThatIsNotCountedIsFound() {
        assertIsFound((descriptors, background) -> new SpinLock(descriptors, background) {
            @Override
            void countDeath(SpinHold request) {
                request.takesOver = false;
            }
        });
    }

    private static void assertIsFound(LockTrial.Opener broken) {
        assertThat(Seeds.untilFailure(SEEDS_OF_MISTAKES,
                seed -> new LockTrial(seed, dying(SimOptions.WEAKEST), broken).run())).isPositive();
    }
}
