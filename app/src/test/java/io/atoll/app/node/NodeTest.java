package io.atoll.app.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.test.web.servlet.client.RestTestClient;

/** Nodes as processes. */
@Timeout(value = 180, threadMode = ThreadMode.SEPARATE_THREAD)
class NodeTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    Path folder;

    private static Map<String, ?> read(RestTestClient node, String path) {
        return node.get()
                .uri(path)
                .exchange()
                .expectStatus()
                .isOk()
                .expectBody(new ParameterizedTypeReference<Map<String, ?>>() {})
                .returnResult()
                .getResponseBody();
    }

    private static long count(RestTestClient.RequestHeadersSpec<?> request) {
        return Long.parseLong(
                request.exchange().expectStatus().isOk().expectBody(String.class).returnResult().getResponseBody());
    }

    private static void awaitWhole(RestTestClient node) {
        await().atMost(PATIENCE).until(() -> read(node, "/atoll/api/world").get("whole").equals(true));
    }

    private static void awaitReadiness(RestTestClient node, int status) {
        await().atMost(PATIENCE)
                .untilAsserted(() -> node.get()
                        .uri("/actuator/health/readiness")
                        .exchange()
                        .expectStatus()
                        .isEqualTo(status));
    }

    private void assertNothingIsLeft() {
        await().atMost(PATIENCE).untilAsserted(() -> {
            try (Stream<Path> left = Files.list(folder)) {
                assertThat(left).isEmpty();
            }
        });
    }

    @Test
    void twoNodesShareAMapAndTheLossOfOneIsShownByTheOther() throws Exception {
        try (NodeProcess rankZero = new NodeProcess(folder, "--ranks=2", "--server.port=0")) {
            List<RestTestClient> nodes = rankZero.awaitRanks(2);
            System.out.printf("two nodes ready after %d ms%n", rankZero.age().toMillis());
            nodes.forEach(NodeTest::awaitWhole);
            awaitReadiness(nodes.getFirst(), 200);
            assertThat(count(nodes.get(1).post().uri("/hits/7"))).isEqualTo(1);
            assertThat(count(nodes.get(0).post().uri("/hits/7"))).isEqualTo(2);
            assertThat(count(nodes.get(1).get().uri("/hits/7"))).isEqualTo(2);
            await().atMost(PATIENCE)
                    .untilAsserted(() -> nodes.forEach(node -> assertThat(
                            read(node, "/atoll/api/structures").get("items").toString())
                            .contains("name=hits, kind=long-map")));

            rankZero.children().getFirst().destroyForcibly();
            await().atMost(PATIENCE)
                    .until(() -> read(nodes.getFirst(), "/atoll/api/world").get("lost").equals(List.of(1)));
            assertThat(read(nodes.getFirst(), "/atoll/api/segments/1").get("standing")).isEqualTo("LOST");

            // What does not need the lost rank goes on.
            awaitReadiness(nodes.getFirst(), 200);

            rankZero.process().destroy();
            rankZero.process().onExit().join();
            assertNothingIsLeft();
        }
    }

    @Test
    void whenTheFirstNodeIsKilledTheOthersEndAndLeaveNothing() throws Exception {
        try (NodeProcess rankZero = new NodeProcess(folder, "--ranks=2", "--server.port=0")) {
            rankZero.awaitRanks(2).forEach(NodeTest::awaitWhole);
            ProcessHandle other = rankZero.children().getFirst();
            rankZero.process().destroyForcibly();
            other.onExit().join();
            assertNothingIsLeft();
        }
    }

    @Test
    void aNodeOfAWorldThatIsNotWholeShowsItAndIsNotReadyForTraffic() throws Exception {
        try (NodeProcess node = new NodeProcess(folder, "--atoll.world.size=3", "--server.port=0")) {
            RestTestClient client = node.awaitRanks(1).getFirst();
            System.out.printf("one node ready after %d ms%n", node.age().toMillis());
            assertThat(node.readLine()).contains("curl -X POST");
            assertThat(node.readLine()).contains("kmer");
            assertThat(read(client, "/atoll/api/world").get("missing")).isEqualTo(List.of(1, 2));
            client.get().uri("/atoll/").exchange().expectStatus().isOk();
            awaitReadiness(client, 503);
            client.get().uri("/actuator/health/liveness").exchange().expectStatus().isOk();
        }
    }

    private void assertRefused(String reason, String... arguments) throws IOException {
        try (NodeProcess node = new NodeProcess(folder, arguments)) {
            assertThat(node.process().errorReader().lines()).singleElement()
                    .asString()
                    .startsWith("atoll: ")
                    .contains(reason);
            assertThat(node.process().inputReader().lines()).allMatch(line -> line.contains(" INFO "));
            assertThat(node.process().onExit().join().exitValue()).isEqualTo(2);
        }
        assertNothingIsLeft();
    }

    @Test
    void aPortInUseIsOneLine() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            assertRefused("Port " + taken.getLocalPort() + " was already in use",
                    "--server.port=" + taken.getLocalPort());
        }
    }

    @ParameterizedTest
    @CsvSource({"--atoll.world.size=many, atoll.world.size", "--atoll.world.size=0, atoll.world.size",
        "--atoll.fabric.type=string, string"})
    void aWrongPropertyIsOneLine(String argument, String reason) throws IOException {
        assertRefused(reason, "--server.port=0", argument);
    }
}
