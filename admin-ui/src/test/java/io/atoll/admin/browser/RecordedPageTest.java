package io.atoll.admin.browser;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.World;
import io.atoll.admin.Console;
import io.atoll.admin.browser.Browser.Spoken;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.openqa.selenium.Keys;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The page in a browser, for a world with 300 ranks and 1,000 structures that has many problems. */
@Timeout(value = 180, threadMode = ThreadMode.SEPARATE_THREAD)
@Tag("slow")
class RecordedPageTest {

    private static final Set<String> CONTROLS_AND_PICTURES = Set.of("link", "button", "searchbox", "textbox",
            "spinbutton", "combobox", "img", "image", "region");

    private static World world;
    private static RecordedApi api;
    private static Console console;
    private static Browser browser;

    @BeforeAll
    static void open() {
        api = new RecordedApi();
        world = World.named("recorded").segment(4 << 20).open();
        console = Console.startBehind(api, world);
        browser = Browser.open(console.port());
    }

    @AfterAll
    static void close() {
        if (browser != null) {
            browser.close();
        }
        console.close();
        world.close();
    }

    /** Whatever a test does, it must do nothing that the page's policy forbids, and no script may fail. */
    @AfterEach
    void nothingWasForbidden() {
        api.beSilent(false);
        api.letAct(true);
        browser.resize(1280, 1000);
        assertThat(browser.complaints()).filteredOn(complaint -> !complaint.contains("/api/")).isEmpty();
    }

    // --- each view shows what the answer says ---

    @Test
    void theOverviewSaysHowTheWorldIsAndShowsTheWorstFirst() {
        browser.load("overview");
        assertThat(browser.text("h1")).contains(api.recorded("overview").get("sentence").asString());
        assertThat(browser.text(".problem")).contains("5 ranks are lost")
                .contains("rank 17", "rank 55", "rank 101", "rank 202", "rank 299")
                .contains("Start it again");
        assertThat(browser.texts(".problems h3")).anyMatch(title -> title.contains("Rank 77 cannot be used"))
                .anyMatch(title -> title.contains("wait"));
        assertThat(browser.text(".banner.critical")).contains("report-writer", "rank 9", "1 min 1 s");
        assertThat(browser.texts(".tile").getFirst()).contains("17").contains("lost");
        assertThat(browser.count(".spark")).isEqualTo(4);
        assertThat(browser.text("#views .count")).isEqualTo(
                String.valueOf(api.recorded("overview").get("problems").size()));
    }

    @ParameterizedTest
    @ValueSource(ints = {360, 800, 1_280, 1_920})
    void problemsStandBeforeAllElseAtEveryWidth(int width) {
        browser.resize(width, 1_000);
        browser.load("overview");
        browser.await("innerWidth === " + width);
        assertThat((Boolean) browser
                .run("""
                        const box = (it) => document.querySelector(it).getBoundingClientRect();
                        const isBefore = (one, other) => one.bottom <= other.top || one.top <= other.top && one.right <= other.left;
                        const problems = box('.panel:has(.problems)');
                        return [...document.querySelectorAll('.card, .tile, .panel:not(:has(.problems))')]
                          .every((it) => isBefore(problems, it.getBoundingClientRect()))"""))
                .isTrue();
        // Readers who hear the page or use the keyboard meet it in this order.
        assertThat((Boolean) browser
                .run("""
                        return Boolean(document.querySelector('.problems').compareDocumentPosition(document.querySelector('.cards'))
                          & Node.DOCUMENT_POSITION_FOLLOWING)"""))
                .isTrue();
    }

    @Test
    void whereNothingCrossesTheFabricThatIsSaid() {
        ObjectNode lines = (ObjectNode) api.recorded("overview").get("sparklines");
        ArrayNode known = (ArrayNode) lines.get("remote-verbs");
        try {
            lines.putArray("remote-verbs").addNull().add(0).add(0);
            browser.load("overview");
            assertThat(browser.text(".card[href='#traffic']")).contains("Remote verbs", "0/s",
                    "Nothing crosses the fabric.");
            assertThat(browser.count(".spark")).isEqualTo(3);
        } finally {
            lines.set("remote-verbs", known);
        }
        browser.load("overview");
        assertThat(browser.text(".cards")).doesNotContain("Nothing crosses");
    }

