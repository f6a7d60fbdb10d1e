package io.atoll.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.process.ChildProcess;
import io.atoll.process.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("processes")
class CoordinatorFolderTest {

    /** A coordinator with one world, whose process is another one. */
    static final class Coordinator implements Program {

        @Override
        public String obey(String command, List<String> arguments) throws Exception {
            @SuppressWarnings("resource") // the test kills it
            CoordinatorFolder folder = CoordinatorFolder.create(Path.of(arguments.getFirst()));
            Path world = Files.createDirectory(folder.path().resolve(folder.world(0)));
            Files.writeString(world.resolve("segment"), "what a rank leaves");
            Process rank = new ProcessBuilder("sh", "-c", "kill -STOP $$", CoordinatorFolder.mark(world)).start();
            return Long.toString(rank.pid());
        }

        @Override
        public void close() {
            // Waits to be killed.
        }
    }

    @Test
    void whatAKilledCoordinatorLeavesIsRemovedByTheNext(@TempDir Path sharedMemory) throws Exception {
        ProcessHandle paused;
        try (ChildProcess killed = ChildProcess.start(Coordinator.class);
                ChildProcess living = ChildProcess.start(Coordinator.class)) {
            paused = ProcessHandle.of(Long.parseLong(killed.ask("begin " + sharedMemory))).orElseThrow();
            killed.kill();
            assertThat(paused.isAlive()).isTrue();
            ProcessHandle other = ProcessHandle.of(Long.parseLong(living.ask("begin " + sharedMemory))).orElseThrow();
            assertThat(paused.onExit().get(1, TimeUnit.MINUTES).isAlive()).isFalse();
            try (CoordinatorFolder _ = CoordinatorFolder.create(sharedMemory)) {
                assertThat(other.isAlive()).isTrue();
                assertThat(files(sharedMemory)).hasSize(2);
            }
            assertThat(files(sharedMemory)).hasSize(1);
        }
        CoordinatorFolder.create(sharedMemory).close();
        assertThat(files(sharedMemory)).isEmpty();
    }

    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList();
        }
    }
}
