package io.atoll.app.node;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.test.web.servlet.client.RestTestClient;

/** The program as a process, without a job. The test reads its lines one by one. */
final class NodeProcess implements AutoCloseable {

    private static final Pattern HINT = Pattern.compile("rank (\\d+) of \\d+: (http://127\\.0\\.0\\.1:\\d+)/atoll");

    /** Less than the time limit of the tests. If a node goes silent, the test then still learns what it had printed. */
    private static final Duration LIFETIME = Duration.ofSeconds(150);

    private final long startNanos = System.nanoTime();
    private final Process process;
    private final Future<?> end;
    private final BufferedReader output;
    private final List<String> linesRead = new ArrayList<>();
    private String address = "";

    NodeProcess(Path folder, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path"), "io.atoll.app.NodeApplication",
                "--atoll.world.name=node-test", "--atoll.segment.size=4MB",
                "--atoll.fabric.shared-memory.folder=" + folder));
        command.addAll(List.of(arguments));
        this.process = new ProcessBuilder(command).start();
        this.output = process.inputReader();
        this.end = CompletableFuture.runAsync(this::kill,
                CompletableFuture.delayedExecutor(LIFETIME.toSeconds(), TimeUnit.SECONDS));
    }

    private void kill() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    Process process() {
        return process;
    }

    Duration age() {
        return Duration.ofNanos(System.nanoTime() - startNanos);
    }

    String readLine() throws IOException {
        String line = output.readLine();
        if (line == null) {
            throw new IOException("the node has ended: " + process.errorReader().lines().toList() + " after it said "
                    + linesRead);
        }
        linesRead.add(line);
        return line;
    }

    /** Returns the lines that it prints from here until it ends. */
    List<String> remainingLines() {
        return output.lines().toList();
    }

    List<String> linesRead() {
        return linesRead;
    }

    /** Returns the API of each rank, in the order of ranks, once all have said where it is. */
    List<RestTestClient> awaitRanks(int count) throws IOException {
        RestTestClient[] clients = new RestTestClient[count];
        for (int met = 0; met < count;) {
            Matcher hint = HINT.matcher(readLine());
            if (hint.matches()) {
                int rank = Integer.parseInt(hint.group(1));
                address = rank == 0 ? hint.group(2) : address;
                clients[rank] = RestTestClient.bindToServer()
                        .baseUrl(hint.group(2))
                        .build();
                met++;
            }
        }
        return List.of(clients);
    }

    /** Returns the API of this rank, whichever it is, once the rank has said where that is. */
    RestTestClient awaitReady() throws IOException {
        Matcher hint;
        do {
            hint = HINT.matcher(readLine());
        } while (!hint.matches());
        address = hint.group(2);
        return RestTestClient.bindToServer().baseUrl(address).build();
    }

    /** Returns the port, once this rank is ready. If there are several ranks, it is the port of rank 0. */
    int port() {
        return URI.create(address).getPort();
    }

    /** Returns the other ranks, which this one has started. */
    List<ProcessHandle> children() {
        return process.children().toList();
    }

    @Override
    public void close() {
        end.cancel(false);
        kill();
        process.onExit().join();
    }

    /** Returns what a node answers for the path, as JSON. */
    static Map<String, ?> read(RestTestClient node, String path) {
        return node.get()
                .uri(path)
                .exchange()
                .expectStatus()
                .isOk()
                .expectBody(new ParameterizedTypeReference<Map<String, ?>>() {})
                .returnResult()
                .getResponseBody();
    }
}
