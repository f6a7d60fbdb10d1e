package io.atoll.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.failure.RankUnreachableException;
import io.atoll.map.LongLongMap;
import io.atoll.world.Peers.PeerStatus;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests the death of rank 1: a process that is killed, with everything that it had under way. */
@NeedsRdmaDevice
@Timeout(300)
class RdmaDeathTest {

    private static final Duration PATIENCE = Duration.ofSeconds(100);
    private static final int KEYS = 100;
    private static final String AT_WORK = "at work";

    @TempDir
    private Path folder;

    private World world;
    private Process other;

    @BeforeEach
    void join() throws IOException {
        world = open(folder, 0);
        other = start();
    }

    private static World open(Path folder, int rank) {
        return World.named("verbs-death")
                .size(2)
                .rank(rank)
                .segment(4 << 20)
                .joinTimeout(PATIENCE)
                .fabric(new Rdma(Fabrics.sharedMemory(folder, false)))
                .open();
    }

    @AfterEach
    void leave() throws InterruptedException {
        other.destroyForcibly().waitFor();
        world.close();
    }

    /** Starts the process, and returns when it uses the map. */
    private Process start() throws IOException {
        Process process = new ProcessBuilder(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp",
                System.getProperty("java.class.path"), Other.class.getName(), folder.toString()))
                .redirectError(Redirect.INHERIT)
                .start();
        BufferedReader output = process.inputReader();
        assertThat(output.lines().anyMatch(AT_WORK::equals)).as("before it ends").isTrue();
        return process;
    }

    /** The other rank: adds to counters for as long as it lives. */
    static final class Other {

        private Other() {}

        public static void main(String[] arguments) throws Exception {
            try (World world = open(Path.of(arguments[0]), 1)) {
                LongLongMap counts = world.longMap("counts").capacity(1_000).open();
                for (long round = 0;; round++) {
                    counts.addAndGet(1 + round % KEYS, 1);
                    if (round == KEYS) {
                        System.out.println(AT_WORK);
                        Thread.ofPlatform().daemon().start(Other::endWithParent);
                    }
                }
            }
        }

        private static void endWithParent() {
            try {
                System.in.transferTo(OutputStream.nullOutputStream());
            } catch (IOException gone) {
                System.err.println("the parent is gone: " + gone);
            }
            Runtime.getRuntime().halt(0);
        }
    }

    @Test
    void whatWasAcknowledgedIsThereAfterAKillAndTheRankComesBack() throws Exception {
        LongLongMap counts = world.longMap("counts").capacity(1_000).open();
        other.destroyForcibly().waitFor();
        await().atMost(PATIENCE).until(() -> world.peers().snapshot().get(1).status() == PeerStatus.LOST);

        assertThat(world.peers().isFenced(1, 1, 0)).isTrue();
        assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(() -> sum(counts))
                .satisfies(failure -> assertThat(failure.rank()).isEqualTo(1));

        other = start();
        world.peers().awaitAll(PATIENCE);

        assertThat(world.peers().snapshot().get(1).incarnation()).isEqualTo(2);
        // Each life reported when it had added that often. No thread waits for what the dead one had begun.
        assertThat(sum(counts)).isGreaterThanOrEqualTo(2 * KEYS);
        for (long key = 1; key <= KEYS; key++) {
            assertThat(counts.addAndGet(key, 0)).isGreaterThanOrEqualTo(2);
        }
    }

    private static long sum(LongLongMap map) {
        long sum = 0;
        for (long key = 1; key <= KEYS; key++) {
            sum += map.getOrDefault(key, 0);
        }
        return sum;
    }
}
