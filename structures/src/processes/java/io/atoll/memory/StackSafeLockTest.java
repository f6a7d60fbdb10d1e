package io.atoll.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.memory.OverflowingProgram.Way;
import io.atoll.process.ChildProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The stack overflows at each depth around a lock. The thread never keeps the lock. Other threads can acquire it, even
 * those that wait at that time. Monitors guarantee this by themselves.
 */
@Tag("processes")
@Timeout(300)
class StackSafeLockTest {

    /**
     * The least number of depths at which the stack overflows, for each way. Frames of compiled code leave a tenth of
     * those that the interpreter's leave.
     */
    private static final int FEWEST_DEPTHS = 16;

    @ParameterizedTest
    @CsvSource({"-Xint,platform", "-Xint,virtual", "-XX:TieredStopAtLevel=4,platform",
        "-XX:TieredStopAtLevel=4,virtual"})
    void noFullStackLeavesALockLocked(String compilers, String threads) {
        try (ChildProcess process = ChildProcess.start(OverflowingProgram.class, compilers, "-Xss512k")) {
            for (Way way : Way.values()) {
                String[] seen = process.ask("run " + threads + " " + way).split(" ");
                assertThat(Long.parseLong(seen[0])).as("depths: way=" + way).isGreaterThan(FEWEST_DEPTHS);
                assertThat(seen[1]).as("overflown within the lock: way=" + way).isEqualTo("0");
            }
        }
    }
}
