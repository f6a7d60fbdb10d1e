package io.atoll.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.tcp.AddingRanks.Place;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests how a caller in a process of its own experiences a cut network, and what happens to its additions. */
@Timeout(300)
abstract class NetworkFaultsContract {

    private static final Duration SHORT = AddingRanks.SILENCE_TIMEOUT.dividedBy(5);

    /** The tag of tests in which no rank may be taken for silent, even if this machine is slow. */
    private static final String PATIENT = "patient";
    private static final Duration PATIENCE = AddingRanks.SILENCE_TIMEOUT.multipliedBy(3);

    protected AddingRanks ranks; // null if there is no network

    /** Makes the network, and returns the place of the processes in it. */
    abstract Place place(Path folder) throws Exception;

    /** Stops the delivery of requests, answers or both. Neither side is told. */
    abstract void cut(boolean requests, boolean answers);

    /** Delivers again what was cut. */
    abstract void heal();

    abstract void endNetwork() throws Exception;

    /** Returns how long after the repair of the network something that was under way before may still be sent. */
    abstract Duration repetition();

    @BeforeEach
    void begin(@TempDir Path folder, TestInfo test) throws Exception {
        ranks = new AddingRanks(place(folder), folder,
                test.getTags().contains(PATIENT) ? PATIENCE : AddingRanks.SILENCE_TIMEOUT);
        ranks.awaitProgress();
    }

    @AfterEach
    void end() throws Exception {
        try (AddingRanks all = ranks) {
            if (all != null) {
                all.assertSumsAreRight();
            }
        } finally {
            endNetwork();
        }
    }

    /** Lets time pass in which something must not happen. */
    static void pass(Duration time) {
        long untilNanos = System.nanoTime() + time.toNanos();
        for (long left = time.toNanos(); left > 0; left = untilNanos - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    @Test
    @Tag(PATIENT)
    void aCutThatIsShorterThanTheSilenceTimeoutIsNotNoticed() {
        cut(true, true);
        pass(SHORT);
        heal();
        ranks.awaitProgress();
        assertThat(ranks.figures().allFailures()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"true, true", "true, false", "false, true"})
    void aCutThatIsLongerIsToldInTimeAndHeals(boolean requests, boolean answers) {
        cut(requests, answers);
        ranks.awaitFailures();
        ranks.assertAllWereToldInTime();
        heal();
        ranks.awaitProgress();
        // What was under way on the broken connections has been sent once more by now. It must have no effect.
        pass(repetition());
        ranks.awaitProgress();
    }

    /** A process stands still like this while its whole heap is collected. */
    @Test
    @Tag(PATIENT)
    void anOwnerThatStandsStillForAShortTimeIsWaitedFor() {
        ranks.owner().pause();
        pass(SHORT);
        ranks.owner().resume();
        ranks.awaitProgress();
        assertThat(ranks.figures().allFailures()).isZero();
    }

    @Test
    void anOwnerThatStandsStillForLongIsTakenForSilent() {
        ranks.owner().pause();
        ranks.awaitFailures();
        // the kernel accepts, and no thread answers the handshake
        pass(AddingRanks.SILENCE_TIMEOUT.plus(Duration.ofSeconds(2)));
        ranks.assertAllWereToldInTime();
        assertThat(ranks.figures().unknownOutcomes()).isPositive();
        ranks.owner().resume();
        ranks.awaitProgress();
    }

    /** The caller reads what has arrived meanwhile before it takes the owner for silent. */
    @Test
    @Tag(PATIENT)
    void aCallerThatStoodStillForLongTakesNobodyForSilent() {
        ranks.caller().pause();
        pass(PATIENCE.plus(Duration.ofSeconds(1)));
        ranks.caller().resume();
        ranks.awaitProgress();
        assertThat(ranks.figures().allFailures()).isZero();
    }
}
