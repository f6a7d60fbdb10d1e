package io.atoll.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.tcp.AddingRanks.Place;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Faults of a network that a relay of the test makes, and of processes: needs nothing but this host. */
class RelayedFaultsTest extends NetworkFaultsContract implements Place {

    private static final int KILLS = 3;
    private static final int RESETS = 10;

    private @Nullable Relay relay;

    @Override
    Place place(Path folder) {
        return this;
    }

    @Override
    public List<String> within(int rank) {
        return List.of();
    }

    @Override
    public String bind(int rank) {
        return "localhost";
    }

    @Override
    public List<String> wayTo(String host, int port) throws IOException {
        if (relay == null) {
            relay = new Relay(new InetSocketAddress(host, port));
        }
        return List.of("localhost", relay.address().get("tcp.port"));
    }

    private Relay relay() {
        if (relay == null) {
            throw new IllegalStateException("the ranks have not met");
        }
        return relay;
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
        if (relay != null) {
            relay.close();
        }
    }

    @Test
    void connectionsThatAreResetAreMadeAnew() throws Exception {
        for (int round = 0; round < RESETS; round++) {
            relay().reset();
            ranks.awaitProgress();
        }
    }

    @Test
    void anOwnerThatStandsStillForAShortTimeIsWaitedFor() {
        ranks.owner().pause();
        pass(AddingRanks.SILENCE_TIMEOUT.dividedBy(5));
        ranks.owner().resume();
        ranks.awaitProgress();
        assertThat(ranks.figures().allFailures()).isZero();
    }

    @Test
    void anOwnerThatStandsStillForLongIsTakenForSilent() {
        ranks.owner().pause();
        ranks.awaitFailures();
        ranks.assertAllWereToldInTime();
        ranks.owner().resume();
        ranks.awaitProgress();
    }

    /** It reads what has arrived meanwhile before it takes the owner for silent. */
    @Test
    void aCallerThatStoodStillForLongTakesNobodyForSilent() {
        ranks.caller().pause();
        pass(AddingRanks.SILENCE_TIMEOUT.plus(Duration.ofSeconds(1)));
        ranks.caller().resume();
        ranks.awaitProgress();
        assertThat(ranks.figures().allFailures()).isZero();
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
}
