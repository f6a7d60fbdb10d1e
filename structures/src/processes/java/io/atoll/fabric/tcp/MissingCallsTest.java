package io.atoll.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.process.ChildProcess;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests a process in which the functions of the C library are missing for good. The JVM looks for them once. */
@Tag("processes")
@Timeout(180)
class MissingCallsTest {

    @Test
    void aProcessWithoutTheFunctionsWaitsBySelectors(@TempDir Path folder) {
        try (ChildProcess process = ChildProcess.start(MissingCallsProgram.class)) {
            process.ask("open " + folder);
            assertThat(process.ask("overflow")).isEqualTo("missing");
            assertThat(process.ask("add")).isEqualTo("0 3");
        }
    }
}
