package io.atoll.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.atoll.process.ChildProcess;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that any number of verbs allocates nothing. The JDK's selectors look a connection up by its file descriptor,
 * and allocate for each number above 127. So the verbs have a process of their own, which has few.
 */
@Tag("processes")
@Timeout(180)
class TcpAllocationTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60); // until everything is compiled

    @TempDir
    Path folder;

    private ChildProcess open(int mostThreads) {
        ChildProcess process = ChildProcess.start(TcpAllocationProgram.class, "-XX:TieredStopAtLevel=4");
        process.ask("open " + folder + " " + mostThreads);
        return process;
    }

    private static void assertAllocatesNothing(ChildProcess process, String whose) {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(Long.parseLong(process.ask(whose)))
                        .isLessThan(TcpAllocationProgram.VERBS));
    }

    @Test
    void verbsAllocateNothing() {
        try (ChildProcess process = open(Listener.MOST_THREADS)) {
            assertAllocatesNothing(process, "caller");
        }
    }

    /** The thread that serves the lane, or a loop, executes the verbs. */
    @ParameterizedTest
    @ValueSource(ints = {Listener.MOST_THREADS, 0})
    void verbsAllocateNothingAtTheOwner(int mostThreads) {
        try (ChildProcess process = open(mostThreads)) {
            assertAllocatesNothing(process, "owner");
        }
    }
}
