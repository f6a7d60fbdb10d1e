package io.atoll.app.node;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.springframework.util.MultiValueMap;
import org.springframework.web.util.UriComponentsBuilder;
import tools.jackson.databind.json.JsonMapper;

/**
 * A provider of OpenID Connect. Every caller who signs in is the user that the test has set. Its tokens can be made
 * wrong.
 */
final class IdentityProvider implements AutoCloseable {

    static final String CLIENT = "console";
    static final String SECRET = "known-to-the-provider";
    static final String USER = "grace";

    /** A request to sign in, which the browser later ends by coming back with the code. */
    private record Asked(String nonce, String redirect, String challenge) {}

    private final JsonMapper json = new JsonMapper();
    private final Map<String, Asked> codes = new ConcurrentHashMap<>();
    private final int port;
    private HttpServer server;
    private volatile RSAKey key;
    private volatile RSAKey signingKey;
    private volatile UnaryOperator<JWTClaimsSet.Builder> claims = UnaryOperator.identity();
    private volatile boolean asks;
    private volatile String lastRedirect = "";

    IdentityProvider() throws IOException, JOSEException {
        this.key = key("first");
        this.signingKey = key;
        this.server = start(0);
        this.port = server.getAddress().getPort();
    }

    private static RSAKey key(String name) throws JOSEException {
        return new RSAKeyGenerator(2048).keyID(name).generate();
    }

    private HttpServer start(int at) throws IOException {
        HttpServer started = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), at), 0);
        started.createContext("/.well-known/openid-configuration", exchange -> answer(exchange, Map.of(
                "issuer", issuer(), "authorization_endpoint", issuer() + "/authorize", "token_endpoint",
                issuer() + "/token", "jwks_uri", issuer() + "/keys", "end_session_endpoint", issuer() + "/end",
                "subject_types_supported", List.of("public"), "response_types_supported", List.of("code"),
                "id_token_signing_alg_values_supported", List.of("RS256"))));
        started.createContext("/keys", exchange -> answer(exchange, new JWKSet(key).toJSONObject()));
        started.createContext("/authorize", this::authorize);
        started.createContext("/token", this::token);
        started.createContext("/end", exchange -> answer(exchange, Map.of("ended", true)));
        started.start();
        return started;
    }

    String issuer() {
        return "http://127.0.0.1:" + port;
    }

    /** Returns the properties with which a node uses this provider. */
    String[] settings() {
        return new String[]{"--spring.security.oauth2.client.registration.console.client-id=" + CLIENT,
            "--spring.security.oauth2.client.registration.console.client-secret=" + SECRET,
            "--spring.security.oauth2.client.registration.console.scope=openid",
            "--spring.security.oauth2.client.provider.console.issuer-uri=" + issuer()};
    }

    /** If true, its page asks before it signs a user in. */
    void asks(boolean asks) {
        this.asks = asks;
    }

    /** Changes its tokens from now on. */
    void says(UnaryOperator<JWTClaimsSet.Builder> different) {
        claims = different;
        signingKey = key;
    }

    /** From now on its tokens are signed by an unpublished key of the same name. */
    void signsWrongly() throws JOSEException {
        says(UnaryOperator.identity());
        signingKey = key(key.getKeyID());
    }

    void stop() {
        server.stop(0);
    }

    /** Starts again at the same port, with another key. */
    void restart() throws IOException, JOSEException {
        key = key("key of " + Instant.now());
        signingKey = key;
        server = start(port);
    }

    /** Returns the address to which the browser was sent back the last time. */
    String lastRedirect() {
        return lastRedirect;
    }

    String token(String audience) throws JOSEException {
        return sign(claims.apply(claims().audience(audience)));
    }

    private JWTClaimsSet.Builder claims() {
        Instant now = Instant.now();
        return new JWTClaimsSet.Builder().issuer(issuer())
                .subject(USER)
                .issueTime(Date.from(now))
                .expirationTime(Date.from(now.plusSeconds(300)));
    }

    private String sign(JWTClaimsSet.Builder said) throws JOSEException {
        SignedJWT token = new SignedJWT(new JWSHeader.Builder(JWSAlgorithm.RS256).keyID(key.getKeyID()).build(),
                said.build());
        token.sign(new RSASSASigner(signingKey));
        return token.serialize();
    }

    private static MultiValueMap<String, String> parameters(String query) {
        return UriComponentsBuilder.newInstance().query(query).build().getQueryParams();
    }

    private static String value(MultiValueMap<String, String> parameters, String name) {
        return URLDecoder.decode(String.valueOf(parameters.getFirst(name)), UTF_8);
    }

    private void authorize(HttpExchange exchange) throws IOException {
        MultiValueMap<String, String> asked = parameters(exchange.getRequestURI().getRawQuery());
        if (asks && !asked.containsKey("sure")) {
            exchange.getResponseHeaders().set("Content-Type", "text/html");
            send(exchange, 200, "<form><button name=sure formaction=/authorize>Sign in</button>" + hidden(asked)
                    + "</form>");
            return;
        }
        lastRedirect = value(asked, "redirect_uri");
        String code = "code-" + codes.size();
        codes.put(code, new Asked(value(asked, "nonce"), lastRedirect, value(asked, "code_challenge")));
        exchange.getResponseHeaders()
                .set("Location", lastRedirect + "?code=" + code + "&state="
                        + URLEncoder.encode(value(asked, "state"), UTF_8));
        send(exchange, 302, "");
    }

    private static String hidden(MultiValueMap<String, String> asked) {
        StringBuilder fields = new StringBuilder();
        asked.keySet()
                .forEach(name -> fields.append("<input type=hidden name='%s' value='%s'>"
                        .formatted(name, value(asked, name))));
        return fields.toString();
    }

    private void token(HttpExchange exchange) throws IOException {
        String client = "Basic " + Base64.getEncoder().encodeToString((CLIENT + ":" + SECRET).getBytes(UTF_8));
        MultiValueMap<String, String> asked = parameters(
                new String(exchange.getRequestBody().readAllBytes(), UTF_8));
        Asked before = codes.get(value(asked, "code"));
        boolean isProved = client.equals(exchange.getRequestHeaders().getFirst("Authorization"))
                || before != null && CLIENT.equals(value(asked, "client_id"))
                        && before.challenge.equals(challenge(value(asked, "code_verifier")));
        if (!isProved || before == null || !before.redirect.equals(value(asked, "redirect_uri"))) {
            send(exchange, 400, "{\"error\":\"invalid_grant\"}");
            return;
        }
        try {
            String identity = sign(claims.apply(claims().audience(CLIENT).claim("nonce", before.nonce)));
            answer(exchange, Map.of("access_token", "unused", "token_type", "Bearer", "expires_in", 300, "id_token",
                    identity));
        } catch (JOSEException failure) {
            throw new IOException(failure);
        }
    }

    /** Returns the challenge of a public client, by RFC 7636. */
    private static String challenge(String verifier) {
        try {
            return Base64.getUrlEncoder()
                    .withoutPadding()
                    .encodeToString(MessageDigest.getInstance("SHA-256").digest(verifier.getBytes(UTF_8)));
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private void answer(HttpExchange exchange, Map<String, Object> answer) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        send(exchange, 200, json.writeValueAsString(answer));
    }

    private static void send(HttpExchange exchange, int status, String text) throws IOException {
        byte[] bytes = text.getBytes(UTF_8);
        exchange.getRequestBody().readAllBytes();
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
