package io.atoll.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.process.ChildProcess;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A process whose heap is full while a thread acquires and releases locks: every lock can be had afterwards. */
@Tag("processes")
@Timeout(value = 600, unit = TimeUnit.SECONDS)
class FullHeapTest {

    private static final int ROUNDS = 12;
    private static final int ROUNDS_AT_ONCE = 2; // few, since each lack of memory is a collection of the whole heap

    @TempDir
    private Path folder;

    @ParameterizedTest
    @EnumSource
    void everyLockCanBeHadAfterMemoryWasMissing(LockAlgorithm algorithm) {
        try (ChildProcess process = ChildProcess.start(FullHeapProcess.class, "-Xmx16m")) {
            process.ask("open " + folder + " " + algorithm);
            process.ask("use");
            for (int lock = 0; lock < 2; lock++) {
                int missing = 0;
                for (int round = 0; round < ROUNDS; round += ROUNDS_AT_ONCE) {
                    missing += Integer
                            .parseInt(process.ask("fill " + lock + " " + round + " " + (round + ROUNDS_AT_ONCE)));
                }
                assertThat(missing).as("how often memory was missing").isPositive();
                assertThat(process.ask("check")).isEqualTo("all");
            }
        }
    }
}
