package io.atoll.app.node;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.test.web.servlet.client.RestTestClient;

/** Nodes as processes. */
@Timeout(value = 180, threadMode = ThreadMode.SEPARATE_THREAD)
@Tag("processes")
class NodeTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    Path folder;

    private static long count(RestTestClient.RequestHeadersSpec<?> request) {
        return Long.parseLong(
                request.exchange().expectStatus().isOk().expectBody(String.class).returnResult().getResponseBody());
    }

    private static void awaitWhole(RestTestClient node) {
        await().atMost(PATIENCE).until(() -> NodeProcess.read(node, "/atoll/api/world").get("whole").equals(true));
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
            assertThat(rankZero.linesRead()).anyMatch(line -> line.contains("INFO  rank 0: takes part"))
                    .anyMatch(line -> line.contains("INFO  rank 1: takes part"));
            nodes.forEach(NodeTest::awaitWhole);
            awaitReadiness(nodes.getFirst(), 200);
            assertThat(count(nodes.get(1).post().uri("/hits/7"))).isEqualTo(1);
            assertThat(count(nodes.get(0).post().uri("/hits/7"))).isEqualTo(2);
            assertThat(count(nodes.get(1).get().uri("/hits/7"))).isEqualTo(2);
            await().atMost(PATIENCE)
                    .untilAsserted(() -> nodes.forEach(node -> assertThat(
                            NodeProcess.read(node, "/atoll/api/structures").get("items").toString())
                            .contains("name=hits, kind=long-map")));

            rankZero.children().getFirst().destroyForcibly();
            await().atMost(PATIENCE)
                    .until(() -> NodeProcess.read(nodes.getFirst(), "/atoll/api/world").get("lost").equals(List.of(1)));
            assertThat(NodeProcess.read(nodes.getFirst(), "/atoll/api/segments/1").get("standing")).isEqualTo("LOST");

            // Requests that do not need the lost rank still succeed.
            awaitReadiness(nodes.getFirst(), 200);

            // By its handle, since Process.destroy would close the streams that are read here.
            rankZero.process().toHandle().destroy();
            rankZero.process().onExit().join();
            assertThat(rankZero.process().errorReader().lines())
                    .anyMatch(line -> line.matches("atoll: rank 1 \\(process \\d+\\) was ended by SIGKILL"));
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
            assertThat(node.readLine()).contains("Ctrl-C");
            assertThat(NodeProcess.read(client, "/atoll/api/world").get("missing")).isEqualTo(List.of(1, 2));
            client.get().uri("/atoll/").exchange().expectStatus().isOk();
            awaitReadiness(client, 503);
            client.get().uri("/actuator/health/liveness").exchange().expectStatus().isOk();
        }
    }

    private static String statusLine(int port, String path, String... headers) throws IOException {
        return answer(port, path, headers).lines().findFirst().orElse("");
    }

    /** Sends the request by hand, since HTTP clients do not let a caller choose the host's name. */
    private static String answer(int port, String path, String... headers) throws IOException {
        try (Socket socket = new Socket("127.0.0.1", port)) {
            String request = "GET " + path + " HTTP/1.1\r\nConnection: close\r\n" + String.join("\r\n", headers)
                    + "\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), US_ASCII);
        }
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whoSpeaksThroughAProxyOrABrowsersForeignPageIsAnsweredNowhere(boolean managementServer) throws Exception {
        int management = freePort();
        String[] ofItsOwn = managementServer
                ? new String[]{"--server.port=0", "--management.server.port=" + management,
                    "--management.server.address=127.0.0.1"}
                : new String[]{"--server.port=0"};
        try (NodeProcess node = new NodeProcess(folder, ofItsOwn)) {
            node.awaitReady();
            Map<String, Integer> ports = new LinkedHashMap<>();
            ports.put("/atoll/api/world", node.port());
            ports.put("/hits/7", node.port());
            ports.put("/actuator/atoll", managementServer ? management : node.port());
            for (Map.Entry<String, Integer> asked : ports.entrySet()) {
                String path = asked.getKey();
                int port = asked.getValue();
                assertThat(statusLine(port, path, "Host: localhost")).as(path).contains(" 200");
                for (String header : List.of("X-Forwarded-For: 8.8.8.8", "Forwarded: for=8.8.8.8", "Via: 1.1 proxy",
                        "Origin: http://evil.example")) {
                    assertThat(statusLine(port, path, "Host: localhost", header)).as(path + " " + header)
                            .contains(" 403");
                }
                assertThat(statusLine(port, path, "Host: evil.example")).as(path).contains(" 403");
            }
            assertThatHealthIsToldWithoutDetails(ports.get("/actuator/atoll"));
        }
    }

    /** Strangers may ask as often as they like. Refused requests leave nothing in the log. */
    @Test
    void withoutTheConsoleTheActuatorTellsNoMoreAndNobodyFillsTheLog() throws Exception {
        try (NodeProcess node = new NodeProcess(folder, "--server.port=0", "--atoll.admin.enabled=false")) {
            node.awaitReady();
            assertThat(statusLine(node.port(), "/actuator/atoll", "Host: localhost")).contains(" 200");
            for (String path : List.of("/actuator/atoll", "/hits/7")) {
                String answer = answer(node.port(), path, "Host: localhost", "X-Forwarded-For: 8.8.8.8");
                assertThat(answer).as(path).contains(" 403", "application/problem+json", "\"status\":403");
                assertThat(statusLine(node.port(), path, "Host: evil.example")).as(path).contains(" 403");
            }
            assertThat(statusLine(node.port(), "/no/such/path", "Host: localhost")).contains(" 404");
            node.process().toHandle().destroy();
            assertThat(node.remainingLines()).noneMatch(line -> line.contains("Resolved"));
        }
    }

    /** A proxy has to learn if the node is well. */
    private static void assertThatHealthIsToldWithoutDetails(int port) throws IOException {
        for (String path : List.of("/actuator/health", "/actuator/health/readiness")) {
            assertThat(answer(port, path, "Host: localhost")).as(path).contains(" 200", "\"status\":\"UP\"");
            for (String header : List.of("X-Forwarded-For: 8.8.8.8", "Via: 1.1 proxy")) {
                assertThat(answer(port, path, "Host: localhost", header)).as(path + " " + header)
                        .contains(" 200", "\"status\":\"UP\"")
                        .doesNotContain("components", "details", "node-test");
            }
        }
        assertThat(answer(port, "/actuator/health", "Host: localhost")).contains("\"components\"", "node-test");
        assertThat(answer(port, "/actuator/health/atoll", "Host: localhost")).contains("node-test");
        assertThat(answer(port, "/actuator/health/atoll", "Host: localhost", "Via: 1.1 proxy")).contains(" 404")
                .doesNotContain("node-test");
    }

    @Test
    void whatTheServerRefusesIsToldInJson() throws Exception {
        try (NodeProcess node = new NodeProcess(folder, "--server.port=0")) {
            node.awaitReady();
            assertThat(answer(node.port(), "/atoll/api/segments/a%2Fb", "Host: localhost")).contains(" 400", "{")
                    .doesNotContain("<");
        }
    }

    @Test
    void threeTerminalsMakeAWorldOfThree() throws Exception {
        String[] world = {"--atoll.world.size=3", "--server.port=0"};
        try (NodeProcess first = new NodeProcess(folder, world);
                NodeProcess second = new NodeProcess(folder, world);
                NodeProcess third = new NodeProcess(folder, world)) {
            List<RestTestClient> nodes = List.of(first.awaitReady(), second.awaitReady(), third.awaitReady());
            nodes.forEach(NodeTest::awaitWhole);
            assertThat(nodes.stream().<Object>map(node -> NodeProcess.read(node, "/atoll/api/world").get("rank")))
                    .containsExactlyInAnyOrder(0, 1, 2);
            for (int node = 0; node < nodes.size(); node++) {
                assertThat(count(nodes.get(node).post().uri("/hits/7"))).isEqualTo(node + 1);
            }
            List.of(first, second, third).forEach(each -> each.process().destroy());
            List.of(first, second, third).forEach(each -> each.process().onExit().join());
        }
        assertNothingIsLeft();
    }

    /**
     * Finds a key that the node can serve alone, or one that it cannot. Wherever keys lie, a hundred of them contain
     * both.
     */
    private static String served(RestTestClient node, int status) {
        return LongStream.range(1, 100)
                .mapToObj(key -> "/hits/" + key)
                .filter(hits -> node.get()
                        .uri(hits)
                        .exchange()
                        .returnResult(String.class)
                        .getStatus()
                        .value() == status)
                .findFirst()
                .orElseThrow();
    }

    private static Map<String, ?> health(RestTestClient node, int status) {
        return node.get()
                .uri("/actuator/health/atoll")
                .exchange()
                .expectStatus()
                .isEqualTo(status)
                .expectBody(new ParameterizedTypeReference<Map<String, ?>>() {})
                .returnResult()
                .getResponseBody();
    }

    @Test
    void aNodeThatIsKilledAndStartedAgainFindsItsCounts() throws Exception {
        String[] second = {"--atoll.world.size=2", "--atoll.world.rank=1", "--server.port=0"};
        try (NodeProcess survivor = new NodeProcess(folder, "--atoll.world.size=2", "--atoll.world.rank=0",
                "--server.port=0"); NodeProcess victim = new NodeProcess(folder, second)) {
            RestTestClient node = survivor.awaitReady();
            awaitWhole(node);
            awaitWhole(victim.awaitReady());
            for (int key = 1; key < 100; key++) {
                assertThat(count(node.post().uri("/hits/" + key))).isEqualTo(1);
            }

            victim.process().destroyForcibly().onExit().join();
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(health(node, 503).toString())
                            .contains("status=DOWN", "lost=[1]", "incarnations={0=1, 1=1}"));
            String lost = served(node, 503);
            String kept = served(node, 200);
            assertThat(count(node.post().uri(kept))).as("what does not need the lost rank goes on").isEqualTo(2);
            node.get()
                    .uri(lost)
                    .exchange()
                    .expectStatus()
                    .isEqualTo(503)
                    .expectBody(String.class)
                    .value(problem -> assertThat(problem).contains("rank=1", "\"structure\":\"hits\""));
            awaitReadiness(node, 200);

            try (NodeProcess again = new NodeProcess(folder, second)) {
                RestTestClient restarted = again.awaitReady();
                awaitWhole(restarted);
                assertThat(NodeProcess.read(restarted, "/atoll/api/world").get("incarnation")).isEqualTo(2);
                await().atMost(PATIENCE)
                        .untilAsserted(() -> assertThat(health(node, 200).toString())
                                .contains("status=UP", "lost=[]", "incarnations={0=1, 1=2}"));
                assertThat(count(node.get().uri(lost))).isEqualTo(1);
                assertThat(count(restarted.post().uri(lost))).isEqualTo(2);
                assertThat(count(restarted.get().uri(kept))).isEqualTo(2);
                assertThat(count(node.get().uri(lost))).isEqualTo(2);
                again.process().destroy();
                again.process().onExit().join();
            }
            survivor.process().destroy();
            survivor.process().onExit().join();
        }
        assertNothingIsLeft();
    }

    /** If a load fails although all ranks are there, the node says so. */
    private static void awaitLine(NodeProcess node, String part) throws IOException {
        for (String line = node.readLine(); !line.contains(part); line = node.readLine()) {
            assertThat(line).doesNotContain("but for one load", "ERROR", "Exception");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"shared-memory", "tcp"})
    void theDemoMakesLoadWaitsForARankThatWasKilledAndGoesOn(String fabric) throws Exception {
        String[] first = {"--demo", "--atoll.world.size=2", "--atoll.world.rank=0", "--server.port=0",
            "--atoll.fabric.type=" + fabric};
        String[] second = {"--demo", "--atoll.world.size=2", "--atoll.world.rank=1", "--server.port=0",
            "--atoll.fabric.type=" + fabric};
        try (NodeProcess survivor = new NodeProcess(folder, first);
                NodeProcess victim = new NodeProcess(folder, second)) {
            awaitLine(survivor, "the demo runs");
            awaitLine(victim, "the demo runs");
            victim.process().destroyForcibly().onExit().join();
            awaitLine(survivor, "the demo waits until all ranks are there again: rank=1");
            try (NodeProcess again = new NodeProcess(folder, second)) {
                awaitLine(survivor, "the demo goes on");
                awaitLine(again, "the demo runs");
                again.process().toHandle().destroy();
                again.process().onExit().join();
            }
            survivor.process().toHandle().destroy();
            assertThat(survivor.remainingLines())
                    .noneMatch(line -> line.contains("but for one load") || line.contains("ERROR"));
            assertThat(survivor.process().onExit().join().exitValue()).isIn(0, 143);
        }
        assertNothingIsLeft();
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
        "--atoll.world.join-timeout=soon, atoll.world.join-timeout cannot be", "--atoll.fabric.type=string, string",
        "--atoll.wrold.size=3, Most likely 'atoll.world.size' is meant", "--rank=3, option=--rank=3"})
    void aWrongPropertyIsOneLine(String argument, String reason) throws IOException {
        assertRefused(reason, "--server.port=0", argument);
    }
}
