package io.atoll.app.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jwt.JWTClaimsSet;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.apache.catalina.Context;
import org.apache.catalina.session.ManagerBase;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.tomcat.TomcatWebServer;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;

@Timeout(120)
@ExtendWith(OutputCaptureExtension.class)
@Tag("processes")
class SignInTest {

    private static final String RECLAIM = "/atoll/api/actions/reclaim";
    private static final String WORLD = "/atoll/api/world";
    private static final String TOKENS = "--spring.security.oauth2.resourceserver.jwt.";
    private static final String ADA = "Basic YWRhOmFuYWx5dGljYWw=";

    private static IdentityProvider provider;
    private static ServletWebServerApplicationContext node;
    private Visitor visitor;

    static ServletWebServerApplicationContext node(String[] settings, String... more) {
        return (ServletWebServerApplicationContext) SpringApplication.run(Node.class,
                Stream.of(Stream.of("--server.port=0", "--atoll.segment.size=8MB", "--atoll.admin.actions=true"),
                        Arrays.stream(settings), Arrays.stream(more))
                        .flatMap(each -> each)
                        .toArray(String[]::new));
    }

    static String address(ServletWebServerApplicationContext node) {
        return "http://127.0.0.1:" + node.getWebServer().getPort();
    }

    @BeforeAll
    static void start() throws Exception {
        provider = new IdentityProvider();
        node = node(provider.settings(), "--node.authorities-claim=roles", "--node.users.ada.password=analytical",
                "--node.users.ada.role=admin", TOKENS + "issuer-uri=" + provider.issuer(),
                TOKENS + "audiences=atoll-api");
    }

    @AfterAll
    static void stop() {
        node.close();
        provider.close();
    }

    @BeforeEach
    void visit() {
        provider.says(UnaryOperator.identity());
        visitor = new Visitor(address(node));
    }

    @AfterEach
    void leave() {
        visitor.close();
    }

    private static UnaryOperator<JWTClaimsSet.Builder> roles(Object roles) {
        return claims -> claims.claim("roles", roles);
    }

    @Test
    void whoSignsInSeesTheConsoleUntilHeSignsOut() throws Exception {
        assertThat(visitor.status("/atoll/")).isEqualTo(200);
        assertThat(visitor.status("/actuator/health")).isEqualTo(200);
        for (String path : List.of(WORLD, "/atoll/api/live", "/actuator/atoll")) {
            HttpResponse<String> refused = visitor.get(path, "Atoll-Page", "true");
            assertThat(refused.statusCode()).as(path).isEqualTo(401);
            assertThat(refused.headers().firstValue(SignIn.HEADER)).hasValue("/oauth2/authorization/console");
            assertThat(refused.headers().allValues("WWW-Authenticate")).containsExactly("Bearer");
        }
        assertThat(visitor.setCookies()).isEmpty();

        assertThat(visitor.signIn()).isEqualTo(address(node) + "/atoll/");
        assertThat(provider.lastRedirect()).isEqualTo(address(node) + "/login/oauth2/code/console");
        // The session differs from one that a stranger may have begun.
        assertThat(visitor.setCookies()).hasSize(2)
                .doesNotHaveDuplicates()
                .allSatisfy(cookie -> assertThat(cookie)
                        .startsWith("atoll-session=")
                        .contains("HttpOnly", "SameSite=Lax"));
        HttpResponse<String> session = visitor.get("/atoll/api/session");
        assertThat(session.body()).contains("\"user\":\"" + IdentityProvider.USER + "\"", "\"mayAct\":false");
        assertThat(visitor.status("/actuator/atoll")).isEqualTo(200);

        String out = session.headers().firstValue(SignIn.OUT_HEADER).orElseThrow();
        // Another site's page cannot do it.
        visitor.send(visitor.request(out, "Origin", "http://evil.example").POST(HttpRequest.BodyPublishers.noBody()));
        visitor.get(out);
        assertThat(visitor.status(WORLD)).isEqualTo(200);
        HttpResponse<String> ended = visitor
                .send(visitor.request(out, "Origin", address(node)).POST(HttpRequest.BodyPublishers.noBody()));
        assertThat(ended.statusCode()).isEqualTo(204);
        assertThat(ended.headers().firstValue("Location")).hasValueSatisfying(end -> assertThat(end)
                .startsWith(provider.issuer() + "/end?id_token_hint=")
                .contains("post_logout_redirect_uri=" + address(node) + "/atoll/?sign-in"));
        assertThat(visitor.status(WORLD)).isEqualTo(401);
    }

    @Test
    void strangersBeginSoManySessionsAndNoMore() {
        Context application = (Context) ((TomcatWebServer) node.getWebServer()).getTomcat()
                .getHost()
                .findChildren()[0];
        assertThat(((ManagerBase) application.getManager()).getMaxActiveSessions()).isEqualTo(SignIn.MOST_SESSIONS);
    }

