package io.atoll.admin;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.World;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.method.HandlerTypePredicate;
import org.springframework.web.servlet.config.annotation.PathMatchConfigurer;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.util.pattern.PathPatternParser;

@ExtendWith(OutputCaptureExtension.class)
@Tag("slow")
class AdmissionTest {

    private World world;

    @BeforeEach
    void open() {
        world = World.named("shop").segment(4 << 20).open();
    }

    @AfterEach
    void close() {
        world.close();
    }

    private static void expectStatus(Console console, int status) {
        console.client().get().uri("/atoll/api/world").exchange().expectStatus().isEqualTo(status);
    }

    @Test
    void onLoopbackTheApiIsOpen() {
        try (Console console = Console.start(world)) {
            expectStatus(console, 200);
        }
    }

    @Test
    void elsewhereItIsClosedAndSaysHowToOpenIt(CapturedOutput output) {
        try (Console console = Console.startWithoutSecurity(world, "--logging.level.io.atoll.spring.admission=info")) {
            ProblemDetail problem = console.client()
                    .get()
                    .uri("/atoll/api/world")
                    .exchange()
                    .expectStatus()
                    .isForbidden()
                    .expectHeader()
                    .contentType(MediaType.APPLICATION_PROBLEM_JSON)
                    .expectBody(ProblemDetail.class)
                    .returnResult()
                    .getResponseBody();
            assertThat(problem.getDetail()).contains("server.address=127.0.0.1").endsWith("atoll.admin.exposed=true");
            console.client().delete().uri("/atoll/api/nothing").exchange().expectStatus().isForbidden();
            console.client().get().uri("/atoll/").exchange().expectStatus().isOk();
        }
        assertThat(output).contains("The Atoll console is closed").contains("atoll.admin.exposed=true");
    }

    /** An application that changes the paths that are written at the controllers. */
    @Configuration(proxyBeanMethods = false)
    static class OtherPaths implements WebMvcConfigurer {

        @Override
        public void configurePathMatch(PathMatchConfigurer paths) {
            PathPatternParser parser = new PathPatternParser();
            parser.setCaseSensitive(false);
            paths.setPatternParser(parser)
                    .addPathPrefix("/v1", HandlerTypePredicate.forAnnotation(RestController.class));
        }
    }

    @Test
    void itIsClosedWhereverTheApplicationPutsIt() {
        try (Console console = Console.startWith(world, OtherPaths.class, "--atoll.admin.actions=true")) {
            for (String path : List.of("/v1/atoll/api/world", "/V1/ATOLL/API/world", "/v1/atoll/api/diagnosis")) {
                console.client().get().uri(path).exchange().expectStatus().isForbidden();
            }
            console.client()
                    .post()
                    .uri("/v1/atoll/api/actions/reclaim")
                    .contentType(MediaType.APPLICATION_JSON)
                    .body("{}")
                    .exchange()
                    .expectStatus()
                    .isForbidden();
        }
        try (Console console = Console.startWith(world, OtherPaths.class, "--atoll.admin.actions=true",
                "--server.address=127.0.0.1")) {
            console.client().get().uri("/V1/atoll/api/world").exchange().expectStatus().isOk();
            console.client()
                    .post()
                    .uri("/V1/atoll/api/actions/reclaim")
                    .contentType(MediaType.APPLICATION_JSON)
                    .body("{}")
                    .exchange()
                    .expectStatus()
                    .isForbidden();
        }
    }

    @Test
    void aForeignPageNeitherListensNorHasADiagnosisMade() {
        try (Console console = Console.start(world)) {
            for (String path : List.of("/atoll/api/live", "/atoll/api/diagnosis")) {
                console.client()
                        .get()
                        .uri(path)
                        .header("Sec-Fetch-Site", "cross-site")
                        .exchange()
                        .expectStatus()
                        .isForbidden();
            }
            console.client().head().uri("/atoll/api/live").exchange().expectStatus().isEqualTo(405);
        }
    }

    @Test
    void itIsOpenToEveryoneWhenTheApplicationSaysSo(CapturedOutput output) {
        try (Console console = Console.startWithoutSecurity(world, "--atoll.admin.exposed=true")) {
            expectStatus(console, 200);
        }
        assertThat(output).contains("answers everyone who reaches this application");
    }

    @Test
    void itIsOpenToThoseWhomSpringSecurityHasAuthenticated() {
        try (Console console = Console.start(world, "--spring.security.user.name=ada",
                "--spring.security.user.password=analytical")) {
            expectStatus(console, 401);
            console.client()
                    .get()
                    .uri("/atoll/api/world")
                    .headers(headers -> headers.setBasicAuth("ada", "analytical"))
                    .exchange()
                    .expectStatus()
                    .isOk();
        }
    }

    @Test
    void whereItIsDisabledThereIsNothing() {
        try (Console console = Console.startWithoutSecurity(world, "--server.address=127.0.0.1",
                "--atoll.admin.enabled=false")) {
            expectStatus(console, 404);
            console.client().get().uri("/atoll/").exchange().expectStatus().isNotFound();
        }
    }

    /** Sends the request by hand, since HTTP clients do not let a caller choose the host's name. */
    private static String statusLine(Console console, String path, String... headers) throws IOException {
        try (Socket socket = new Socket("127.0.0.1", console.port());
                BufferedReader answer = new BufferedReader(new InputStreamReader(socket.getInputStream(), US_ASCII))) {
            String request = "GET " + path + " HTTP/1.1\r\nConnection: close\r\n" + String.join("\r\n", headers)
                    + "\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(US_ASCII));
            return answer.readLine();
        }
    }

    @ParameterizedTest
    @CsvSource({"shop.example, 403", "localhost.example, 403", "10.0.0.7, 403", "127.example, 403", "localhost, 200",
        "127.0.0.1:80, 200", "[::1]:80, 200"})
    void onLoopbackTheHostMustBeCalledByALoopbackName(String name, int status) throws IOException {
        try (Console console = Console.start(world)) {
            assertThat(statusLine(console, "/atoll/api/world", "Host: " + name)).startsWith("HTTP/1.1 " + status);
        }
    }

    /**
     * A proxy on this host calls by a loopback name. The headers that it adds reveal it. The console must also stay
     * closed if a filter rewrites the request by these headers.
     */
    @ParameterizedTest
    @ValueSource(strings = {"none", "native", "framework"})
    void whatAProxyOnThisHostPassesOnDoesNotComeFromThisHost(String strategy) throws IOException {
        try (Console console = Console.startWithoutSecurity(world, "--server.address=127.0.0.1",
                "--server.forward-headers-strategy=" + strategy)) {
            for (String header : List.of("Forwarded: for=8.8.8.8", "X-Forwarded-For: 8.8.8.8",
                    "x-forwarded-for: 10.0.0.7", "X-Forwarded-Host: localhost", "X-Forwarded-Proto: http",
                    "X-Forwarded-Whatever: 1", "X-Forwarded-For: 127.0.0.1, 192.168.7.7",
                    "X-Forwarded-For: 127.0.0.1", "X-Real-IP: 127.0.0.1", "Via: 1.1 proxy",
                    "Origin: http://evil.example",
                    "Origin: null")) {
                assertThat(statusLine(console, "/atoll/api/world", "Host: localhost", header)).as(header)
                        .startsWith("HTTP/1.1 403");
            }
            // Tomcat itself may have rewritten any request, so no request counts as local.
            assertThat(statusLine(console, "/atoll/api/world", "Host: localhost", "Origin: http://localhost:8080"))
                    .startsWith("HTTP/1.1 " + (strategy.equals("native") ? 403 : 200));
        }
    }
}