    @Test
    void aProblemSaysOnceForHowLongAndLeadsToWhoWaitsForWhom() {
        browser.load("overview");
        assertThat(browser.texts(".problem p:not(.remedy)")).isNotEmpty()
                .noneMatch(cause -> cause.contains(" for ") && cause.contains("For "))
                .anyMatch(cause -> cause.endsWith("For 44.0 s."))
                .anyMatch(cause -> cause.startsWith("It does not answer"));
        assertThat(browser.texts(".problem")).filteredOn(problem -> problem.contains("2 threads wait for each other"))
                .singleElement()
                .satisfies(problem -> assertThat(problem).contains(
                        "Thread transfer-2 of rank 21 wants lock 10 of accounts, which thread transfer-1 of rank 8 "
                                + "holds",
                        "thread transfer-1 of rank 8 wants lock 20", "same order", "For 30.5 s."));
        browser.click(".problem a[href='#locks']");
        browser.awaitText(".banner.critical", "2 threads wait for each other");
    }

    @Test
    void ranksAreTilesOfWhichLostOnesComeFirst() {
        browser.load("ranks");
        assertThat(browser.count(".tile")).isEqualTo(300);
        assertThat(browser.texts(".tile").subList(0, 5)).allMatch(tile -> tile.contains("lost"));
        browser.click("a[href='#ranks?standing=MISSING']");
        browser.await("document.querySelectorAll('.tile').length === 3");
        browser.go("ranks?as=table&q=node-07");
        browser.await("document.querySelectorAll('tbody tr').length === 8");
        browser.go("ranks?as=table&sort=-rank");
        browser.awaitText("tbody tr", "rank 299");
    }

    @Test
    void aRankThatStandsStillIsNowhereShownAsWell() {
        browser.load("ranks");
        assertThat(browser.text(".tile[href='#ranks/120']")).contains("still");
        assertThat(browser.find(".tile[href='#ranks/120']").getDomAttribute("class")).contains("still")
                .doesNotContain("good");
        browser.go("ranks?as=table&q=rank+120");
        browser.awaitText("tbody .standing", "stands still");
    }

    @Test
    void aCommandIsNotBrokenBetweenLines() {
        browser.load("overview");
        assertThat(browser.text(".remedy .command")).isEqualTo("kill -CONT");
        assertThat(browser.run("return getComputedStyle(document.querySelector('.command')).whiteSpace"))
                .isEqualTo("nowrap");
    }

    @Test
    void aRanksMemoryIsDrawnWithAllThatIsInItAndTold() {
        browser.load("ranks/9");
        assertThat(browser.text(".lead")).contains("88 %");
        assertThat(browser.count(".bar .part.structure")).isEqualTo(12);
        for (String part : List.of("objects", "retired", "room", "free")) {
            assertThat(browser.count(".bar .part." + part)).as(part).isEqualTo(1);
        }
        assertThat(browser.text("#view table")).contains("retired", "objects", "free");
        // The drawing is as wide as the element.
        assertThat((Double) browser.run("""
                const width = (it) => document.querySelector(it).getBoundingClientRect().width;
                return width('.bar .part.retired') / width('.memory .bar')""")).isBetween(0.5, 0.6);
        assertThat(browser.text(".facts")).contains("node-01.cluster.example", "4117");
        browser.await("document.querySelectorAll('.plot canvas').length >= 3");
    }

    /** Returns the share of the first chart's columns that its second line crosses, in a part of its width. */
    private static double crossed(double from, double to) {
        return ((Number) browser
                .run("""
                        const canvas = document.querySelector('.plot canvas');
                        const probe = document.createElement('span');
                        probe.style.color = 'var(--series-2)';
                        document.body.append(probe);
                        const colour = getComputedStyle(probe).color.match(/[0-9]+/g).map(Number);
                        probe.remove();
                        const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', { willReadFrequently: true });
                        copy.drawImage(canvas, 0, 0);
                        const first = Math.round(%s * canvas.width);
                        const width = Math.round(%s * canvas.width) - first;
                        const { data } = copy.getImageData(first, 0, width, canvas.height);
                        const isLine = (at) => colour.every((it, index) => Math.abs(data[at + index] - it) < 20) && data[at + 3] > 200;
                        const columns = Array.from({ length: width }, (_, x) => Array.from({ length: canvas.height }, (_, y) => 4 * (y * width + x)).some(isLine));
                        return columns.filter((it) => it).length / width"""
                        .formatted(from, to)))
                .doubleValue();
    }

