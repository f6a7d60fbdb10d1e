package io.atoll.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.Inspection;
import io.atoll.World;
import io.atoll.process.ChildProcess;
import io.atoll.world.Peers.PeerStatus;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process reads the history that another one has written: while that one lives, after it was killed, and from the
 * process that is started in its place.
 */
@Tag("processes")
class HistoryProcessesTest {

    private static final Duration SOON = Duration.ofSeconds(60);
    private static final int OTHER = 1;

    @TempDir
    private Path folder;

    private static RankHistory history(Inspection inspection, int rank) {
        return inspection.history(rank).orElseThrow();
    }

    private static void await(World world, PeerStatus status) {
        Awaitility.await()
                .atMost(SOON)
                .until(() -> world.peers().snapshot().get(OTHER).status() == status);
    }

    @Test
    void theHistoryOfAKilledRankIsInItsFileAndGoesOnWhenItIsStartedAgain() throws Exception {
        try (World world = HistoryProgram.open(folder, 0);
                ChildProcess child = ChildProcess.start(HistoryProgram.class);
                ChildProcess again = ChildProcess.start(HistoryProgram.class)) {
            Inspection inspection = world.inspection();
            assertThat(inspection.history(OTHER)).as("of nobody").isEmpty();
            child.ask("open " + folder + " " + OTHER);
            await(world, PeerStatus.JOINED);
            Awaitility.await()
                    .atMost(SOON)
                    .until(() -> inspection.history(OTHER).filter(each -> each.points().size() >= 2).isPresent());
            assertThat(Integer.parseInt(child.ask("points 0"))).as("by the other process").isPositive();
            RankHistory living = history(inspection, OTHER);
            assertThat(living.origin()).isEqualTo(RankHistory.Origin.LIVE);
            assertThat(living.identity().pid()).isNotEqualTo(ProcessHandle.current().pid()).isPositive();
            assertThat(living.identity().host()).isNotEmpty();
            assertThat(living.identity().startedMillis()).isPositive();

            child.kill();
            await(world, PeerStatus.LOST);
            List<String> files = files();
            RankHistory left = history(inspection, OTHER);
            RankHistory leftUnknown = history(world.inspection(), OTHER);
            assertThat(left.origin()).isEqualTo(RankHistory.Origin.FILE);
            assertThat(left.identity()).isEqualTo(living.identity());
            assertThat(leftUnknown.points()).hasSameSizeAs(left.points());
            assertThat(left.points()).hasSizeGreaterThanOrEqualTo(living.points().size());
            assertThat(left.points().getFirst().values()).isEqualTo(living.points().getFirst().values());
            assertThat(files()).as("nothing made, nothing kept").isEqualTo(files);
            Awaitility.await("how rank 0 has seen it")
                    .atMost(SOON)
                    .until(() -> history(inspection, 0).events()
                            .stream()
                            .anyMatch(event -> event.kind() == Event.Kind.LOST && event.subject() == OTHER));

            again.ask("open " + folder + " " + OTHER);
            await(world, PeerStatus.JOINED);
            Awaitility.await()
                    .atMost(SOON)
                    .until(() -> inspection.history(OTHER)
                            .filter(each -> each.origin() == RankHistory.Origin.LIVE
                                    && each.points().size() > left.points().size())
                            .isPresent());
            RankHistory both = history(inspection, OTHER);
            assertThat(both.identity().pid()).isNotEqualTo(living.identity().pid());
            assertThat(both.points().getFirst().atMillis()).as("the past before the kill")
                    .isEqualTo(living.points().getFirst().atMillis());
            assertThat(both.events()).extracting(Event::text).contains("incarnation 1", "incarnation 2");
        }
        assertThat(files()).isEmpty();
    }

    private List<String> files() throws Exception {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }
}
