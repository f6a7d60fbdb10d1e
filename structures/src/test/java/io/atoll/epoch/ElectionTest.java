package io.atoll.epoch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.atoll.epoch.GlobalEpoch.Attempt;
import io.atoll.epoch.GlobalEpoch.Outcome;
import io.atoll.fabric.Endpoint;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import io.atoll.world.Liveness;
import io.atoll.world.Participant;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** One rank at a time advances the epoch, as long as it lives; the others leave the work to it. */
class ElectionTest {

    private static final int RANKS = 3;
    private static final int TOKENS = 2;
    private static final int HOME = 0;
    private static final int OWN = 1;
    private static final int OTHER = 2;
    private static final long SEGMENT_BYTES = 192 << 10;
    private static final long BLOCK = SEGMENT_BYTES - (16 << 10);
    private static final long EPOCH = BLOCK + EpochBlock.EPOCH;
    private static final long ADVANCER = BLOCK + EpochBlock.ADVANCER;

    private static final Liveness ALL_LIVE = (_, _, _) -> false;

    private final Endpoint endpoint = new Simulation(1, SimOptions.ranks(RANKS).segmentBytes(SEGMENT_BYTES))
            .endpoint(OWN);

    private static long name(int rank, int incarnation) {
        return (long) incarnation << 16 | rank;
    }

    private GlobalEpoch epoch(Liveness liveness) {
        return new GlobalEpoch(participant(liveness), blocks(), HOME, TOKENS);
    }

    private Participant participant(Liveness liveness) {
        return new Participant(endpoint, 1, liveness, Duration.ofSeconds(10), () -> new int[]{1, 1, 1});
    }

    private static long[] blocks() {
        long[] blocks = new long[RANKS];
        Arrays.fill(blocks, BLOCK);
        return blocks;
    }

    private long word(long offset) {
        return endpoint.readWord(HOME, offset);
    }

    private void elect(long name) {
        endpoint.writeWord(HOME, ADVANCER, name);
        endpoint.flush(HOME);
    }

    private void assertAdvances(Liveness liveness) {
        long before = word(EPOCH);
        Attempt attempt = epoch(liveness).tryAdvance();
        assertThat(attempt.outcome()).isEqualTo(Outcome.ADVANCED);
        assertThat(word(EPOCH)).isEqualTo(before + 1).isEqualTo(attempt.epoch());
        assertThat(word(ADVANCER)).as("nobody is elected any more").isZero();
    }

    private void assertLoses(Liveness liveness, long elected) {
        long before = word(EPOCH);
        assertThat(epoch(liveness).tryAdvance().outcome()).isEqualTo(Outcome.LOST_ELECTION);
        assertThat(word(EPOCH)).isEqualTo(before);
        assertThat(word(ADVANCER)).as("the other one's election stands").isEqualTo(elected);
    }

    @Test
    void aRankThatIsElectedAdvancesTheEpochAndStepsDown() {
        assertAdvances(ALL_LIVE);
        assertAdvances(ALL_LIVE);
    }

    @Test
    void othersSeeTheElectionWhileItLasts() {
        AtomicLong seen = new AtomicLong();
        new GlobalEpoch(participant(ALL_LIVE), blocks(), HOME, TOKENS) {
            @Override
            Attempt swing(long epoch) {
                seen.set(word(ADVANCER));
                return super.swing(epoch);
            }
        }.tryAdvance();
        assertThat(seen).hasValue(name(OWN, 1));
    }

    @Test
    void aRankLeavesItToAnotherOneThatLives() {
        elect(name(OTHER, 1));
        assertLoses(ALL_LIVE, name(OTHER, 1));
    }

    @Test
    void theElectionOfARankThatHasEndedIsTakenOver() {
        elect(name(OTHER, 7));
        assertAdvances((rank, incarnation, segment) -> rank == OTHER && incarnation == 7 && segment == HOME);
    }

    /** This rank did not get the answer when it was elected, or when it stepped down. */
    @Test
    void aRankThatIsElectedAlreadyAdvances() {
        elect(name(OWN, 1));
        assertAdvances(ALL_LIVE);
    }

    @Test
    void onlyOneRankTakesOverFromAnotherThatHasEnded() {
        elect(name(OTHER, 7));
        assertLoses((_, _, _) -> {
            elect(name(HOME, 1)); // while this rank asks
            return true;
        }, name(HOME, 1));
    }

    /** A rank may have been declared dead in the middle of it, and not have noticed. */
    @Test
    void aRankWhoseElectionWasTakenOverLeavesItToTheNext() {
        new GlobalEpoch(participant(ALL_LIVE), blocks(), HOME, TOKENS) {
            @Override
            Attempt swing(long epoch) {
                elect(name(OTHER, 1));
                return super.swing(epoch);
            }
        }.tryAdvance();
        assertThat(word(ADVANCER)).isEqualTo(name(OTHER, 1));
    }

    @Test
    void aRankStepsDownWhateverItsScanThrows() {
        assertThatIllegalStateException().isThrownBy(new GlobalEpoch(participant(ALL_LIVE), blocks(), HOME, TOKENS) {
            @Override
            Attempt swing(long epoch) {
                throw new IllegalStateException("the scan has failed");
            }
        }::tryAdvance);
        assertThat(word(ADVANCER)).isZero();
    }
}
