package io.atoll;

import static org.awaitility.Awaitility.await;

import io.atoll.view.View;
import io.atoll.view.ViewStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/**
 * A world of three ranks. Each one may end and come back without its segment. The ranks use shared memory by default; a
 * test may choose other hosts.
 */
abstract class LossyWorlds {

    static final int RANKS = 3;
    static final long SEGMENT_BYTES = 4 << 20;
    static final Duration LONG_ENOUGH = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    final List<World> worlds = new ArrayList<>();
    // The hosts of this test.
    Hosts hosts;

    @BeforeEach
    final void join() throws IOException {
        hosts = hosts(folder);
        for (int rank = 0; rank < RANKS; rank++) {
            worlds.add(open(rank));
        }
    }

    @AfterEach
    void leave() {
        worlds.forEach(World::close);
    }

    Hosts hosts(Path folder) {
        return Hosts.one(folder);
    }

    final World world(int rank) {
        return worlds.get(rank);
    }

    private World open(int rank) throws IOException {
        Files.createDirectories(hosts.folder(rank));
        return World.named("lossy")
                .size(RANKS)
                .rank(rank)
                .fabric(hosts.fabric(rank))
                .membership(hosts.membership())
                .segment(SEGMENT_BYTES)
                .open();
    }

    /** Ends the rank and starts it again with another segment. Returns when the other ranks have noticed. */
    final World lose(int rank) throws IOException {
        loseAll(rank);
        return worlds.get(rank);
    }

    /** Ends the ranks and starts them again, one after the other. */
    final void loseAll(int... ranks) throws IOException {
        for (int rank : ranks) {
            end(rank);
        }
        for (int rank : ranks) {
            begin(rank);
        }
        awaitAll();
    }

    /** Ends the rank. Its segment is lost. */
    final void end(int rank) throws IOException {
        worlds.get(rank).close();
        Files.delete(hosts.folder(rank).resolve("atoll-lossy-" + rank + ".segment"));
    }

    final void begin(int rank) throws IOException {
        worlds.set(rank, open(rank));
    }

    /**
     * Waits until all ranks know each other. Before that, lost ranks count as lost together, and no decision is made
     * without a quorum of the other ranks.
     */
    final void awaitAll() {
        int[] incarnations = worlds.stream().mapToInt(World::incarnation).toArray();
        for (World world : worlds) {
            await().atMost(LONG_ENOUGH).until(() -> Arrays.equals(world.peers().incarnations(), incarnations));
            await().atMost(LONG_ENOUGH)
                    .until(() -> world.inspection().views().stream().allMatch(this::hasAll));
        }
    }

    private boolean hasAll(ViewStatus views) {
        View view = views.view();
        return view != null && worlds.stream().allMatch(each -> view.isMember(each.rank(), each.incarnation()));
    }

    final World survivor() {
        return worlds.getFirst();
    }
}
