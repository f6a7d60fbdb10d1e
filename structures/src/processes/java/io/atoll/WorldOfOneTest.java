package io.atoll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.atoll.fabric.shm.ProcessSigns;
import io.atoll.failure.JoinRefusedException;
import io.atoll.failure.JoinRefusedException.Reason;
import io.atoll.process.ChildProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A world of one rank uses files if it is told to. If it shares nothing with other processes, it says so. */
@Tag("processes")
class WorldOfOneTest {

    private static final Duration SOON = Duration.ofSeconds(30);
    private static final Path SHARED = Path.of("/dev/shm");

    @TempDir
    Path folder;

    private final String name = "one-" + UUID.randomUUID();
    private final ChildProcess other = ChildProcess.start(WorldProgram.class);

    @AfterEach
    void end() {
        other.close();
    }

    private World open(Path where, boolean retain) {
        return World.named(name).size(1).segment(4 << 20).fabric(Fabrics.sharedMemory(where, retain)).open();
    }

    private List<String> files(Path where) throws IOException {
        try (Stream<Path> files = Files.list(where)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(file -> file.contains(name))
                    .sorted()
                    .toList();
        }
    }

    private String opening(String more) {
        return "open name=" + name + " size=1 rank=0 " + more;
    }

    private boolean isTold() {
        return other.remarks()
                .stream()
                .anyMatch(remark -> remark.contains("shares nothing") && remark.contains("atoll.world.size=2")
                        && remark.contains("world=" + name));
    }

    @Test
    void whatIsRetainedIsFoundByTheNextProcess() {
        try (World world = open(folder, true)) {
            world.longMap("hits").capacity(100).open().put(7, 3);
        }
        try (World world = open(folder, true)) {
            assertThat(world.incarnation()).isEqualTo(2);
            assertThat(world.longMap("hits").capacity(100).open().getOrDefault(7, -1)).isEqualTo(3);
        }
        other.ask(opening("retain=true folder=" + folder));
        other.ask("map hits 100");
        assertThat(other.ask("find 7")).isEqualTo("3");
    }

    @Test
    void filesOfAFolderThatAreNotRetainedEndWithTheWorld() throws IOException {
        try (World world = open(folder, false)) {
            assertThat(world.peers().missing()).isEmpty();
            assertThat(files(folder)).containsExactly("atoll-" + name + "-0.lock", "atoll-" + name + "-0.segment");
        }
        assertThat(files(folder)).isEmpty();
    }

    @Test
    void aFolderThatDoesNotExistIsRefused() {
        Path none = folder.resolve("none");
        assertThatExceptionOfType(JoinRefusedException.class).isThrownBy(() -> open(none, false))
                .withMessageContaining("folder=" + none)
                .satisfies(refused -> assertThat(refused.reason()).isEqualTo(Reason.FABRIC_UNAVAILABLE));
    }

    @Test
    void theSecondProcessOfAWorldWithFilesIsToldToMakeItLarger() {
        try (World world = open(folder, false)) {
            assertThat(world.size()).isOne();
            for (String rank : List.of("", "rank=0 ")) {
                assertThatExceptionOfType(ChildProcess.Failure.class)
                        .isThrownBy(() -> other.ask("open name=" + name + " size=1 " + rank + "folder=" + folder))
                        .withMessageContaining("atoll.world.size=2")
                        .withMessageContaining("atoll.world.name");
            }
        }
        assertThat(other.ask(opening("folder=" + folder))).isEqualTo("incarnation=1");
    }

    @Test
    void theSecondProcessOfAWorldWithoutFilesIsToldThatItSharesNothing() throws IOException {
        try (World first = open(SHARED, false); World second = open(SHARED, false)) {
            assertThat(first.rank()).isEqualTo(second.rank());
            assertThat(files(SHARED)).containsExactly("atoll-" + name + "-one.lock");
            assertThat(other.ask(opening(""))).isEqualTo("incarnation=1");
            await().atMost(SOON).until(this::isTold);
            other.ask("close");
        }
        assertThat(files(SHARED)).isEmpty();
    }

    /** Each further process gets the warning, even if the first one has ended. */
    @Test
    void theSecondProcessTakesTheSignWhenTheFirstHasEnded() throws IOException {
        try (World _ = open(SHARED, false)) {
            other.ask(opening(""));
            await().atMost(SOON).until(this::isTold);
        }
        await().atMost(SOON).until(() -> ProcessSigns.isUsedByAnotherProcess(SHARED, name));
        other.ask("close");
        assertThat(ProcessSigns.isUsedByAnotherProcess(SHARED, name)).isFalse();
        assertThat(files(SHARED)).isEmpty();
    }

    /** The killed process cannot remove its sign. Its name need not be used again. */
    @Test
    void theSignOfAProcessThatWasKilledIsRemovedByTheNextWorldOfAnyName() throws IOException {
        other.ask(opening(""));
        assertThat(files(SHARED)).containsExactly("atoll-" + name + "-one.lock");
        try (World alive = World.named("beside-" + name).segment(4 << 20).open()) {
            assertThat(alive.size()).isOne();
            assertThat(files(SHARED)).containsExactlyInAnyOrder("atoll-" + name + "-one.lock",
                    "atoll-beside-" + name + "-one.lock");
            other.kill();
            World.named("next-" + name).segment(4 << 20).open().close();
            assertThat(files(SHARED)).containsExactly("atoll-beside-" + name + "-one.lock");
        }
        assertThat(files(SHARED)).isEmpty();
    }

    @Test
    void aProcessWithoutFilesIsToldOfAWorldOfSeveralRanksToo() throws IOException {
        try (World larger = World.named(name).size(2).rank(0).segment(4 << 20).fabric(Fabrics.sharedMemory()).open()) {
            assertThat(larger.peers().missing()).containsExactly(1);
            other.ask(opening(""));
            await().atMost(SOON).until(this::isTold);
            other.ask("close");
        }
        assertThat(files(SHARED)).isEmpty();
    }

    @Test
    void aProcessThatIsAloneIsToldNothing() throws IOException {
        other.ask(opening(""));
        other.ask("close");
        assertThat(isTold()).isFalse();
        assertThat(files(SHARED)).isEmpty();
    }
}
