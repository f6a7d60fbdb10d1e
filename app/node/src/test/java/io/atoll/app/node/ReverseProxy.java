package io.atoll.app.node;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Shows a node as {@value #PUBLIC}, like an ingress controller that ends TLS. It takes the prefix away and says so in
 * headers. It buffers each answer until it is complete, unless the answer asks it not to. TLS itself is left out.
 */
final class ReverseProxy implements AutoCloseable {

    static final String HOST = "shop.example.com";
    static final String PREFIX = "/ops";
    static final String ORIGIN = "https://" + HOST;
    static final String PUBLIC = ORIGIN + PREFIX;

    /** Headers that a proxy does not pass on, or that it sets itself. */
    private static final Set<String> OF_ONE_HOP = Set.of("connection", "content-length", "expect", "host", "upgrade",
            "transfer-encoding", "http2-settings", "forwarded", "x-forwarded-for", "x-forwarded-host",
            "x-forwarded-proto", "x-forwarded-prefix");

    private final String node;
    private final boolean isStandard;
    private final HttpClient client = HttpClient.newHttpClient();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final HttpServer server;

    /** @param isStandard true to send Forwarded (RFC 7239), false to send X-Forwarded-* */
    ReverseProxy(String node, boolean isStandard) throws IOException {
        this.node = node;
        this.isStandard = isStandard;
        this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext(PREFIX + "/", this::pass);
        server.start();
    }

    /** Returns the real address for one of its public addresses. */
    String route(String address) {
        return address.startsWith(ORIGIN)
                ? "http://127.0.0.1:" + server.getAddress().getPort() + address.substring(ORIGIN.length())
                : address;
    }

    private void pass(HttpExchange exchange) throws IOException {
        try (exchange) {
            HttpResponse<InputStream> answer = client.send(request(exchange),
                    HttpResponse.BodyHandlers.ofInputStream());
            answer.headers().map().forEach((name, values) -> {
                if (!OF_ONE_HOP.contains(name.toLowerCase(Locale.ROOT))) {
                    exchange.getResponseHeaders().put(name, List.copyOf(values));
                }
            });
            boolean isHasty = answer.headers().firstValue("X-Accel-Buffering").filter("no"::equals).isPresent();
            send(exchange, answer, isHasty);
        } catch (InterruptedException closed) {
            Thread.currentThread().interrupt();
        }
    }

    private HttpRequest request(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().toString().substring(PREFIX.length());
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(node + path))
                .method(exchange.getRequestMethod(),
                        HttpRequest.BodyPublishers.ofByteArray(exchange.getRequestBody().readAllBytes()));
        exchange.getRequestHeaders().forEach((name, values) -> {
            if (!OF_ONE_HOP.contains(name.toLowerCase(Locale.ROOT))) {
                values.forEach(value -> request.header(name, value));
            }
        });
        if (isStandard) {
            request.header("Forwarded", "for=203.0.113.7;host=" + HOST + ";proto=https");
        } else {
            request.header("X-Forwarded-For", "203.0.113.7");
            request.header("X-Forwarded-Host", HOST);
            request.header("X-Forwarded-Proto", "https");
        }
        request.header("X-Forwarded-Prefix", PREFIX);
        return request.build();
    }

    private static void send(HttpExchange exchange, HttpResponse<InputStream> answer, boolean isHasty)
            throws IOException {
        try (InputStream body = answer.body()) {
            if (!isHasty) {
                ByteArrayOutputStream whole = new ByteArrayOutputStream();
                body.transferTo(whole);
                exchange.sendResponseHeaders(answer.statusCode(), whole.size() == 0 ? -1 : whole.size());
                whole.writeTo(exchange.getResponseBody());
                return;
            }
            exchange.sendResponseHeaders(answer.statusCode(), 0);
            OutputStream sink = exchange.getResponseBody();
            byte[] piece = new byte[8192];
            for (int read = body.read(piece); read >= 0; read = body.read(piece)) {
                sink.write(piece, 0, read);
                sink.flush();
            }
        }
    }

    @Override
    public void close() {
        server.stop(0);
        client.shutdownNow();
        threads.shutdownNow();
    }
}
