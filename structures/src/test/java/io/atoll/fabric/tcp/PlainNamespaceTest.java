package io.atoll.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.tcp.AddingRanks.Figures;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Connections that are not encrypted, and that threads of their own serve, between two network namespaces: what
 * {@link NamespaceFaultsTest} does not have. Nobody decrypts what arrives, and the owner is in a read that blocks.
 */
@Timeout(300)
class PlainNamespaceTest {

    private static final int CALLER = 0;
    private static final long LONG_COLLECTION_MILLIS = 300;

    private NamespacePlace place; // null where there is no network
    private AddingRanks ranks;

    @BeforeEach
    void begin(@TempDir Path folder) throws IOException {
        place = NamespacePlace.create(folder, Listener.MOST_THREADS, false);
        ranks = new AddingRanks(place, folder);
        ranks.awaitProgress();
    }

    @AfterEach
    void end() throws IOException {
        try (NamespacePlace _ = place; AddingRanks all = ranks) {
            if (all != null) {
                all.assertSumsAreRight();
            }
        }
    }

    /** Nobody tells the caller that the owner has ended: its end of the connections stays open. */
    @Test
    void connectionsOfWhichOnlyTheCallersEndIsLeftAreReplaced() throws Exception {
        place.cut(true, true);
        ranks.owner().kill();
        ranks.awaitFailures();
        ranks.assertAllWereToldInTime();
        place.network().heal();
        ranks.restart(AddingProgram.OWNER);
        ranks.awaitProgress();
    }

    /** Nobody tells the owner that the caller has ended. A thread of the owner is still in the read of each. */
    @Test
    void connectionsOfWhichOnlyTheOwnersEndIsLeftAreReplaced() throws Exception {
        place.cut(true, true);
        ranks.caller().kill();
        place.network().heal();
        ranks.restart(CALLER);
        ranks.awaitProgress();
        assertThat(ranks.figures().allFailures()).isZero();
    }

    /** It does nothing meanwhile, and nobody is told of that. */
    @Test
    void anOwnerWhoseWholeHeapIsCollectedIsWaitedFor() {
        long tookMillis = Long.parseLong(ranks.owner().ask("collect " + LONG_COLLECTION_MILLIS));
        assertThat(tookMillis).as("a collection of the whole heap").isPositive();
        ranks.awaitProgress();
        Figures figures = ranks.figures();
        assertThat(figures.longestMillis()).as("an operation meanwhile").isGreaterThanOrEqualTo(tookMillis / 2);
        assertThat(figures.allFailures()).isZero();
    }
}
