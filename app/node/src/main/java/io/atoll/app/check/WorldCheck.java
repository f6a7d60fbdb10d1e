package io.atoll.app.check;

import io.atoll.app.node.Node;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Counts something at one rank, and looks for the count at several.
 *
 * <p>An address may be that of a load balancer, which chooses a node for each connection. So each request has a
 * connection of its own, and the answer says which rank gave it.
 */
final class WorldCheck {

    /**
     * The key that is counted. All checks count the same key, so a world keeps one entry for them, however often it is
     * checked.
     */
    static final long KEY = -1;

    private static final int OK = 200;
    private static final int UNAVAILABLE = 503;
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(10);
    private static final long PAUSE_MILLIS = 100;

    private final List<URI> addresses;
    private final int ranks;
    private final Duration timeout;
    private final PrintWriter output;

    private record Answer(int rank, long count) {}

    /** Thrown if the answer does not come from a node of a world. Asking again is of no use then. */
    private static final class NoNodeException extends Exception {
        private static final long serialVersionUID = 1L;

        NoNodeException(String message) {
            super(message);
        }
    }

    /**
     * @param addresses the addresses to ask in turn
     * @param ranks how many different ranks must find the count
     * @param timeout how long the ranks are asked
     * @param output told of each rank
     */
    WorldCheck(List<URI> addresses, int ranks, Duration timeout, PrintWriter output) {
        this.addresses = addresses;
        this.ranks = ranks;
        this.timeout = timeout;
        this.output = output;
    }

    /** Returns why the world does not work, with what to do about it. Returns nothing if it works. */
    Optional<String> findProblem() throws InterruptedException {
        long deadline = System.nanoTime() + timeout.toNanos();
        Set<Integer> finders = new TreeSet<>();
        String lastFailure = "none";
        @Nullable Answer counted = null;
        for (int attempt = 0; finders.size() < ranks; attempt++) {
            if (attempt > 0 && System.nanoTime() - deadline > 0) {
                return Optional.of("too few ranks answer as they should, see whether the others are ready: found="
                        + finders
                        + " expected=" + ranks + " timeout=" + timeout.toMillis() + "ms failure=" + lastFailure);
            }
            try {
                Answer answer = ask(addresses.get(attempt % addresses.size()), counted == null);
                if (counted == null) {
                    counted = answer;
                    output.println("rank " + answer.rank() + " counts to " + answer.count());
                } else if (answer.count() < counted.count()) {
                    return Optional.of("rank " + answer.rank() + " does not find what rank " + counted.rank()
                            + " counted, see whether they are of one world, under /atoll/api/world: found="
                            + answer.count() + " counted=" + counted.count());
                } else if (finders.add(answer.rank())) {
                    output.println("rank " + answer.rank() + " finds " + answer.count());
                } else {
                    Thread.sleep(PAUSE_MILLIS);
                }
            } catch (NoNodeException stranger) {
                return Optional.of(stranger.getMessage());
            } catch (IOException notYet) {
                lastFailure = notYet.toString();
                Thread.sleep(PAUSE_MILLIS);
            }
        }
        return Optional.empty();
    }

    private static Answer ask(URI address, boolean count) throws IOException, NoNodeException, InterruptedException {
        URI counter = URI.create(address.toString().replaceFirst("/+$", "") + Node.HITS + "/" + KEY);
        HttpRequest request = HttpRequest.newBuilder(counter)
                .timeout(ANSWER_LIMIT)
                .method(count ? "POST" : "GET", BodyPublishers.noBody())
                .build();
        HttpResponse<String> response;
        try (HttpClient client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(ANSWER_LIMIT)
                .build()) {
            response = client.send(request, BodyHandlers.ofString());
        }
        String facts = "url=" + counter + " status=" + response.statusCode();
        if (response.statusCode() == UNAVAILABLE) {
            throw new IOException("not ready: " + facts + " body=" + response.body());
        }
        OptionalLong rank = response.headers().firstValueAsLong(Node.RANK_HEADER);
        if (response.statusCode() != OK || rank.isEmpty()) {
            throw new NoNodeException(
                    "what answers is no node that is open to this command, name a node's URL: " + facts);
        }
        return new Answer(Math.toIntExact(rank.getAsLong()), Long.parseLong(response.body()));
    }
}