    @Test
    void aUserWithAPasswordNeedsNoProviderAndGetsNoSession() throws Exception {
        assertThat(visitor.get(WORLD).headers().allValues("WWW-Authenticate")).anyMatch(
                challenge -> challenge.startsWith("Basic"));
        assertThat(visitor.status(WORLD, "Authorization", ADA)).isEqualTo(200);
        assertThat(visitor.act(RECLAIM, "Authorization", ADA)).isEqualTo(200);
        assertThat(visitor.status(WORLD, "Authorization", "Basic YWRhOndyb25n")).isEqualTo(401);
        assertThat(visitor.setCookies()).isEmpty();
    }

    @Test
    void whoHasTheClaimActsFromThePageAndFromNoOther() throws Exception {
        provider.says(roles(List.of("cook", "ATOLL_ADMIN")));
        visitor.signIn();
        assertThat(visitor.act(RECLAIM)).isEqualTo(200);
        assertThat(visitor.act(RECLAIM, "Origin", address(node), "Sec-Fetch-Site", "same-origin")).isEqualTo(200);
        assertThat(visitor.act(RECLAIM, "Origin", "http://evil.example")).isEqualTo(403);
        assertThat(visitor.act(RECLAIM, "Origin", "null")).isEqualTo(403);
        assertThat(visitor.act(RECLAIM, "Sec-Fetch-Site", "cross-site")).isEqualTo(403);
        assertThat(visitor.act(RECLAIM, "Sec-Fetch-Site", "same-site")).isEqualTo(403);
        assertThat(visitor.send(visitor.request(RECLAIM)
                .setHeader("Content-Type", "text/plain")
                .POST(HttpRequest.BodyPublishers.ofString("{}"))).statusCode()).isEqualTo(415);
    }

    static Stream<Object> valuesThatGiveNothing() {
        return Stream.of(List.of("ROLE_ATOLL_ADMIN", "atoll_admin", "ADMIN"), "cook ATOLL_ADMIN", true,
                List.of(List.of("ATOLL_ADMIN")));
    }

    @ParameterizedTest
    @MethodSource("valuesThatGiveNothing")
    void noOtherValueOfTheClaimLetsAct(Object roles) throws Exception {
        provider.says(roles(roles));
        visitor.signIn();
        assertThat(visitor.status(WORLD)).isEqualTo(200);
        assertThat(visitor.act(RECLAIM)).isEqualTo(403);
    }

    @Test
    void withoutTheNameOfTheClaimNobodyActs() throws Exception {
        try (ServletWebServerApplicationContext other = node(provider.settings());
                Visitor there = new Visitor(address(other))) {
            provider.says(roles(List.of("ATOLL_ADMIN")));
            there.signIn();
            assertThat(there.status(WORLD)).isEqualTo(200);
            assertThat(there.act(RECLAIM)).isEqualTo(403);
        }
    }

    @Test
    void aPublicClientNeedsNoSecret() throws Exception {
        String client = "--spring.security.oauth2.client.registration.console.";
        try (ServletWebServerApplicationContext other = node(new String[]{client + "client-id=console",
            client + "client-authentication-method=none", client + "scope=openid",
            "--spring.security.oauth2.client.provider.console.issuer-uri=" + provider.issuer()});
                Visitor there = new Visitor(address(other))) {
            assertThat(there.signIn()).isEqualTo(address(other) + "/atoll/");
            assertThat(there.status(WORLD)).isEqualTo(200);
        }
    }

    static Stream<Arguments> wrongClaims() {
        return Stream.of(wrong("audience", claims -> claims.audience("another-client")),
                wrong("issuer", claims -> claims.issuer("http://evil.example")),
                wrong("nonce", claims -> claims.claim("nonce", "of another sign-in")),
                wrong("expired", claims -> claims.expirationTime(Date.from(Instant.now().minusSeconds(600)))
                        .issueTime(Date.from(Instant.now().minusSeconds(900)))));
    }

    private static Arguments wrong(String name, UnaryOperator<JWTClaimsSet.Builder> claims) {
        return Arguments.of(name, claims);
    }

