package io.atoll.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.memory.OverflowingProgram.Way;
import io.atoll.process.ChildProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A stack that overflows at each depth around a lock. The thread never keeps the lock, and others acquire it, also those
 * that wait at that time. Monitors keep that by themselves.
 */
@Tag("processes")
@Timeout(300)
class StackSafeLockTest {

    private static final int FEWEST_DEPTHS = 500;

    @ParameterizedTest
    @CsvSource({"-Xint,platform", "-Xint,virtual", "-XX:TieredStopAtLevel=4,platform",
            "-XX:TieredStopAtLevel=4,virtual"})
    void noFullStackLeavesALockLocked(String compilers, String threads) {
        try (ChildProcess process = ChildProcess.start(OverflowingProgram.class, compilers, "-Xss512k")) {
            long depths = 0;
            for (Way way : Way.values()) {
                String[] seen = process.ask("run " + threads + " " + way).split(" ");
                depths += Long.parseLong(seen[0]);
                assertThat(seen[1]).as("overflown within the lock: way=" + way).isEqualTo("0");
            }
            assertThat(depths).isGreaterThan(FEWEST_DEPTHS);
        }
    }
}
