package io.atoll.app.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.app.NodeApplication;
import io.atoll.app.command.CommandRun;
import io.atoll.fabric.rdma.RdmaReport;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/** Runs {@code rdma-check} without a device. */
class RdmaCheckTest {

    static boolean hasNoDevice() {
        return !Files.isDirectory(Path.of("/sys/class/infiniband"));
    }

    @Test
    @EnabledIf(value = "hasNoDevice", disabledReason = "there is an RDMA device")
    void withoutADeviceTheCheckSaysWhatIsMissing() {
        CommandRun run = CommandRun.of(new NodeApplication().commandLine(), "rdma-check");
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.errors()).isEmpty();
        assertThat(run.output()).last().isEqualTo("verdict: RDMA cannot be used");
        assertThat(run.output()).anyMatch(line -> line.startsWith("missing: ") && line.contains("no RDMA device"));
        assertThat(run.output()).anyMatch(line -> line.startsWith("locked memory: "));
    }

    @Test
    void aSegmentThatCannotBeLockedIsTold() {
        RdmaReport limited = new RdmaReport(List.of(), OptionalLong.of(8 << 20), List.of());
        assertThat(RdmaCheckCommand.lackOfLockableMemory(limited, 64 << 20)).hasValueSatisfying(
                message -> assertThat(message).endsWith("lockableBytes=8388608 segmentBytes=67108864"));
        assertThat(RdmaCheckCommand.lackOfLockableMemory(limited, 4 << 20)).isEmpty();
        RdmaReport unlimited = new RdmaReport(List.of(), OptionalLong.empty(), List.of());
        assertThat(RdmaCheckCommand.lackOfLockableMemory(unlimited, 1L << 40)).isEmpty();
    }

    @Test
    void theSegmentOfTheCheckIsASize() {
        CommandRun run = CommandRun.of(new NodeApplication().commandLine(), "rdma-check", "--segment=big");
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.errors()).first().asString().contains("'big'");
    }
}