    private void assertNobodySignsIn() throws Exception {
        assertThat(visitor.signIn()).endsWith("/atoll/?sign-in=refused");
        assertThat(visitor.status(WORLD)).isEqualTo(401);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("wrongClaims")
    void aTokenWithAWrongClaimLetsNobodyIn(String name, UnaryOperator<JWTClaimsSet.Builder> claims) throws Exception {
        provider.says(claims);
        assertNobodySignsIn();
    }

    @Test
    void aTokenThatAnotherHasSignedLetsNobodyIn() throws Exception {
        provider.signsWrongly();
        assertNobodySignsIn();
    }

    @Test
    void anAnswerThatNobodyHasAskedForLetsNobodyIn() throws Exception {
        assertThat(visitor.follow("/login/oauth2/code/console?code=code-0&state=guessed"))
                .endsWith("/atoll/?sign-in=unasked");
    }

    @Test
    void aProviderThatThisNodeDoesNotKnowIsNotFoundAndStrangersFillNoLog(CapturedOutput log) throws Exception {
        for (String name : List.of("stranger", "another%20one", "")) {
            assertThat(visitor.status("/oauth2/authorization/" + name)).as(name).isEqualTo(404);
        }
        HttpResponse<String> unknown = visitor.get("/oauth2/authorization/stranger");
        assertThat(unknown.body()).contains("this node knows no identity provider of this name")
                .doesNotContain("stranger");
        assertThat(log.getAll()).doesNotContain("nobody can sign in now", "stranger", "another");
        assertThat(visitor.setCookies()).isEmpty();
    }

    /** The lines of one test may fall into two minutes. */
    private static void assertFew(CapturedOutput log, String line) {
        assertThat(log.getAll().split(line, -1).length - 1).isBetween(1, 2 * SignIn.MOST_FAILURES_A_MINUTE);
    }

    @Test
    void strangersThatGiveUpAtTheProviderFillNoLog(CapturedOutput log) throws Exception {
        for (int time = 0; time < 2 * SignIn.MOST_FAILURES_A_MINUTE + 5; time++) {
            String provided = visitor.get("/oauth2/authorization/console")
                    .headers()
                    .firstValue("Location")
                    .orElseThrow();
            String state = provided.replaceAll(".*[?&](state=[^&]*).*", "$1");
            assertThat(visitor.follow("/login/oauth2/code/console?error=given_up&" + state))
                    .endsWith("/atoll/?sign-in=refused");
        }
        assertFew(log, "somebody could not sign in: \\[given_up]");
    }

    @Test
    void aProviderMayBeAwayWhenANodeStartsAndComeAgainWithAnotherKey(CapturedOutput log) throws Exception {
        String[] settings = provider.settings();
        provider.stop();
        try (ServletWebServerApplicationContext other = node(settings);
                Visitor there = new Visitor(address(other))) {
            assertThat(there.status("/hits/7")).isEqualTo(200);
            for (int time = 0; time < 2 * SignIn.MOST_FAILURES_A_MINUTE + 5; time++) {
                assertThat(there.signIn()).endsWith("/atoll/?sign-in=unavailable");
            }
            assertFew(log, "nobody can sign in now");
            for (int time = 0; time < 2; time++) {
                provider.restart();
                try (Visitor next = new Visitor(address(other))) {
                    assertThat(next.signIn()).endsWith("/atoll/");
                    assertThat(next.status(WORLD)).isEqualTo(200);
                }
                provider.stop();
            }
        } finally {
            provider.restart();
        }
    }

    @Test
    void aTokenForTheApiIsTaken() throws Exception {
        String reader = "Bearer " + provider.token("atoll-api");
        assertThat(visitor.status(WORLD, "Authorization", reader)).isEqualTo(200);
        assertThat(visitor.act(RECLAIM, "Authorization", reader)).isEqualTo(403);
        provider.says(roles(List.of("ATOLL_ADMIN")));
        assertThat(visitor.act(RECLAIM, "Authorization", "Bearer " + provider.token("atoll-api"))).isEqualTo(200);
        assertThat(visitor.setCookies()).isEmpty();
    }

    private void assertRefused(String token) throws Exception {
        HttpResponse<String> refused = visitor.get(WORLD, "Authorization", "Bearer " + token);
        assertThat(refused.statusCode()).isEqualTo(401);
        assertThat(refused.headers().firstValue("WWW-Authenticate")).hasValueSatisfying(
                challenge -> assertThat(challenge).contains("invalid_token"));
    }

    @Test
    void aTokenThatIsNotForTheApiIsRefused() throws Exception {
        assertRefused(provider.token(IdentityProvider.CLIENT));
        provider.says(claims -> claims.issuer("http://evil.example"));
        assertRefused(provider.token("atoll-api"));
        provider.says(claims -> claims.expirationTime(Date.from(Instant.now().minusSeconds(600)))
                .issueTime(Date.from(Instant.now().minusSeconds(900))));
        assertRefused(provider.token("atoll-api"));
        provider.signsWrongly();
        assertRefused(provider.token("atoll-api"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"spring.security.oauth2.resourceserver.jwt.issuer-uri=http://127.0.0.1:1",
        "spring.security.oauth2.client.registration.console.client-id=console"})
    void aNodeThatWasToldTooLittleDoesNotStart(String setting) {
        assertThatThrownBy(() -> node(new String[0], "--" + setting).close()).rootCause()
                .message()
                .containsAnyOf("a token says whom it is for", "Provider ID must be specified");
    }
}
