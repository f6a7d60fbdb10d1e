package io.atoll.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.tcp.AddingRanks.Place;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests faults of processes, and faults of a network that a relay of the test makes. Needs nothing but this host. */
@Tag("network")
class RelayedFaultsTest extends NetworkFaultsContract {

    private static final int KILLS = 2; // the second kill finds what the first has left behind
    private static final int RESETS = 10;

    private final RelayedPlace place = new RelayedPlace();

    @Override
    Place place(Path folder) {
        return place;
    }

    private Relay relay() {
        return place.relay();
    }

    @Override
    void cut(boolean requests, boolean answers) {
        relay().hold(requests, answers);
    }

    @Override
    void heal() {
        relay().hold(false, false);
    }

    @Override
    void endNetwork() throws IOException {
        place.close();
    }

    /** The relay passes on at once what it has held. */
    @Override
    Duration repetition() {
        return Duration.ofMillis(300);
    }

    @Test
    void connectionsThatAreResetAreMadeAnew() throws Exception {
        for (int round = 0; round < RESETS; round++) {
            relay().reset();
            ranks.awaitProgress();
        }
    }

    @Test
    void anOwnerThatIsKilledInTheMiddleOfBatchesGoesOnWithItsSegment() throws Exception {
        for (int kill = 0; kill < KILLS; kill++) {
            ranks.restart(1);
            ranks.awaitProgress();
        }
    }

    @Test
    void nothingMovesAfterTheFenceOfACallerThatIsKilledInTheMiddleOfBatches() throws Exception {
        for (int kill = 0; kill < KILLS; kill++) {
            ranks.caller().kill();
            long[] fenced = ranks.fence();
            ranks.assertSumsAreRight(fenced);
            pass(Duration.ofMillis(300));
            assertThat(ranks.words()).containsExactly(fenced);
            ranks.restart(0);
            ranks.awaitProgress();
        }
    }

    @Test
    void nothingMovesAfterTheFenceOfACallerThatGoesOn() throws Exception {
        long[] fenced = ranks.fence();
        pass(Duration.ofMillis(300));
        assertThat(ranks.words()).containsExactly(fenced);
        ranks.restart(0);
        ranks.awaitProgress();
    }
}
