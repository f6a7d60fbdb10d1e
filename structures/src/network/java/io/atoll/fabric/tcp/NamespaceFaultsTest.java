package io.atoll.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.tcp.AddingRanks.Place;
import io.atoll.process.SimulatedNetwork;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Tests faults of a network between two network namespaces, each with a TCP of its own. Packets get lost, and the
 * connections are not told. The connections are encrypted, and loops serve them. Needs root.
 */
@Tag("network")
class NamespaceFaultsTest extends NetworkFaultsContract {

    private static final int CALLER = 0;
    private static final int OWNER = AddingProgram.OWNER;

    private @Nullable NamespacePlace place;

    @Override
    Place place(Path folder) throws IOException {
        NamespacePlace created = NamespacePlace.create(folder, 0, true);
        place = created;
        return created;
    }

    private NamespacePlace place() {
        if (place == null) {
            throw new IllegalStateException("there is no network");
        }
        return place;
    }

    private SimulatedNetwork network() {
        return place().network();
    }

    @Override
    void cut(boolean requests, boolean answers) {
        place().cut(requests, answers);
    }

    @Override
    void heal() {
        network().heal();
    }

    @Override
    void endNetwork() throws IOException {
        if (place != null) {
            place.close();
        }
    }

    /** TCP doubles its pauses. */
    @Override
    Duration repetition() {
        return AddingRanks.SILENCE_TIMEOUT.plus(Duration.ofSeconds(1));
    }

    /** TCP itself repairs such faults within the silence timeout, so hardly any thread notices them. */
    @Test
    void aLongWayOnWhichPacketsGetLostAndOvertakeEachOtherOnlyTakesTime() {
        network().delay(50);
        network().lose(100);
        network().reorder(500);
        for (int round = 0; round < 3; round++) {
            ranks.awaitProgress();
        }
        ranks.assertAllWereToldInTime();
    }

    /** The rank's requests are on their way when it is shut out. */
    @Test
    void nothingMovesAfterTheFenceThoughRequestsAreOnTheirWay() throws Exception {
        network().delay(200);
        ranks.awaitProgress();
        long[] fenced = ranks.fence();
        pass(Duration.ofSeconds(1));
        assertThat(ranks.words()).containsExactly(fenced);
        network().delay(0);
        ranks.restart(CALLER);
        ranks.awaitProgress();
    }

    /** The caller is not told that the owner has ended: its end of the connections stays open. */
    @Test
    void connectionsOfWhichOnlyOneEndIsLeftAreReplaced() throws Exception {
        cut(true, true);
        ranks.owner().kill();
        ranks.awaitFailures();
        ranks.assertAllWereToldInTime();
        heal();
        ranks.restart(OWNER);
        ranks.awaitProgress();
    }

    /** As the previous test, but the owner is back before the caller has taken it for silent. */
    @Test
    void anOwnerThatIsBackAtOnceIsReachedByNewConnections() throws Exception {
        cut(true, true);
        ranks.owner().kill();
        heal();
        ranks.restart(OWNER);
        ranks.awaitProgress();
    }

    @Test
    void aCallerThatIsKilledInTheMiddleOfBatchesOnALongWayLosesNothing() throws Exception {
        network().delay(50);
        ranks.awaitProgress();
        ranks.caller().kill();
        long[] fenced = ranks.fence();
        ranks.assertSumsAreRight(fenced);
        ranks.restart(CALLER);
        ranks.awaitProgress();
    }
}
