package io.atoll.app.node;

import java.io.IOException;
import java.net.HttpCookie;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/** Acts as a browser without its page: keeps the cookies of a node, and follows redirects. */
final class Visitor implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int MOST_STEPS = 8;

    private final HttpClient client = HttpClient.newHttpClient();
    private final String console;
    private final UnaryOperator<String> route;
    private final Map<String, String> cookies = new ConcurrentHashMap<>();
    private final List<String> setCookies = new ArrayList<>();

    /** @param console the address of the node's console */
    Visitor(String console) {
        this(console, UnaryOperator.identity());
    }

    /** @param route tells where an address leads, as a name server would */
    Visitor(String console, UnaryOperator<String> route) {
        this.console = console;
        this.route = route;
    }

    /** @param headers names and values, in turns */
    HttpRequest.Builder request(String path, String... headers) {
        String address = path.startsWith("/") ? console + path : path;
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(route.apply(address))).timeout(PATIENCE);
        if (address.startsWith(console) && !cookies.isEmpty()) {
            request.header("Cookie", cookies.entrySet()
                    .stream()
                    .map(cookie -> cookie.getKey() + "=" + cookie.getValue())
                    .collect(Collectors.joining("; ")));
        }
        for (int each = 0; each < headers.length; each += 2) {
            request.header(headers[each], headers[each + 1]);
        }
        return request;
    }

    HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        return send(request, HttpResponse.BodyHandlers.ofString());
    }

    <T> HttpResponse<T> send(HttpRequest.Builder request, HttpResponse.BodyHandler<T> body)
            throws IOException, InterruptedException {
        HttpResponse<T> response = client.send(request.build(), body);
        for (String header : response.headers().allValues("Set-Cookie")) {
            setCookies.add(header);
            HttpCookie.parse(header).forEach(cookie -> cookies.put(cookie.getName(), cookie.getValue()));
        }
        return response;
    }

    HttpResponse<String> get(String path, String... headers) throws IOException, InterruptedException {
        return send(request(path, headers));
    }

    int status(String path, String... headers) throws IOException, InterruptedException {
        return get(path, headers).statusCode();
    }

    /** Returns the status of the answer to an action. */
    int act(String path, String... headers) throws IOException, InterruptedException {
        return send(request(path, headers).setHeader("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString("{}"))).statusCode();
    }

    /** Follows all redirects from there. Returns the last address. */
    String follow(String path) throws IOException, InterruptedException {
        String address = path.startsWith("/") ? console + path : path;
        for (int step = 0; step < MOST_STEPS; step++) {
            HttpResponse<String> response = get(address);
            if (response.statusCode() != 302) {
                return address;
            }
            address = URI.create(address).resolve(response.headers().firstValue("Location").orElseThrow()).toString();
        }
        throw new IOException("led on and on: address=" + address);
    }

    /** Signs in as the API says. Returns where that has led. */
    String signIn() throws IOException, InterruptedException {
        String at = get("/atoll/api/session").headers().firstValue(SignIn.HEADER).orElseThrow();
        return follow(URI.create(console).resolve(at).toString());
    }

    /** Returns all cookies that were set, with their attributes. */
    List<String> setCookies() {
        return setCookies;
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
