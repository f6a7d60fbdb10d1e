package io.atoll.app.check;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.atoll.app.NodeApplication;
import io.atoll.app.command.CommandRun;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs {@code check world} with a server that answers as the nodes behind a service do. */
@Timeout(120)
class WorldCheckTest {

    private static final int NO_RANK = -1;

    private HttpServer server;
    private String url;

    private record Answer(int status, int rank, String body) {

        void send(HttpExchange exchange) throws IOException {
            if (rank != NO_RANK) {
                exchange.getResponseHeaders().set("Atoll-Rank", Integer.toString(rank));
            }
            byte[] bytes = body.getBytes(US_ASCII);
            exchange.sendResponseHeaders(status, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        }
    }

    private static Answer rank(int rank, long count) {
        return new Answer(200, rank, Long.toString(count));
    }

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.start();
        url = "http://127.0.0.1:" + server.getAddress().getPort();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    /** Gives these answers one after the other, whatever is asked. Repeats the last one from then on. */
    private void answer(Answer... answers) {
        AtomicInteger next = new AtomicInteger();
        server.createContext("/hits/", exchange -> answers[Math.min(next.getAndIncrement(), answers.length - 1)]
                .send(exchange));
    }

    private CommandRun check(String... options) {
        List<String> arguments = new ArrayList<>(List.of("check", "world"));
        arguments.addAll(List.of(options));
        return CommandRun.of(new NodeApplication().commandLine(), arguments.toArray(String[]::new));
    }

    @Test
    void aWorldWorksWhereSeveralRanksFindWhatOneHasCounted() {
        answer(rank(2, 5), rank(2, 5), rank(0, 5), rank(1, 6));
        CommandRun run = check("--ranks=3", url);
        assertThat(run.output()).containsExactly("rank 2 counts to 5", "rank 2 finds 5", "rank 0 finds 5",
                "rank 1 finds 6", "verdict: the world works: ranks=3");
        assertThat(run.exitCode()).isZero();
        assertThat(run.errors()).isEmpty();
    }

    @Test
    void itCountsOnceAndThenOnlyLooks() {
        AtomicInteger posts = new AtomicInteger();
        Iterator<Answer> answers = List.of(rank(0, 1), rank(0, 1), rank(1, 1)).iterator();
        server.createContext("/hits/-1", exchange -> {
            if (exchange.getRequestMethod().equals("POST")) {
                posts.incrementAndGet();
            }
            answers.next().send(exchange);
        });
        assertThat(check(url + "/").exitCode()).isZero();
        assertThat(posts).hasValue(1);
    }

    @Test
    void aRankThatDoesNotFindTheCountIsNamed() {
        answer(rank(0, 5), rank(1, 4));
        CommandRun run = check(url);
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.output()).last()
                .asString()
                .startsWith("verdict: rank 1 does not find what rank 0 counted, ")
                .endsWith("found=4 counted=5");
    }

    @Test
    void oneRankThatAnswersForAllIsNotEnough() {
        answer(rank(0, 1));
        CommandRun run = check("--timeout=1s", url);
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.output()).last()
                .asString()
                .startsWith("verdict: too few ranks")
                .contains("found=[0] expected=2");
    }

    @Test
    void aNodeThatIsNotReadyIsAskedAgain() {
        answer(new Answer(503, NO_RANK, "{}"), rank(0, 1), new Answer(503, NO_RANK, "{}"), rank(1, 1));
        assertThat(check("--ranks=1", url).exitCode()).isZero();
    }

    @Test
    void aNodeThatDoesNotBecomeReadyIsToldWithWhatItSays() {
        answer(new Answer(503, NO_RANK, "rank=1 is missing"));
        CommandRun run = check("--timeout=300ms", url);
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.output()).singleElement()
                .asString()
                .contains("found=[]", "status=503", "rank=1 is missing");
    }

    @Test
    void anAddressWhereNobodyListensIsTold() throws IOException {
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        CommandRun run = check("--timeout=300ms", "http://127.0.0.1:" + port);
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.output()).singleElement().asString().contains("found=[]", "ConnectException");
    }

    @Test
    void whatIsNoNodeFailsAtOnce() {
        answer(new Answer(200, NO_RANK, "welcome"));
        CommandRun run = check("--timeout=1h", url);
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.output()).singleElement().asString().contains("is no node", "status=200");
    }

    @Test
    void aNodeThatIsClosedToTheCommandFailsAtOnce() {
        answer(new Answer(403, NO_RANK, "{}"));
        CommandRun run = check("--timeout=1h", url);
        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.output()).singleElement().asString().contains("status=403");
    }

    @ParameterizedTest
    @ValueSource(strings = {"shop:8080", "ftp://shop", "http:///hits"})
    void whatIsNoUrlOfHttpIsRefused(String wrong) {
        CommandRun run = check(wrong);
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.errors()).first().asString().contains("http:// or https://", "url=" + wrong);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--ranks=0", "--timeout=soon"})
    void optionsOutOfRangeAreRefused(String wrong) {
        CommandRun run = check(wrong, url);
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.errors()).isNotEmpty();
    }
}
