package io.atoll.app.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.admin.browser.Browser;
import io.atoll.epoch.Pin;
import io.atoll.lock.Acquisition;
import io.atoll.lock.LockTable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;
import org.springframework.test.web.servlet.client.RestTestClient;

/**
 * The console of three nodes that make load, in a browser. The test itself is rank 3. It causes the problems that an
 * operator has to find.
 */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class DemoPageTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** Four processes start at once. Less than a node's lifetime. */
    private static final Duration START = Duration.ofSeconds(100);
    private static final int NODES = 3;
    private static final int LOCKS = 64;

    @TempDir
    static Path folder;

    private static final List<NodeProcess> nodes = new ArrayList<>();
    private static World world;
    private static RestTestClient ada;
    private static Browser browser;

    @BeforeAll
    static void start() throws IOException, InterruptedException {
        for (int rank = 0; rank < NODES; rank++) {
            nodes.add(new NodeProcess(folder, "--demo", "--server.port=0", "--atoll.world.size=" + (NODES + 1),
                    "--atoll.world.rank=" + rank, "--atoll.admin.actions=true",
                    "--node.users.ada.password=analytical", "--node.users.ada.role=admin",
                    "--node.users.eve.password=curious"));
        }
        world = World.named("node-test")
                .size(NODES + 1)
                .rank(NODES)
                .segment(4 << 20)
                .fabric(Fabrics.sharedMemory(folder, false))
                .join(START);
        for (NodeProcess node : nodes) {
            node.awaitReady();
        }
        ada = RestTestClient.bindToServer()
                .baseUrl("http://127.0.0.1:" + nodes.getFirst().port())
                .defaultHeaders(headers -> headers.setBasicAuth("ada", "analytical"))
                .build();
        await().atMost(PATIENCE).until(() -> names("structures").contains("demo-accounts"));
        browser = Browser.open(nodes.getFirst().port());
    }

    @AfterAll
    static void end() {
        if (browser != null) {
            browser.close();
        }
        if (world != null) {
            world.close();
        }
        nodes.forEach(NodeProcess::close);
    }

    /** The API refuses to list the elements of queues and the like, and the browser records each refusal. */
    @AfterEach
    void nothingWasForbidden() {
        assertThat(browser.complaints()).filteredOn(complaint -> !complaint.contains("/api/")).isEmpty();
    }

    private static Map<String, ?> read(String path) {
        return NodeProcess.read(ada, "/atoll/api/" + path);
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, ?>> list(Map<String, ?> answer, String name) {
        return (List<Map<String, ?>>) answer.get(name);
    }

    private static List<String> names(String path) {
        return list(read(path), "items").stream().map(item -> String.valueOf(item.get("name"))).toList();
    }

    @SuppressWarnings("unchecked")
    private static Map<String, ?> figures(String structure) {
        return (Map<String, ?>) list(read("structures?q=" + structure), "items").getFirst().get("figures");
    }

    private static String count(Object number) {
        return String.format("%,d", ((Number) number).longValue());
    }

    /** Returns what the elements show, each in one line. */
    private static List<String> lines(String selector) {
        return browser.texts(selector).stream().map(text -> text.replaceAll("\\s+", " ")).toList();
    }

    /** Waits until the page shows the node's present answer. Both change all the time. */
    private static void awaitShown(String selector, Supplier<String> answered) {
        await().atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(100))
                .untilAsserted(() -> assertThat(browser.text(selector)).contains(answered.get()));
    }

    /** A thread of this rank that an operator recognizes by its name. */
    private static final class Culprit implements AutoCloseable {

        private final ExecutorService thread;

        Culprit(String name) {
            thread = Executors.newSingleThreadExecutor(Thread.ofPlatform().name(name).factory());
        }

        <T> T run(Callable<T> work) throws Exception {
            return thread.submit(work).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }

        @Override
        public void close() {
            thread.close();
        }
    }

    @Test
    void eachViewShowsWhatTheNodeAnswers() {
        browser.authenticate("eve", "curious");
        browser.load("overview");
        awaitShown("h1", () -> String.valueOf(read("overview").get("sentence")));
        assertThat(browser.texts(".pictures > li")).hasSize(NODES + 1).allMatch(rank -> rank.contains("joined"));

        browser.go("ranks?as=table");
        assertThat(browser.texts("tbody tr")).hasSize(NODES + 1);
        list(read("ranks"), "items").stream()
                .filter(rank -> rank.get("pid") != null)
                .forEach(rank -> assertThat(browser.text("tbody")).contains(String.valueOf(rank.get("pid"))));

        browser.go("structures");
        assertThat(browser.texts("tbody tr th a")).containsExactlyElementsOf(names("structures?size=50"));
        for (String name : List.of("demo-orders", "demo-visits")) {
            browser.go("structures/" + name);
            awaitShown(".facts", () -> "entries\n" + count(figures(name).get("entries")));
            assertThat(browser.count(".shares a")).isEqualTo(NODES + 1);
        }

        browser.go("epochs");
        awaitShown("h1", () -> "epoch " + count(read("epochs").get("epoch")));
        browser.await("document.querySelector('.plot canvas')");

        browser.go("locks");
        awaitShown("#view", () -> "demo-accounts " + LOCKS + " locks");

        browser.go("collectives");
        list(read("collectives"), "kinds").forEach(
                kind -> assertThat(browser.text("#view")).contains(kind.get("name") + " " + kind.get("operation")));

        browser.go("traffic");
        list(read("traffic"), "verbs").forEach(
                verb -> assertThat(browser.text("#view")).contains(String.valueOf(verb.get("kind"))));

        browser.go("connections");
        assertThat(browser.texts("tbody tr")).hasSizeGreaterThanOrEqualTo(NODES + 1);
        assertThat(browser.text("tbody")).contains("its own memory", "shared memory");

        browser.go("events?kind=joined");
        for (int rank = 0; rank <= NODES; rank++) {
            browser.awaitText("tbody", "rank " + rank);
        }
    }

    @Test
    void theDemosMapsShowTheirEntriesAndItsQueueAndFilterAreChanged() {
        for (String map : List.of("demo-orders", "demo-visits")) {
            await().atMost(PATIENCE).untilAsserted(() -> {
                // An entry may be removed between the two requests.
                Map<String, ?> first = list(read("entries?structure=" + map), "items").getFirst();
                assertThat(read("entry?structure=" + map + "&key=" + first.get("key")).get("found")).isEqualTo(true);
            });
        }
        browser.authenticate("ada", "analytical");
        browser.load("structures/demo-orders");
        browser.awaitText("#view", "Order[customer=");

        act("clear", Map.of("name", "demo-seen"));
        act("clear", Map.of("name", "demo-jobs"));
        act("resize", Map.of("name", "demo-jobs", "capacity", 1_024));
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(figures("demo-jobs").get("capacity")).isEqualTo(1_024.0));
        act("migrate", Map.of("name", "demo-jobs", "host", 1));
    }

    private static void act(String action, Map<String, ?> body) {
        ada.post().uri("/atoll/api/actions/" + action).body(body).exchange().expectStatus().isOk();
    }

    @Test
    void aLockThatIsHeldForLongIsFoundAndTakenByTheKeyboardAlone() throws Exception {
        LockTable accounts = world.lockTable("demo-accounts").locks(LOCKS).open();
        try (Culprit auditor = new Culprit("auditor")) {
            Acquisition held = auditor.run(() -> accounts.lockAt(0));
            browser.authenticate("ada", "analytical");
            browser.load("overview");
            browser.awaitText(".problems", "wait for lock 0 of demo-accounts");
            browser.awaitText(".problems", "Thread auditor of rank 3 holds it");
            browser.tabTo(".problems a[href='#locks/demo-accounts/0']");
            browser.press(Keys.ENTER);

            // All nodes wait. The owner's thread is in one lane. The threads of the two others are in the lane of the
            // holder.
            browser.awaitText("h1", "Lock 0 of demo-accounts");
            browser.await("""
                    document.querySelectorAll('.lane:first-child .person').length === 1
                      && document.querySelectorAll('.lane:last-child .person:not(.holder)').length === 2""");
            browser.tabTo("#pause");
            browser.press(Keys.ENTER);
            assertThat(lines(".lane:first-child .person")).singleElement()
                    .asString()
                    .contains("demo-accounts of rank 0 waits for");
            assertThat(lines(".lane:last-child .person.holder")).singleElement()
                    .asString()
                    .contains("holds auditor of rank 3", "token");
            assertThat(lines(".lane:last-child .person:not(.holder)")).allMatch(it -> it.contains("waits for"))
                    .anyMatch(it -> it.contains("demo-accounts of rank 1"))
                    .anyMatch(it -> it.contains("demo-accounts of rank 2"));
            browser.press(Keys.ENTER);

            browser.tabTo("button.act");
            browser.press(Keys.ENTER);
            browser.await("document.querySelector('dialog').open");
            browser.tabTo("dialog input[name=typed]");
            browser.press("demo-accounts", Keys.ENTER);
            browser.awaitText("#outcome", "was taken from auditor");
            browser.await("!/auditor/.test(document.querySelector('.queue').innerText)");
            auditor.run(() -> {
                held.close();
                return null;
            });
        }
    }

    @Test
    void whoMayOnlyReadCannotTakeALock() throws Exception {
        LockTable accounts = world.lockTable("demo-accounts").locks(LOCKS).open();
        try (Culprit auditor = new Culprit("auditor")) {
            Acquisition held = auditor.run(() -> accounts.lockAt(1));
            browser.authenticate("eve", "curious");
            browser.load("locks/demo-accounts/1");
            browser.awaitText(".person.holder", "auditor");
            assertThat(browser.count("button.act")).isZero();
            assertThat(browser
                    .run("""
                            return fetch('api/actions/reclaim', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' })
                              .then((answer) => answer.status)"""))
                    .isEqualTo(403L);
            assertThat(auditor.run(() -> {
                held.close();
                return true;
            })).isTrue();
        }
    }

    @Test
    void whoBlocksTheEpochIsNamedUntilItDoesNotAnyMore() throws Exception {
        try (Culprit writer = new Culprit("report-writer")) {
            Pin pin = writer.run(() -> world.epochs().token().pin());
            // Without this call no thread would try to advance the epoch for long.
            world.epochs().token().tryReclaim();
            browser.authenticate("eve", "curious");
            browser.load("overview");
            browser.awaitText(".banner.critical", "report-writer of rank 3 blocks the epoch");
            browser.go("epochs");
            browser.awaitText(".banner.critical", "report-writer of rank 3 blocks the epoch");
            browser.awaitText(".banner.critical", "wait to be freed");
            browser.awaitText("tbody", "the epoch waits for it");
            writer.run(() -> {
                pin.close();
                return null;
            });
            browser.awaitText(".banner.good", "Nobody blocks the epoch");
        }
    }
}
