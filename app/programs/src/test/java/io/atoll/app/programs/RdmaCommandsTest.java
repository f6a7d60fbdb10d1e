package io.atoll.app.programs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.atoll.app.command.CommandRun;
import io.atoll.app.command.ThisProgram;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** The commands about RDMA, with a device and without. */
@Timeout(300)
class RdmaCommandsTest {

    private static final String NO_DEVICE = "no RDMA device here; the lab has one: mvn -q -DskipTests -Prdma-lab test";

    @TempDir
    private Path folder;

    static boolean hasDevice() {
        return Files.isDirectory(Path.of("/sys/class/infiniband"));
    }

    static boolean hasNoDevice() {
        return !hasDevice();
    }

    private CommandRun loopback(String... more) {
        List<String> arguments = new ArrayList<>(List.of("bench", "loopback", "--operations=100", "--warmups=1",
                "--runs=2", "--shared-memory=" + folder));
        arguments.addAll(List.of(more));
        return Program.run(arguments.toArray(String[]::new));
    }

    @Test
    @EnabledIf(value = "hasNoDevice", disabledReason = "there is an RDMA device")
    void withoutADeviceThereIsNoLoopback() {
        CommandRun run = loopback();
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.errors()).singleElement().asString().contains("RDMA cannot be used here", "no RDMA device");
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void optionsOutOfRangeAreRefused() {
        assertThat(loopback("--threads=0").errors())
                .containsExactly("loopback: --threads must be from 1 to 256: threads=0");
        assertThat(loopback("--runs=0").exitCode()).isEqualTo(2);
    }

    @Test
    @Tag("rdma")
    @EnabledIf(value = "hasDevice", disabledReason = NO_DEVICE)
    void withADeviceTheCheckShowsItAndIsContent() {
        CommandRun run = Program.run("rdma-check");
        assertThat(run.output()).last().isEqualTo("verdict: RDMA can be used");
        assertThat(run.exitCode()).isZero();
        assertThat(run.output()).anyMatch(line -> line.startsWith("device ") && line.contains("atomics"))
                .anyMatch(line -> line.contains("port 1: 4: ACTIVE"))
                .anyMatch(line -> line.contains("gid "));
        run.output().forEach(System.out::println);
    }

    @Test
    @Tag("rdma")
    @EnabledIf(value = "hasDevice", disabledReason = NO_DEVICE)
    void theLoopbackIsMeasuredBesideTheCpuForEachNumberOfThreads() {
        CommandRun run = loopback();
        assertThat(run.errors()).isEmpty();
        assertThat(run.output()).filteredOn(line -> line.contains("operations/ms"))
                .extracting(line -> line.split(" {2,}")[0])
                .containsExactlyElementsOf(IntStream.rangeClosed(1, 8)
                        .mapToObj(count -> count == 1 ? "1 thread" : count + " threads")
                        .flatMap(threads -> Stream.of("CPU, " + threads, "loopback, " + threads))
                        .toList());
        assertThat(folder).isEmptyDirectory();
        run.output().forEach(System.out::println);
    }

    @Test
    @Tag("rdma")
    @EnabledIf(value = "hasDevice", disabledReason = NO_DEVICE)
    void aLoopbackThatIsTerminatedLeavesNothing() throws Exception {
        List<String> command = ThisProgram.command("io.atoll.app.programs.AtollApplication",
                List.of("--enable-native-access=ALL-UNNAMED"));
        command.addAll(List.of("bench", "loopback", "--operations=100000000", "--shared-memory=" + folder));
        Process process = new ProcessBuilder(command).inheritIO().start();
        try {
            await().atMost(Duration.ofMinutes(2)).until(() -> !segments().isEmpty());
        } finally {
            process.destroy();
            process.waitFor();
        }
        assertThat(folder).isEmptyDirectory();
    }

    private List<Path> segments() throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".segment")).toList();
        } catch (UncheckedIOException goneMeanwhile) {
            return List.of();
        }
    }
}
