package io.atoll;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.process.ChildProcess;
import io.atoll.process.OwnedFolder;
import io.atoll.process.Program;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
@Tag("processes")
class OwnedFolderTest {

    private static final String PREFIX = "atoll-owned-";

    @TempDir
    private Path sharedMemory;

    /** Measures something until it is killed. */
    static final class Measuring implements Program {

        @Override
        public String obey(String command, List<String> arguments) throws Exception {
            @SuppressWarnings("resource") // removed at the end of this process
            OwnedFolder folder = OwnedFolder.create(Path.of(arguments.getFirst()), PREFIX);
            Path world = Files.createDirectory(folder.path().resolve("world"));
            Files.writeString(world.resolve("segment"), "what a rank leaves");
            return folder.path().toString();
        }

        @Override
        public void close() {
            // Waits to be killed.
        }
    }

    private Path begin(ChildProcess process) {
        return Path.of(process.ask("begin " + sharedMemory));
    }

    @Test
    void whatAProcessLeavesThatIsToldToEndIsRemovedByIt() throws Exception {
        try (ChildProcess process = ChildProcess.start(Measuring.class)) {
            assertThat(begin(process)).isDirectory();
            ProcessHandle handle = ProcessHandle.of(process.pid()).orElseThrow();
            handle.destroy();
            handle.onExit().get(1, TimeUnit.MINUTES);
            assertThat(sharedMemory).isEmptyDirectory();
        }
    }

    @Test
    void whatAKilledProcessLeavesIsRemovedByTheNext() throws Exception {
        try (ChildProcess killed = ChildProcess.start(Measuring.class);
                ChildProcess living = ChildProcess.start(Measuring.class)) {
            Path left = begin(killed);
            killed.kill();
            assertThat(left).isDirectory();
            Path used = begin(living);
            assertThat(left).doesNotExist();
            try (OwnedFolder own = OwnedFolder.create(sharedMemory, PREFIX)) {
                assertThat(used).isDirectoryRecursivelyContaining("glob:**/segment");
                assertThat(own.path()).isDirectory();
            }
        }
    }
}
