package io.atoll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.atoll.process.ChildProcess;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A process may have far more threads than there is memory for a whole buffer each. */
@Timeout(240)
@Tag("processes")
class BatchMemoryTest {

    private static final int THREADS = 10_000;
    private static final long MOST_BYTES = 64 << 20;

    @TempDir
    Path folder;

    private ChildProcess open(String... options) {
        ChildProcess process = ChildProcess.start(BatchMemoryProgram.class, options);
        process.ask("open " + folder);
        return process;
    }

    private static String run(ChildProcess process, String command) throws Exception {
        return process.tell(command).get(200, TimeUnit.SECONDS);
    }

    private static int served(String outcome) {
        return Integer.parseInt(outcome.split("\\+")[0]);
    }

    private static int refused(String outcome) {
        return Integer.parseInt(outcome.split("\\+")[1]);
    }

    private static long direct(ChildProcess process) {
        return Long.parseLong(process.ask("direct"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"small", "large"})
    void tenThousandThreadsThatLiveAtTheSameTimeAreAllServed(String operations) throws Exception {
        try (ChildProcess process = open("-Xmx256m")) {
            assertThat(run(process, operations + " " + THREADS)).isEqualTo(THREADS + "+0");
            assertThat(direct(process)).isBetween(1L, MOST_BYTES);
            assertThat(process.ask("sum")).isEqualTo("" + THREADS);
        }
    }

    /** A thread that gets no memory fails with a message, in the middle of any operation. It delays no other thread. */
    @Test
    void whereMemoryDoesNotSufficeSomeThreadsFailAndNobodyWaitsForThem() throws Exception {
        try (ChildProcess process = open("-Xmx256m", "-XX:MaxDirectMemorySize=8m")) {
            String outcome = run(process, "small " + THREADS);
            assertThat(served(outcome)).isBetween(1, THREADS - 1);
            assertThat(served(outcome) + refused(outcome)).isEqualTo(THREADS);
            // Ended threads give back their memory once the process notices that they have ended.
            await().atMost(60, TimeUnit.SECONDS).until(() -> served(run(process, "small 1000")) > 900);
            assertThat(Integer.parseInt(process.ask("sum"))).isGreaterThanOrEqualTo(served(outcome) + 900);
        }
    }
}
