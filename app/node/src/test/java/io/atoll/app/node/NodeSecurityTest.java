package io.atoll.app.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.actuate.audit.AuditEventRepository;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.client.RestTestClient;

@Tag("slow")
class NodeSecurityTest {

    private static final String RECLAIM = "/atoll/api/actions/reclaim";

    private static ServletWebServerApplicationContext node(String... settings) {
        return (ServletWebServerApplicationContext) SpringApplication.run(Node.class,
                Stream.concat(Stream.of("--server.port=0", "--atoll.segment.size=8MB"), Arrays.stream(settings))
                        .toArray(String[]::new));
    }

    private static ServletWebServerApplicationContext nodeWithUsers(String... settings) {
        return node(Stream.concat(Stream.of("--node.users.ada.password=analytical", "--node.users.ada.role=admin",
                "--node.users.eve.password={noop}curious", "--atoll.admin.actions=true"), Arrays.stream(settings))
                .toArray(String[]::new));
    }

    private static RestTestClient client(ServletWebServerApplicationContext node) {
        return RestTestClient.bindToServer().baseUrl("http://127.0.0.1:" + node.getWebServer().getPort()).build();
    }

    private static int status(RestTestClient.RequestHeadersSpec<?> request) {
        return request.exchange().returnResult(String.class).getStatus().value();
    }

    private static RestTestClient.RequestHeadersSpec<?> as(String user, String password,
            RestTestClient.RequestHeadersSpec<?> request) {
        return request.headers(headers -> headers.setBasicAuth(user, password));
    }

    @Test
    void withoutUsersEverythingAnswersAsItListens() {
        try (ServletWebServerApplicationContext node = node()) {
            RestTestClient client = client(node);
            for (String path : List.of("/atoll/", "/atoll/api/world", "/actuator/atoll", "/actuator/health",
                    "/hits/7")) {
                client.get().uri(path).exchange().expectStatus().isOk().expectHeader().doesNotExist("WWW-Authenticate");
            }
            assertThat(status(client.post().uri("/hits/7"))).isEqualTo(200);
            // A caller that sends a password is not asked for one.
            assertThat(status(as("ada", "wrong", client.get().uri("/atoll/api/world")))).isEqualTo(200);
            assertThat(status(client.post().uri(RECLAIM).contentType(MediaType.APPLICATION_JSON).body("{}")))
                    .isEqualTo(403);
        }
    }

    @Test
    void usersSeeTheConsoleAndNobodyElseDoes() {
        try (ServletWebServerApplicationContext node = nodeWithUsers("--atoll.admin.exposed=true")) {
            RestTestClient client = client(node);
            for (String path : List.of("/atoll", "/atoll/", "/atoll/api/world", "/actuator/atoll")) {
                client.get()
                        .uri(path)
                        .exchange()
                        .expectStatus()
                        .isUnauthorized()
                        .expectHeader()
                        .valueMatches(HttpHeaders.WWW_AUTHENTICATE, "Basic .*");
                assertThat(status(as("ada", "wrong", client.get().uri(path)))).isEqualTo(401);
                assertThat(status(as("eve", "curious", client.get().uri(path)))).isIn(200, 302);
            }
        }
    }

    @Test
    void healthAndWhatThereIsToTryAnswerAsBefore() {
        try (ServletWebServerApplicationContext node = nodeWithUsers()) {
            RestTestClient client = client(node);
            for (String path : List.of("/actuator/health", "/actuator/health/liveness", "/actuator/metrics",
                    "/hits/7")) {
                assertThat(status(client.get().uri(path))).as(path).isEqualTo(200);
            }
            assertThat(status(client.post().uri("/hits/7"))).isEqualTo(200);
            assertThat(status(client.post()
                    .uri("/hits/7")
                    .contentType(MediaType.APPLICATION_FORM_URLENCODED)
                    .body(""))).isEqualTo(200);
        }
    }

    @ParameterizedTest
    @CsvSource({"Origin, http://evil.example", "Sec-Fetch-Site, cross-site"})
    void aPageOfAnotherOriginChangesNothingThroughAUsersBrowser(String header, String value) {
        try (ServletWebServerApplicationContext node = nodeWithUsers()) {
            RestTestClient client = client(node);
            assertThat(status(as("ada", "analytical", client.post().uri("/hits/7").header(header, value))))
                    .isEqualTo(403);
            assertThat(status(as("ada", "analytical", client.post()
                    .uri(RECLAIM)
                    .header(header, value)
                    .contentType(MediaType.APPLICATION_JSON)
                    .body("{}")))).isEqualTo(403);
        }
    }

    @Test
    void onlyAnAdministratorActs() {
        try (ServletWebServerApplicationContext node = nodeWithUsers()) {
            RestTestClient client = client(node);
            assertThat(status(as("ada", "analytical",
                    client.post().uri(RECLAIM).contentType(MediaType.APPLICATION_JSON).body("{}")))).isEqualTo(200);
            assertThat(status(as("eve", "curious",
                    client.post().uri(RECLAIM).contentType(MediaType.APPLICATION_JSON).body("{}")))).isEqualTo(403);
            assertThat(status(client.post().uri(RECLAIM).contentType(MediaType.APPLICATION_JSON).body("{}")))
                    .isEqualTo(401);
            assertThat(node.getBean(AuditEventRepository.class).find(null, null, null))
                    .filteredOn(event -> event.getType().startsWith("ATOLL_ACTION"))
                    .extracting(event -> event.getPrincipal() + " " + event.getType())
                    .containsExactly("ada ATOLL_ACTION", "eve ATOLL_ACTION_REFUSED");
            assertThat(status(as("ada", "analytical", client.get().uri("/actuator/auditevents")))).isEqualTo(404);
            assertThat(as("eve", "curious", client.get().uri("/atoll/api/session")).exchange()
                    .expectBody(new ParameterizedTypeReference<Map<String, Object>>() {})
                    .returnResult()
                    .getResponseBody()).containsEntry("user", "eve").containsEntry("mayAct", false);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"X-Forwarded-For: 8.8.8.8", "Forwarded: for=8.8.8.8", "Via: 1.1 proxy"})
    void whatAProxyOfThisMachinePassesOnIsNotOfThisMachine(String header) {
        String[] parts = header.split(": ");
        try (ServletWebServerApplicationContext node = node()) {
            RestTestClient client = client(node);
            for (String path : List.of("/atoll/api/world", "/actuator/atoll", "/hits/7")) {
                assertThat(status(client.get().uri(path).header(parts[0], parts[1]))).as(path).isEqualTo(403);
            }
            assertThat(status(client.post().uri("/hits/7").header(parts[0], parts[1]))).isEqualTo(403);
        }
    }

    @Test
    void aUserWithoutAPasswordIsRefused() {
        assertThatThrownBy(() -> node("--node.users.ada.role=admin").close()).rootCause()
                .hasMessageContaining("a user has a password");
    }
}
