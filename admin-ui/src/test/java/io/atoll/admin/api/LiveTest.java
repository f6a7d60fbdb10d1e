package io.atoll.admin.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.atoll.World;
import io.atoll.admin.Console;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
@Tag("slow")
class LiveTest {

    private static final Duration SOON = Duration.ofSeconds(60);

    private World world;
    private Console console;
    private final HttpClient http = HttpClient.newHttpClient();

    @BeforeEach
    void start() {
        world = World.named("shop").segment(4 << 20).open();
        console = Console.startLocal(world, "--atoll.fabric.tcp.secret=very-secret-and-32-bytes-or-more-long",
                "--atoll.admin.entries=false");
    }

    @AfterEach
    void stop() {
        http.shutdownNow();
        console.close();
        world.close();
    }

    private HttpResponse<InputStream> get(String path) throws IOException, InterruptedException {
        return http.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + console.port() + path)).build(),
                HttpResponse.BodyHandlers.ofInputStream());
    }

    private static BufferedReader lines(HttpResponse<InputStream> answer) {
        return new BufferedReader(new InputStreamReader(answer.body(), StandardCharsets.UTF_8));
    }

    private static String awaitEvent(BufferedReader lines) throws IOException {
        String line = lines.readLine();
        while (line != null && !line.equals("event:overview")) {
            line = lines.readLine();
        }
        assertThat(line).isNotNull();
        return lines.readLine();
    }

    private LiveFeed feed() {
        return console.context().getBean(LiveFeed.class);
    }

    @Test
    void whoListensIsToldAndWhoLeavesIsForgotten() throws Exception {
        HttpResponse<InputStream> answer = get("/atoll/api/live");
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Type")).hasValueSatisfying(
                type -> assertThat(type).startsWith("text/event-stream"));
        assertThat(answer.headers().firstValue("ETag")).isEmpty();
        assertThat(answer.headers().firstValue("X-Accel-Buffering")).hasValue("no");
        BufferedReader lines = lines(answer);
        assertThat(awaitEvent(lines)).startsWith("data:{\"world\":{\"name\":\"shop\"");
        assertThat(feed().listeners()).isOne();
        answer.body().close();
        // There is no reader for the next heart-beats.
        await().atMost(SOON).until(() -> feed().listeners() == 0);
    }

    @Test
    void onlySoManyListenAndTheNextOneIsToldToAsk() throws Exception {
        List<BufferedReader> all = new ArrayList<>();
        for (int listener = 0; listener < LiveFeed.MOST_LISTENERS; listener++) {
            all.add(lines(get("/atoll/api/live")));
        }
        HttpResponse<InputStream> refused = get("/atoll/api/live");
        assertThat(refused.statusCode()).isEqualTo(503);
        assertThat(lines(refused).readLine()).contains("/atoll/api/overview");
        for (BufferedReader lines : all) {
            assertThat(awaitEvent(lines)).startsWith("data:{");
        }
    }

    @Test
    void aStreamEndsWithTheApplication() throws Exception {
        BufferedReader lines = lines(get("/atoll/api/live"));
        awaitEvent(lines);
        LiveFeed feed = feed();
        console.close();
        await().atMost(SOON).until(() -> feed.listeners() == 0);
    }

    @Test
    void theDiagnosisHasEverythingButSecrets() throws Exception {
        HttpResponse<InputStream> answer = get("/atoll/api/diagnosis");
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Type")).contains("application/zip");
        Set<String> names = new TreeSet<>();
        StringBuilder text = new StringBuilder();
        try (ZipInputStream archive = new ZipInputStream(answer.body())) {
            for (ZipEntry entry = archive.getNextEntry(); entry != null; entry = archive.getNextEntry()) {
                names.add(entry.getName());
                text.append(new String(archive.readAllBytes(), StandardCharsets.UTF_8));
            }
        }
        assertThat(names).contains("overview.json", "ranks.json", "segments.json", "structures.json", "epochs.json",
                "locks.json", "events.json", "traffic.json", "traffic-peers.json", "threads.txt", "configuration.json");
        assertThat(text).contains("\"main\"", "atoll.admin.entries", "******")
                .doesNotContain("very-secret", "\"failure\"");
    }
}
