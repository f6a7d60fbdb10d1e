package io.atoll.app.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.atoll.app.command.ThisProgram;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.test.web.servlet.client.RestTestClient;
import tools.jackson.databind.json.JsonMapper;

/** Nodes as processes that are told to end, as containers are by SIGTERM. */
@Timeout(value = 180, threadMode = ThreadMode.SEPARATE_THREAD)
@Tag("processes")
class NodeEndTest {

    private static final int ENDED_BY_SIGTERM = 128 + 15;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    private Path folder;

    private NodeProcess node(int rank, int membershipPort, String... more) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("--atoll.world.size=2", "--atoll.world.rank=" + rank,
                "--server.port=0", "--atoll.fabric.type=tcp", "--atoll.fabric.tcp.bind=127.0.0.1",
                "--atoll.fabric.tcp.same-host=false", "--atoll.fabric.tcp.secret=a secret that both of the ranks know",
                "--atoll.membership.type=hazelcast", "--atoll.membership.hazelcast.port=" + membershipPort,
                "--atoll.membership.hazelcast.secret=a secret that both of the ranks know"));
        arguments.addAll(List.of(more));
        return new NodeProcess(folder, arguments.toArray(String[]::new));
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static String read(RestTestClient node, String path) {
        return node.get().uri(path).exchange().expectBody(String.class).returnResult().getResponseBody();
    }

    private static List<Integer> members(RestTestClient node) {
        return JsonMapper.shared()
                .readTree(read(node, "/atoll/api/view"))
                .get("members")
                .valueStream()
                .map(member -> member.get("rank").asInt())
                .toList();
    }

    private static int status(RestTestClient node, String path) {
        return node.get().uri(path).exchange().expectBody().returnResult().getStatus().value();
    }

    /** Ends the process by its handle. Process.destroy would close the streams that are read here. */
    private static void terminate(NodeProcess node) {
        node.process().toHandle().destroy();
    }

    private static void assertEndsInOrder(NodeProcess node) {
        assertThat(node.process()
                .onExit()
                .orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                .join()
                .exitValue()).isEqualTo(ENDED_BY_SIGTERM);
        assertThat(node.remainingLines()).noneMatch(line -> line.contains(" ERROR "));
        assertThat(node.process().errorReader().lines()).noneMatch(line -> line.contains("Exception"));
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList();
        }
    }

    @Test
    void aNodeThatIsToldToEndLeavesTheWorldInOrderAndTheLastOneLeavesNothing() throws Exception {
        int membershipPort = freePort();
        try (NodeProcess first = node(0, membershipPort); NodeProcess second = node(1, membershipPort)) {
            RestTestClient stays = first.awaitReady();
            second.awaitReady();
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(status(stays, "/actuator/health/readiness")).isEqualTo(200));

            terminate(second);
            assertEndsInOrder(second);
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(read(stays, "/atoll/api/world")).contains("\"lost\":[1]"));
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(members(stays)).containsExactly(0));

            terminate(first);
            assertEndsInOrder(first);
            assertThat(files()).isEmpty();
        }
    }

    @Test
    void aNodeThatIsToldToEndBeforeItsWorldIsWholeLeavesNothing() throws Exception {
        try (NodeProcess node = node(0, freePort())) {
            while (!node.readLine().contains("takes part")) {
                // The node prints a few lines first.
            }
            terminate(node);
            node.process().onExit().orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
            assertThat(files()).isEmpty();
        }
    }

    @Test
    void aNodeWithADelayAnswersOnAndIsNotReadyUntilItEnds() throws Exception {
        try (NodeProcess node = new NodeProcess(folder, "--server.port=0", "--node.stop-delay=1h")) {
            RestTestClient client = node.awaitReady();
            assertThat(status(client, "/actuator/health/readiness")).isEqualTo(200);
            terminate(node);
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(status(client, "/actuator/health/readiness")).isEqualTo(503));
            assertThat(status(client, "/actuator/health/liveness")).isEqualTo(200);
            assertThat(status(client, "/hits/7")).isEqualTo(200);
            assertThat(node.process().isAlive()).isTrue();
        }
    }

    @Test
    void aNodeEndsOnceItsDelayIsOver() throws Exception {
        try (NodeProcess node = new NodeProcess(folder, "--server.port=0", "--node.stop-delay=300ms")) {
            node.awaitReady();
            terminate(node);
            assertEndsInOrder(node);
            assertThat(files()).isEmpty();
        }
    }

    @Test
    void aWorldOfNodesPassesTheCheck() throws Exception {
        int membershipPort = freePort();
        try (NodeProcess first = node(0, membershipPort); NodeProcess second = node(1, membershipPort)) {
            first.awaitReady();
            second.awaitReady();
            List<String> command = ThisProgram.command("io.atoll.app.NodeApplication",
                    List.of("--enable-native-access=ALL-UNNAMED"));
            command.addAll(List.of("check", "world", "http://127.0.0.1:" + first.port(),
                    "http://127.0.0.1:" + second.port()));
            Process check = new ProcessBuilder(command).redirectErrorStream(true).start();
            assertThat(check.inputReader().lines()).last().isEqualTo("verdict: the world works: ranks=2");
            assertThat(check.waitFor()).isZero();
        }
    }
}