    @Test
    void whereNothingIsKnownAChartHasAGap() {
        JsonNode known = api.recorded("history-rank-9").get("ranks");
        try {
            JsonNode gap = known.deepCopy();
            for (JsonNode values : gap.get(0).get("values")) {
                for (int point = values.size() / 3; point < values.size() * 9 / 10; point++) {
                    ((ArrayNode) values).setNull(point);
                }
            }
            api.recorded("history-rank-9").set("ranks", gap);
            browser.load("ranks/9");
            browser.await("document.querySelectorAll('.plot canvas').length >= 3");
            assertThat(crossed(0.25, 0.35)).isGreaterThan(0.5);
            assertThat(crossed(0.5, 0.8)).isZero();
        } finally {
            api.recorded("history-rank-9").set("ranks", known);
        }
    }

    @Test
    void structuresAreSoughtFilteredSortedAndPaged() {
        browser.load("structures");
        assertThat(browser.text(".pages")).contains("1 to 50 of 1,000");
        browser.click(".pages a[aria-label='Next page']");
        browser.awaitText(".pages", "51 to 100");
        assertThat(browser.address()).endsWith("#structures?page=1");
        browser.click("thead a[href*='sort=-operationsPerSecond']");
        browser.await("document.querySelector('th[aria-sort=descending]')");
        assertThat(browser.address()).endsWith("#structures?sort=-operationsPerSecond");
        browser.click("thead a[href*='sort=-totalBytes']");
        browser.await("document.querySelector('th[aria-sort=descending]')");
        assertThat(browser.address()).endsWith("#structures?sort=-totalBytes");
        browser.awaitText("tbody tr", largest());
        browser.click("a[href*='kind=queue']");
        browser.awaitText(".pages", "of 100 ");
        browser.find("#q").sendKeys("jobs-01");
        browser.awaitText(".pages", "of 10 ");
        assertThat(browser.address()).contains("q=jobs-01", "kind=queue", "sort=-totalBytes");
        // The address is enough to see the same view again.
        String address = browser.address();
        browser.load(address.substring(address.indexOf('#') + 1));
        browser.awaitText(".pages", "of 10 ");
        assertThat(browser.find("#q").getDomProperty("value")).isEqualTo("jobs-01");
    }

    private static String largest() {
        List<JsonNode> structures = new ArrayList<>();
        api.structures().forEach(structures::add);
        return structures.stream()
                .max(Comparator.comparingLong(structure -> structure.get("totalBytes").asLong(0)))
                .orElseThrow()
                .get("name")
                .asString();
    }

    @Test
    void aStructureHasItsSettingsSharesAndEntries() {
        browser.load("structures/hits");
        assertThat(browser.text("#view")).contains("long-map", "65,536", "84 %", "4.1 MiB", "what rank 0 has of it");
        browser.await("document.querySelectorAll('.plot canvas').length === 2");
        browser.find("input[name=key]").sendKeys("7", Keys.ENTER);
        browser.awaitText(".lookup + [role=status]", "Order[customer=ada, totalCents=1200]");
        assertThat(browser.address()).contains("key=7");
    }

    @Test
    void entriesGoOnWhereAnAnswerEnded() {
        browser.load("structures/hits");
        assertThat(browser.text("#view")).contains("The first entries", "order-0").doesNotContain("From the beginning");
        browser.click("nav[aria-label='Pages of entries'] a");
        browser.awaitText("#view", "order-22");
        assertThat(browser.address()).contains("rank=3", "home=524288");
        assertThat(browser.text("#view")).contains("Entries from rank 3 on", "Here it ends",
                "2 ranks could not be read, and their entries are left out: rank 17, rank 55.")
                .doesNotContain("order-0");
        browser.click("nav[aria-label='Pages of entries'] a");
        browser.awaitText("#view", "The first entries");
    }

