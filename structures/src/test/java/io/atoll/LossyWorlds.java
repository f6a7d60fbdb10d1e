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

/** A world of three ranks, each of which may end and come back without its segment: by shared memory, unless a test says otherwise. */
abstract class LossyWorlds {

    static final int RANKS = 3;
    static final long SEGMENT_BYTES = 4 << 20;
    static final Duration LONG_ENOUGH = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    final List<World> worlds = new ArrayList<>();
    Hosts hosts; // of this test

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

    /** The rank ends, and is there again with another segment; the others have noticed. */
    final World lose(int rank) throws IOException {
        loseAll(rank);
        return worlds.get(rank);
    }

    /** They end, and are there again, one after the other. */
    final void loseAll(int... ranks) throws IOException {
        for (int rank : ranks) {
            end(rank);
        }
        for (int rank : ranks) {
            begin(rank);
        }
        awaitAll();
    }

    /** The rank ends, and its segment is lost. */
    final void end(int rank) throws IOException {
        worlds.get(rank).close();
        Files.delete(hosts.folder(rank).resolve("atoll-lossy-" + rank + ".segment"));
    }

    final void begin(int rank) throws IOException {
        worlds.set(rank, open(rank));
    }

    /** Until then the ranks that were lost count as lost together, and nobody decides without a quorum of the others. */
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
