package io.atoll.spring.autoconfigure.diagnostics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.atoll.failure.JoinRefusedException;
import io.atoll.failure.JoinRefusedException.Reason;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;

/** Tests what a user reads if the machine cannot do RDMA. */
@ExtendWith(OutputCaptureExtension.class)
class RefusedRdmaTest {

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Plain {}

    @Test
    void withoutADeviceTheUserReadsHowToHaveOneAndHowToLook(CapturedOutput output, @TempDir Path folder) {
        assumeFalse(Files.isDirectory(Path.of("/sys/class/infiniband")), "there is an RDMA device");
        assertThatException().isThrownBy(() -> new SpringApplicationBuilder(Plain.class).web(WebApplicationType.NONE)
                .run("--atoll.fabric.type=rdma", "--atoll.world.size=2", "--atoll.world.rank=0",
                        "--atoll.segment.size=4MB", "--atoll.fabric.shared-memory.folder=" + folder)
                .close());
        assertThat(output.getOut()).contains("APPLICATION FAILED TO START",
                "This process cannot join the world: RDMA cannot be used here: the kernel has no RDMA device",
                "modprobe rdma_rxe", "rdma-check", "atoll.fabric.rdma.device", "atoll.fabric.type");
    }

    @ParameterizedTest
    @CsvSource({"LOCKED_MEMORY, ulimit -l unlimited", "LOCKED_MEMORY, LimitMEMLOCK",
        "LOCKED_MEMORY, atoll.segment.size", "NO_RDMA_ATOMICS, atoll.fabric.rdma.device",
        "NO_RDMA_ATOMICS, rdma-check", "NO_RDMA_DEVICE, atoll.fabric.rdma.host"})
    void eachLackIsAnsweredByWhatChangesIt(Reason reason, String remedy) {
        var refused = new JoinRefusedException(reason, "RDMA cannot be used here");
        assertThat(new JoinRefusedFailureAnalyzer().analyze(refused, refused).getAction()).contains(remedy);
    }
}