    @Test
    void whateverCharactersANameHasItIsSeenAndActedOn() {
        String name = api.strangeName();
        browser.load("structures");
        browser.find("#q").sendKeys(name);
        browser.awaitText(".pages", "1 to 1 of 1");
        browser.click("tbody a");
        browser.awaitText("h1", name);
        String address = browser.address();
        browser.load(address.substring(address.indexOf('#') + 1));
        browser.find("input[name=key]").sendKeys(name, Keys.ENTER);
        browser.awaitText(".lookup + [role=status]", "Order[customer=grace]");
        browser.click("#view p > a[href^='#locks/']");
        browser.awaitText("h1", name + " 1,024 locks");
        browser.click("tbody a");
        browser.awaitText("h1", "Lock 973 of " + name);
        browser.click(".actions button");
        browser.find("dialog input[name=typed]").sendKeys(name, Keys.ENTER);
        browser.awaitText("#outcome", "taken from payment-3");
        assertThat(api.posted().items()).last()
                .isEqualTo(
                        "actions/force-unlock {\"table\":\"a/b%2F;c\\\\d \u00e9\",\"index\":973,"
                                + "\"token\":\"9007199255553337\"}");
    }

    @Test
    void epochsNameWhoBlocksAndSayWhenMemoryEnds() {
        browser.load("epochs");
        assertThat(browser.text(".banner.critical")).contains("report-writer", "rank 9", "blocks the epoch");
        assertThat(browser.text(".banner.warning")).contains("rank 9", "full in 5 min 42 s");
        browser.await("document.querySelector('.plot canvas')");
        assertThat(browser.texts(".chart figcaption")).containsExactly(
                "Bytes that wait to be freed, by the rank in whose segment they lie"
                        + " as rank 0 has seen it, which began to look 4 min 5 s ago",
                "The same, by the rank that has retired them", "Advances of the epoch as ranks see it");
        assertThat(browser.count(".chart:first-child .legend li")).as("the largest owners, and the others together")
                .isEqualTo(8);
        assertThat(browser.text(".chart:first-child .legend")).contains("rank 9", "290 other ranks")
                .doesNotContain("last seen");
        assertThat((Boolean) browser
                .run("""
                        const { width, height } = document.querySelector('.plot canvas');
                        const points = document.querySelector('.plot canvas').getContext('2d').getImageData(0, 0, width, height).data;
                        const at = (x, y) => points[4 * (Math.round(y * height) * width + Math.round(x * width)) + 3];
                        return at(.3, .8) === 0 && at(.9, .8) === 255;"""))
                .as("nothing is drawn of the time before the node has looked")
                .isTrue();
        assertThat(browser.count("tbody tr")).isLessThan(100);
    }

    @Test
    void aLocksQueueIsDrawnAsBothCohorts() {
        browser.load("locks/accounts/973");
        assertThat(browser.text("h1")).contains("account-590");
        assertThat(browser.texts(".lane")).hasSize(2);
        assertThat(browser.texts(".lane").getFirst()).contains("victim", "payment-0");
        assertThat(browser.texts(".lane").getLast()).contains("holds", "payment-3", "rank 12", "7 times", "refund");
    }

