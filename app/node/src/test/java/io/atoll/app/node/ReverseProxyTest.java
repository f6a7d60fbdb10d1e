package io.atoll.app.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;

/** A node behind a proxy that ends TLS, under a prefix. */
@Timeout(120)
@Tag("processes")
class ReverseProxyTest {

    private static final String RECLAIM = "/atoll/api/actions/reclaim";
    private static final String WORLD = "/atoll/api/world";
    private static final String BELIEVES = "--server.forward-headers-strategy=framework";
    private static final String ADA = "Basic YWRhOmFuYWx5dGljYWw=";
    private static final String[] USERS = {"--node.users.ada.password=analytical", "--node.users.ada.role=admin"};

    private static ServletWebServerApplicationContext node(String... settings) {
        return SignInTest.node(USERS, settings);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void usersReadActAndListenThroughAProxy(boolean isStandard) throws Exception {
        try (ServletWebServerApplicationContext node = node(BELIEVES);
                ReverseProxy proxy = new ReverseProxy(SignInTest.address(node), isStandard);
                Visitor visitor = new Visitor(ReverseProxy.PUBLIC, proxy::route)) {
            for (String path : List.of("/atoll/", WORLD, "/actuator/atoll")) {
                assertThat(visitor.status(path)).as(path).isEqualTo(401);
                assertThat(visitor.status(path, "Authorization", ADA)).as(path).isEqualTo(200);
            }
            assertThat(visitor.get("/atoll", "Authorization", ADA).headers().firstValue("Location"))
                    .hasValueSatisfying(to -> assertThat(to).isIn("/ops/atoll/", ReverseProxy.PUBLIC + "/atoll/"));

            assertThat(visitor.act(RECLAIM, "Authorization", ADA, "Origin", ReverseProxy.ORIGIN,
                    "Sec-Fetch-Site", "same-origin")).isEqualTo(200);
            for (String origin : List.of("https://evil.example", "http://" + ReverseProxy.HOST,
                    SignInTest.address(node))) {
                assertThat(visitor.act(RECLAIM, "Authorization", ADA, "Origin", origin)).as(origin).isEqualTo(403);
            }
            assertThat(visitor.act(RECLAIM, "Origin", ReverseProxy.ORIGIN)).isEqualTo(401);
            assertIsToldSoon(visitor);
        }
    }

    /** The proxy would hold back unbuffered events until the stream ends, in half an hour. */
    private static void assertIsToldSoon(Visitor visitor) throws Exception {
        long askedNanos = System.nanoTime();
        HttpResponse<InputStream> live = visitor.send(
                visitor.request("/atoll/api/live", "Authorization", ADA), HttpResponse.BodyHandlers.ofInputStream());
        try (BufferedReader lines = new BufferedReader(
                new InputStreamReader(live.body(), StandardCharsets.UTF_8))) {
            assertThat(lines.lines().filter(line -> line.startsWith("data:")).findFirst()).isPresent();
        }
        assertThat(Duration.ofNanos(System.nanoTime() - askedNanos)).isLessThan(Duration.ofSeconds(3));
    }

    @Test
    void signingInLeadsBackToThePublicAddress() throws Exception {
        try (IdentityProvider provider = new IdentityProvider();
                ServletWebServerApplicationContext node = SignInTest.node(provider.settings(), BELIEVES,
                        "--node.authorities-claim=groups");
                ReverseProxy proxy = new ReverseProxy(SignInTest.address(node), false);
                Visitor visitor = new Visitor(ReverseProxy.PUBLIC, proxy::route)) {
            provider.says(claims -> claims.claim("groups", List.of("ATOLL_ADMIN")));
            assertThat(visitor.status("/atoll/")).isEqualTo(200);
            assertThat(visitor.get(WORLD).headers().firstValue(SignIn.HEADER))
                    .hasValue("/ops/oauth2/authorization/console");
            assertThat(visitor.signIn()).isEqualTo(ReverseProxy.PUBLIC + "/atoll/");
            assertThat(provider.lastRedirect()).isEqualTo(ReverseProxy.PUBLIC + "/login/oauth2/code/console");
            assertThat(visitor.status(WORLD)).isEqualTo(200);
            assertThat(visitor.get(WORLD).headers().firstValue(SignIn.OUT_HEADER)).hasValue("/ops/atoll/sign-out");
            assertThat(visitor.act(RECLAIM, "Origin", ReverseProxy.ORIGIN)).isEqualTo(200);
            assertThat(visitor.act(RECLAIM, "Origin", SignInTest.address(node))).isEqualTo(403);
        }
    }

    @Test
    void headersOfAProxyCountOnlyWhereTheNodeIsToldSo() throws Exception {
        try (ServletWebServerApplicationContext node = node("--server.forward-headers-strategy=none");
                ReverseProxy proxy = new ReverseProxy(SignInTest.address(node), false);
                Visitor visitor = new Visitor(ReverseProxy.PUBLIC, proxy::route)) {
            assertThat(visitor.status(WORLD, "Authorization", ADA)).isEqualTo(200);
            // Any sender of a request can name any host in a header.
            assertThat(visitor.act(RECLAIM, "Authorization", ADA, "Origin", ReverseProxy.ORIGIN)).isEqualTo(403);
            assertThat(visitor.act(RECLAIM, "Authorization", ADA, "Origin", SignInTest.address(node)))
                    .isEqualTo(200);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "framework", "native"})
    void whatAProxyPassesOnIsNotOfThisMachine(String strategy) throws Exception {
        try (ServletWebServerApplicationContext node = SignInTest.node(new String[0],
                "--server.forward-headers-strategy=" + strategy);
                ReverseProxy proxy = new ReverseProxy(SignInTest.address(node), false);
                Visitor visitor = new Visitor(ReverseProxy.PUBLIC, proxy::route)) {
            for (String path : List.of(WORLD, "/actuator/atoll", "/hits/7")) {
                assertThat(visitor.status(path)).as(path).isEqualTo(403);
            }
            assertThat(visitor.act(RECLAIM, "Origin", ReverseProxy.ORIGIN)).isEqualTo(403);
        }
    }
}
