package io.atoll.app.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.atoll.admin.browser.Browser;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.test.web.servlet.client.RestTestClient;

/** The console of nodes, in a browser. */
@Timeout(value = 180, threadMode = ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class NodePageTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    Path folder;

    private static void count(RestTestClient node, int times) {
        for (int key = 0; key < times; key++) {
            node.post().uri("/hits/" + key).exchange().expectStatus().isOk();
        }
    }

    @Test
    void viewsShowWhatIsAndARankThatIsKilledIsNamed() throws Exception {
        try (NodeProcess nodes = new NodeProcess(folder, "--ranks=3", "--server.port=0", "--demo")) {
            List<RestTestClient> ranks = nodes.awaitRanks(3);
            await().atMost(PATIENCE)
                    .until(() -> NodeProcess.read(ranks.getFirst(), "/atoll/api/world").get("whole").equals(true));
            ranks.forEach(rank -> count(rank, 20));
            try (Browser browser = Browser.open(nodes.port())) {
                browser.load("overview");
                assertThat(browser.count(".pictures > li")).isEqualTo(3);
                assertThat(browser.text("#world")).contains("node-test", "3 of 3 ranks");

                browser.go("structures");
                browser.awaitText("tbody", "hits");
                browser.go("structures/hits");
                browser.awaitText("#view", "long-map");
                browser.awaitText(".facts", "20");
                browser.go("connections");
                browser.awaitText("#view", "shared memory");
                browser.go("epochs");
                browser.go("locks");
                browser.go("traffic");
                browser.go("collectives");
                browser.go("events");
                browser.awaitText("tbody", "joined");
                browser.go("ranks");
                assertThat(browser.count(".tile.joined")).isEqualTo(3);

                browser.go("overview");
                browser.await("document.querySelector('.beat.live')");
                // These nodes share memory, so no verb crosses the fabric and that line is not drawn.
                browser.await("document.querySelectorAll('.cards .card').length === 4");
                browser.await("document.querySelectorAll('.spark').length === 3");
                browser.awaitText(".card[href='#traffic']", "Nothing crosses the fabric.");
                ProcessHandle killed = nodes.children().getFirst();
                long killedNanos = System.nanoTime();
                killed.destroyForcibly();
                browser.await("/Rank \\d is lost/.test(document.querySelector('.problems')?.innerText)");
                Duration named = Duration.ofNanos(System.nanoTime() - killedNanos);
                System.out.printf("the overview names a killed rank after %d ms%n", named.toMillis());
                assertThat(named).isLessThan(Duration.ofSeconds(3));
                String lost = String
                        .valueOf(((List<?>) NodeProcess.read(ranks.getFirst(), "/atoll/api/world").get("lost"))
                                .getFirst());
                assertThat(browser.text(".problem")).contains("Rank " + lost + " is lost");
                assertThat(browser.text("#news")).contains("Rank " + lost + " is lost");
                browser.awaitText(".pictures .lost", "rank " + lost);
                browser.resize(1100, 720);
                // The picture of the documentation.
                browser.photograph("console");

                // A page that is opened now also shows the past of the killed rank.
                browser.load("ranks/" + lost);
                assertThat(browser.text("h1")).contains("lost");
                browser.await("document.querySelector('.plot canvas')");
                browser.load("events?kind=lost");
                browser.awaitText("tbody", "rank " + lost);
                // The API refuses to show entries by default, and the browser records each refusal.
                assertThat(browser.complaints()).allMatch(complaint -> complaint.contains("/entries"));
            }
        }
    }

    @Test
    void onlyWhoMayActSeesHowTo() throws Exception {
        try (NodeProcess node = new NodeProcess(folder, "--server.port=0", "--atoll.admin.actions=true",
                "--node.users.ada.password=analytical", "--node.users.ada.role=admin",
                "--node.users.eve.password=curious")) {
            node.awaitReady();
            try (Browser browser = Browser.open(node.port())) {
                browser.authenticate("eve", "curious");
                browser.load("structures");
                browser.go("epochs");
                assertThat(browser.count("button.act")).isZero();
                browser.authenticate("ada", "analytical");
                browser.load("epochs");
                browser.await("document.querySelector('button.act')");
                browser.click("button.act");
                browser.await("document.querySelector('dialog').open");
                browser.click("dialog button.act");
                browser.awaitText("#outcome", "freed");
                assertThat(browser.complaints()).isEmpty();
            }
        }
    }
}
