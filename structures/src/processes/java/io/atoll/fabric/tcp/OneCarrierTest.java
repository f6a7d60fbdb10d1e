package io.atoll.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.process.ChildProcess;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests virtual threads that all run on one carrier. None may wait in a way that keeps the carrier from the others. */
@Tag("processes")
@Timeout(300)
class OneCarrierTest {

    private static final int THREADS = 10_000;
    private static final int ROUNDS = 3;

    @Test
    void tenThousandThreadsHaveTheirAnswersInBoundedMemory(@TempDir Path folder) {
        try (ChildProcess process = ChildProcess.start(OneCarrierProgram.class,
                "-Djdk.virtualThreadScheduler.parallelism=1", "-Djdk.virtualThreadScheduler.maxPoolSize=1", "-Xmx192m",
                "-XX:MaxDirectMemorySize=64m")) {
            String added = process.tell("add " + folder + " " + THREADS + " " + ROUNDS)
                    .orTimeout(240, TimeUnit.SECONDS)
                    .join();
            assertThat(added).isEqualTo((long) THREADS * ROUNDS + " 0");
        }
    }
}
