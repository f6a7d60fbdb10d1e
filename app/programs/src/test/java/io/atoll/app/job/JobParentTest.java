package io.atoll.app.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs whose parent process ends or is killed. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
@Tag("processes")
class JobParentTest {

    private static final int RANKS = 3;

    @TempDir
    Path shared;
    @TempDir
    Path output;
    private Path errors;
    private Ranks ranks;

    @BeforeEach
    void listen() throws IOException {
        errors = output.resolve("errors");
        ranks = new Ranks();
    }

    @AfterEach
    void hangUp() throws IOException {
        ranks.close();
    }

    /**
     * Starts the parent in a process group of its own, as a shell does. So a signal can be sent to all of its
     * processes, as a terminal does.
     */
    private Process startParent(boolean joinFirst) throws IOException {
        List<String> command = new ArrayList<>(List.of("env", "--default-signal", "setsid",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp", System.getProperty("java.class.path"), WaitingJob.class.getName()));
        command.addAll(List.of("" + ranks.port(), "" + joinFirst, "" + RANKS, shared.toString(),
                shared.resolve("unfinished").toString()));
        return new ProcessBuilder(command).redirectError(errors.toFile()).start();
    }

    private static void signalGroup(String signal, Process leader) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder("kill", "-" + signal, "--", "-" + leader.pid()).inheritIO().start();
        assertThat(kill.waitFor()).isZero();
    }

    private void assertNothingIsLeft(List<Ranks.Met> met) throws IOException {
        for (Ranks.Met each : met) {
            each.awaitEnd();
        }
        try (Stream<Path> left = Files.list(shared)) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void aJobEndsWell() throws Exception {
        Process parent = startParent(true);
        for (Ranks.Met each : ranks.await(RANKS)) {
            each.goOn();
        }
        assertThat(parent.inputReader().lines()).containsExactlyInAnyOrder("rank 0 of 3", "rank 1 of 3", "rank 2 of 3");
        assertThat(parent.waitFor()).isZero();
        assertNothingIsLeft(ranks.await(RANKS));
        assertThat(errors).isEmptyFile();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aKilledParentLeavesNothing(boolean joinFirst) throws Exception {
        Process parent = startParent(joinFirst);
        List<Ranks.Met> met = ranks.await(RANKS);
        parent.toHandle().destroyForcibly();
        assertNothingIsLeft(met);
    }

    @Test
    void controlCLeavesNothingAndSaysNothing() throws Exception {
        Process parent = startParent(true);
        List<Ranks.Met> met = ranks.await(RANKS);
        signalGroup("INT", parent);
        assertThat(parent.waitFor()).isEqualTo(130);
        assertNothingIsLeft(met);
        assertThat(errors).isEmptyFile();
    }

    @Test
    void aTerminatedParentLeavesNothing() throws Exception {
        Process parent = startParent(true);
        List<Ranks.Met> met = ranks.await(RANKS);
        parent.toHandle().destroy();
        assertThat(parent.waitFor()).isEqualTo(143);
        assertNothingIsLeft(met);
    }

    /** Ranks may be in any state between the start of their process and the barrier. */
    @RepeatedTest(5)
    void aParentThatIsKilledWhileRanksStartLeavesNothing() throws Exception {
        Process parent = startParent(false);
        List<Ranks.Met> met = ranks.await(1 + RandomGenerator.getDefault().nextInt(RANKS));
        for (Ranks.Met each : met) {
            each.goOn();
        }
        parent.waitFor(RandomGenerator.getDefault().nextInt(300), TimeUnit.MILLISECONDS);
        // Waits until all ranks are started, however long that takes, or until the parent has ended.
        await().until(() -> parent.descendants().count() == RANKS || !parent.isAlive());
        List<ProcessHandle> processes = parent.descendants().toList();
        parent.toHandle().destroyForcibly();
        for (ProcessHandle each : processes) {
            each.onExit().join();
        }
        assertNothingIsLeft(met);
    }
}