    @Test
    void threadsThatWaitForEachOtherAreMarked() {
        browser.load("locks");
        assertThat(browser.text(".banner.critical")).contains("2 threads wait for each other", "transfer-1",
                "transfer-2");
        assertThat(browser.count(".graph text")).isEqualTo(8);
        browser.awaitText("#view", "payment-3");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            collectives | allReduce | nightly-report
            traffic | compare-and-exchange | 310.0
            traffic | Operations on structures | Verbs to other ranks
            structures/hits | operations, all ranks | entries
            connections | no answer for 2 s | unproved
            events | lock recovered | 312 objects wait
            """)
    void otherViewsShowTheirAnswers(String view, String one, String other) {
        browser.load(view);
        assertThat(browser.text("#view")).contains(one, other);
    }

    @Test
    void trafficIsShownByRankAndSoughtSortedAndPaged() {
        browser.load("traffic");
        assertThat(browser.text(".pages")).contains("1 to 50 of 289 ranks");
        assertThat(browser.text("#view tbody tr")).contains("rank 31", "node-03.cluster.example", "TCP", "150 k");
        browser.click("#view thead a[href*='sort=-p99Nanos']");
        browser.await("document.querySelector('th[aria-sort=descending]')");
        browser.awaitText("#view tbody tr", "rank 77");
        assertThat(browser.text("#view tbody tr")).contains("12.0 s");
        browser.click(".pages a[aria-label='Next page']");
        browser.awaitText(".pages", "51 to 100");
        browser.find("#q").sendKeys("node-07");
        browser.awaitText(".pages", "1 to 8 of 8 ranks");
        assertThat(browser.address()).endsWith("#traffic?sort=-p99Nanos&q=node-07");
        browser.click("#view tbody a");
        browser.await("location.hash.startsWith('#ranks/')");
    }

    @Test
    void collectivesTellWhoIsLateAndHowLongOthersTook() {
        browser.load("collectives");
        assertThat(browser.text("#view")).contains("rank 31 for 3.2 s", "rank 77 for 3.2 s");
        assertThat(browser.count(".histogram")).isEqualTo(2);
        assertThat((String) browser.run("return document.querySelector('.histogram').getAttribute('aria-label')"))
                .startsWith("12 up to 524.3 \u00b5s, 200 up to 1 ms");
        assertThat((Double) browser.run("""
                const bars = [...document.querySelectorAll('.histogram i')];
                return bars[1].getBoundingClientRect().height / bars[2].getBoundingClientRect().height"""))
                .as("a bar is as high as its share")
                .isBetween(1.5, 2.1);
    }

    @Test
    void eventsAreFilteredByKindAndRank() {
        browser.load("events?kind=lost");
        assertThat(browser.texts("tbody tr")).hasSize(1);
        browser.load("events?kind=lock-recovered&rank=5");
        assertThat(browser.texts("tbody tr")).hasSize(1);
        browser.load("events?kind=grown");
        assertThat(browser.texts("tbody tr")).hasSize(1);
        assertThat(browser.text(".choices a[aria-current]")).isEqualTo("grown");
        assertThat(browser.text("tbody tr")).contains("orders: from 65536 to 131072 buckets", "rank 4", "rank 12");
    }

    // --- in place ---

    @Test
    void anUpdateLeavesScrollingFocusAndSelectionAlone() {
        browser.resize(900, 700);
        browser.load("structures");
        browser.run("""
                window.row = document.querySelectorAll('tbody tr')[20];
                window.scrollTo(0, 400);
                document.querySelector('.scroll').scrollLeft = 15;
                row.querySelector('a').focus({ preventScroll: true });
                getSelection().selectAllChildren(row.querySelector('td'));
                """);
        String name = browser.text("tbody tr:nth-child(21) a");
        ObjectNode changed = (ObjectNode) api.structures()
                .valueStream()
                .filter(structure -> structure.get("name").asString().equals(name))
                .findFirst()
                .orElseThrow();
        changed.put("totalBytes", 7L << 40);
        browser.awaitText("tbody tr:nth-child(21)", "7.0 TiB");
        assertThat(browser
                .run("""
                        return [document.querySelectorAll('tbody tr')[20] === row, scrollY, document.querySelector('.scroll').scrollLeft,
                          document.activeElement === row.querySelector('a'), getSelection().toString()]
                        """))
                .isEqualTo(List.of(true, 400L, 15L, true, changed.get("kind").asString()));
    }

    @Test
    void backAndForwardShowWhatWasSeen() {
        browser.load("overview");
        browser.click("#views a[href='#locks']");
        browser.awaitText("h1", "Locks");
        browser.click("#views a[href='#events']");
        browser.awaitText("h1", "Events");
        browser.back();
        browser.awaitText("h1", "Locks");
        assertThat(browser.text("#views [aria-current]")).isEqualTo("Locks");
    }

    @Test
    void aNodeThatIsGoneIsToldAndFoundAgain() {
        browser.load("ranks");
        api.beSilent(true);
        browser.awaitText("#trouble", "502");
        browser.await("document.querySelector('#view.stale')");
        assertThat(browser.text("#pulse")).contains("No answer");
        assertThat(browser.count(".tile")).isEqualTo(300);
        api.beSilent(false);
        browser.await("!document.querySelector('#trouble p') && !document.querySelector('#view.stale')");
    }

    @Test
    void aPausedPageStaysAsItIs() {
        browser.load("overview");
        browser.click("#pause");
        browser.awaitText("#pulse", "Paused");
        String before = browser.text("h1");
        ObjectNode overview = api.recorded("overview");
        String sentence = overview.get("sentence").asString();
        try {
            overview.put("sentence", "Something else.");
            browser.click("#views a[href='#ranks']");
            browser.awaitText("h1", "Ranks");
            browser.click("#pause");
            browser.click("#views a[href='#overview']");
            browser.awaitText("h1", "Something else.");
            assertThat(before).contains(sentence);
        } finally {
            overview.put("sentence", sentence);
        }
    }

    // --- actions ---

    @Test
    void anActionIsAskedForByItsNameAndItsOutcomeIsSaid() {
        browser.load("structures/jobs");
        assertThat(browser.texts(".actions button")).containsExactly("Clear\u2026", "Resize\u2026", "Migrate\u2026");
        browser.click(".actions button:nth-child(2)");
        browser.await("document.querySelector('dialog').open");
        assertThat(browser.find("dialog .act").isEnabled()).isFalse();
        browser.find("dialog input[name=capacity]").sendKeys("2000");
        browser.find("dialog input[name=typed]").sendKeys("job");
        assertThat(browser.find("dialog .act").isEnabled()).isFalse();
        browser.press("s");
        assertThat(browser.barriers()).isEmpty();
        browser.press(Keys.ENTER);
        browser.awaitText("#outcome", "jobs is resized");
        assertThat(api.posted().items()).contains("actions/resize {\"name\":\"jobs\",\"capacity\":2000}");
    }

    @Test
    void aLockIsTakenWithTheTokenOfItsHolder() {
        browser.load("locks/accounts/973");
        browser.click(".actions button");
        browser.find("dialog input[name=typed]").sendKeys("accounts", Keys.ENTER);
        browser.awaitText("#outcome", "taken from payment-3");
        assertThat(api.posted().items())
                .contains("actions/force-unlock {\"table\":\"accounts\",\"index\":973,\"token\":\"9007199255553337\"}");
    }

    @Test
    void whoMayNotActSeesNoButton() {
        api.letAct(false);
        for (String address : List.of("structures/jobs", "locks/accounts/973", "epochs")) {
            browser.load(address);
            assertThat(browser.count(".actions button")).as(address).isZero();
        }
    }

    // --- for all readers ---

    @Test
    void theKeyboardIsEnough() {
        browser.load("overview");
        browser.run("document.body.focus()");
        browser.tabTo(".skip");
        browser.press(Keys.ENTER);
        browser.await("document.activeElement.id === 'view'");
        browser.load("overview");
        browser.tabTo("#views a[href='#ranks']");
        browser.press(Keys.ENTER);
        browser.awaitText("h1", "Ranks");
        browser.await("document.activeElement.id === 'view'");
        browser.tabTo(".tile[href='#ranks/17']");
        browser.press(Keys.ENTER);
        browser.awaitText("h1", "Rank");
        browser.load("ranks/9");
        browser.tabTo(".bar .part");
        browser.press(Keys.ARROW_RIGHT);
        browser.press(Keys.END);
        assertThat(browser.text(".memory .pointed")).startsWith("free:");
        browser.press(Keys.HOME);
        browser.press(Keys.ENTER);
        browser.await("location.hash === '#structures/hits'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"overview", "ranks", "ranks?as=table", "ranks/9", "structures", "structures/hits", "epochs",
        "locks", "locks/accounts/973", "collectives", "traffic", "connections", "events"})
    void nobodyIsKeptOutAndPicturesAreKept(String address) {
        String name = address.replaceAll("[/?=]", "-");
        browser.useDark(false);
        browser.load(address);
        assertThat(browser.barriers()).as("light").isEmpty();
        browser.photograph(name + "-light");
        browser.useDark(true);
        browser.await("matchMedia('(prefers-color-scheme: dark)').matches");
        assertThat(browser.barriers()).as("dark").isEmpty();
        browser.photograph(name + "-dark");
        browser.useDark(false);
        browser.resize(360, 740);
        browser.await("innerWidth === 360");
        browser.photograph(name + "-narrow");
        // Only tables may be wider, in their own containers.
        assertThat((Boolean) browser.run("return document.documentElement.scrollWidth <= 360")).as("narrow").isTrue();
        assertThat(browser.barriers()).as("narrow").isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"overview", "ranks", "ranks?as=table", "ranks/9", "structures", "structures/hits", "epochs",
        "locks", "locks/accounts/973", "collectives", "traffic", "connections", "events"})
    void aScreenReaderFindsLandmarksHeadingsNamesAndTables(String address) {
        browser.load(address);
        List<Spoken> spoken = browser.spoken();
        assertThat(spoken).extracting(Spoken::role).contains("banner", "main", "contentinfo", "alert", "status");
        assertThat(spoken).filteredOn(it -> it.role().equals("navigation")).extracting(Spoken::name).contains("Views");
        assertThat(spoken).filteredOn(it -> it.role().equals("heading") && "1".equals(it.properties().get("level")))
                .singleElement()
                .satisfies(heading -> assertThat(heading.name()).isNotBlank());
        assertThat(spoken).filteredOn(it -> CONTROLS_AND_PICTURES.contains(it.role()))
                .hasSizeGreaterThan(10)
                .allSatisfy(it -> assertThat(it.name()).as(it.toString()).isNotBlank());
        long tables = browser.count("table");
        assertThat(spoken).filteredOn(it -> it.role().equals("table"))
                .hasSize((int) tables)
                .allSatisfy(table -> assertThat(table.name()).isNotBlank());
        assertThat(browser.count("table:not(:has(th[scope=col]))")).isZero();
        assertThat(browser.count("tbody tr:not(:has(th[scope=row]))")).isZero();
        assertThat(spoken.stream().filter(it -> it.role().equals("columnheader")).count())
                .isGreaterThanOrEqualTo(2 * tables);
    }

    @Test
    void whoDoesNotSeeIsToldOfANewProblemWhateverElseIsWrong() {
        ArrayNode problems = (ArrayNode) api.recorded("overview").get("problems");
        String old = problems.get(0).get("title").asString();
        browser.load("overview");
        browser.awaitText("#news", old);
        assertThat(browser.spoken()).filteredOn(it -> it.role().equals("status"))
                .extracting(it -> it.properties().get("live"))
                .contains("polite");
        int critical = (int) problems.valueStream()
                .filter(it -> it.get("severity").asString().equals("critical"))
                .count();
        assertThat(critical).isGreaterThan(3);
        try {
            problems.insert(critical, ((ObjectNode) problems.get(0).deepCopy()).put("kind", "segment-full")
                    .put("rank", 250)
                    .put("title", "The segment of rank 250 is full to 99 %"));
            browser.awaitText("#news", "The segment of rank 250 is full to 99 %");
            assertThat(browser.text("#news")).doesNotContain(old);
        } finally {
            problems.remove(critical);
        }
    }

    @Test
    void framesOfLargeViewsAreMeasured() {
        for (String address : List.of("ranks", "structures", "overview", "epochs")) {
            browser.load(address);
            browser.run(
                    """
                            window.long = [];
                            window.frames_ = [];
                            new PerformanceObserver((list) => list.getEntries().forEach((it) => long.push(it.duration))).observe({ type: 'longtask' });
                            let last = performance.now();
                            const frame = (now) => { frames_.push(now - last); last = now; requestAnimationFrame(frame); };
                            requestAnimationFrame(frame);
                            """);
            // Waits for two updates.
            browser.run("window.looks = 0; new MutationObserver(() => window.looks++)"
                    + ".observe(document.querySelector('#looked'), { childList: true, characterData: true, subtree: "
                    + "true })");
            browser.await("window.looks >= 2");
            System.out.println(address + ": " + browser
                    .run("""
                            const sorted = [...frames_].sort((one, other) => one - other);
                            const at = (share) => Math.round(sorted[Math.floor(share * (sorted.length - 1))]);
                            return `${sorted.length} frames, half within ${at(.5)} ms, 99 % within ${at(.99)} ms, longest ${at(1)} ms; `
                              + `${long.length} tasks of more than 50 ms, longest ${Math.round(Math.max(0, ...long))} ms`"""));
        }
    }
}
