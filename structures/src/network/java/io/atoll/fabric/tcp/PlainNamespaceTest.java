package io.atoll.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.tcp.AddingRanks.Figures;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests connections between two network namespaces that are not encrypted and have threads of their own.
 * {@link NamespaceFaultsTest} does not cover these. Nothing is decrypted, and the owner is in a blocking read.
 */
@Timeout(300)
@Tag("network")
class PlainNamespaceTest {

    private static final int CALLER = 0;
    private static final long LONG_COLLECTION_MILLIS = 300;

    private NamespacePlace place; // null if there is no network
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

    /** The caller is not told that the owner has ended: its end of the connections stays open. */
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

    /** The owner is not told that the caller has ended. For each connection, a thread of the owner is still reading. */
    @Test
    void connectionsOfWhichOnlyTheOwnersEndIsLeftAreReplaced() throws Exception {
        place.cut(true, true);
        ranks.caller().kill();
        place.network().heal();
        ranks.restart(CALLER);
        ranks.awaitProgress();
        assertThat(ranks.figures().allFailures()).isZero();
    }

    /** The owner does nothing meanwhile, and the caller is not told. */
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
