package io.atoll.app.programs;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.app.command.CommandRun;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The benchmarks of structures by TCP and by RDMA have every row that they have in shared memory. */
@Timeout(400)
@Tag("processes")
class BenchOverFabricsTest {

    @TempDir
    private Path folder;

    static boolean hasDevice() {
        return Files.isDirectory(Path.of("/sys/class/infiniband"));
    }

    private CommandRun bench(String what, String fabric) {
        CommandRun run = Program.run("bench", what, "--fabric=" + fabric, "--ranks=2", "--warmups=1", "--runs=1",
                what.equals("map") ? "--keys=200" : "--elements=200", "--shared-memory=" + folder);
        assertThat(run.errors()).isEmpty();
        run.output().forEach(System.out::println);
        return run;
    }

    @Tag("rdma")
    @Tag("nightly")
    @EnabledIf(value = "hasDevice", disabledReason = "no RDMA device here; the lab has one: mvn -q -DskipTests "
            + "-Prdma-lab test")
    @ParameterizedTest
    @ValueSource(strings = {"map", "queue", "filter", "array"})
    void everyRowIsMeasuredByRdma(String what) {
        assertEveryRowIsMeasured(what, "rdma");
    }

    @ParameterizedTest
    @ValueSource(strings = {"map", "queue"})
    void everyRowIsMeasuredByTcp(String what) {
        assertEveryRowIsMeasured(what, "tcp");
    }

    private void assertEveryRowIsMeasured(String what, String fabric) {
        CommandRun run = bench(what, fabric);
        assertThat(run.output().getFirst()).contains("fabric=" + fabric);
        assertThat(run.output()).hasSameSizeAs(bench(what, "shared-memory").output());
    }
}
