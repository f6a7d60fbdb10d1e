package io.atoll.admin.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.WorldBuilder;
import io.atoll.admin.Console;
import io.atoll.epoch.Pin;
import io.atoll.epoch.Token;
import io.atoll.fabric.tcp.Tcp;
import io.atoll.fabric.trace.VerbCounts;
import io.atoll.history.Series;
import io.atoll.lock.Acquisition;
import io.atoll.map.LongLongMap;
import io.atoll.spring.state.CollectivesState;
import io.atoll.spring.state.ConnectionsState;
import io.atoll.spring.state.ConnectionsState.ReachedRank;
import io.atoll.spring.state.EpochState;
import io.atoll.spring.state.EpochSummary;
import io.atoll.spring.state.FabricState;
import io.atoll.spring.state.HistoryState;
import io.atoll.spring.state.LockTableState;
import io.atoll.spring.state.PeerState;
import io.atoll.spring.state.RankState;
import io.atoll.spring.state.SegmentState;
import io.atoll.spring.state.StructureDetails;
import io.atoll.spring.state.StructureState;
import io.atoll.spring.state.TrafficState;
import io.atoll.spring.state.VerbLatencies;
import io.atoll.spring.state.ViewState;
import io.atoll.spring.state.WorldState;
import io.atoll.spring.state.overview.Overview;
import io.atoll.spring.state.overview.Problem;
import io.atoll.spring.state.overview.Severity;
import io.atoll.world.Peers.PeerStatus;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.test.web.servlet.client.RestTestClient;

@Tag("slow")
class ApiTest {

    private static final int SEGMENT_BYTES = 4 << 20;

    @TempDir
    Path folder;

    private World world;
    private Console console;
    private RestTestClient client;

    @BeforeEach
    void startRankZero() {
        world = open(0);
        console = Console.start(world);
        client = console.client();
    }

    @AfterEach
    void stop() {
        console.close();
        world.close();
    }

    private World open(int rank) {
        return World.named("shop")
                .size(2)
                .rank(rank)
                .segment(SEGMENT_BYTES)
                .fabric(Fabrics.sharedMemory(folder, false))
                .joinTimeout(Duration.ofSeconds(20))
                .open();
    }

    private <T> T read(Class<T> type, String path) {
        return client.get()
                .uri(path)
                .exchange()
                .expectStatus()
                .isOk()
                .expectBody(type)
                .returnResult()
                .getResponseBody();
    }

    private <T> Paged<T> readPage(ParameterizedTypeReference<Paged<T>> type, String path) {
        return client.get()
                .uri(path)
                .exchange()
                .expectStatus()
                .isOk()
                .expectBody(type)
                .returnResult()
                .getResponseBody();
    }

    private Paged<SegmentState> segments(String query) {
        return readPage(new ParameterizedTypeReference<>() {}, "/atoll/api/segments" + query);
    }

    private Paged<StructureState> structures(String query) {
        return readPage(new ParameterizedTypeReference<>() {}, "/atoll/api/structures" + query);
    }

    private ProblemDetail problem(HttpMethod method, String path, int status) {
        return client.method(method)
                .uri(path)
                .exchange()
                .expectStatus()
                .isEqualTo(status)
                .expectHeader()
                .contentType(MediaType.APPLICATION_PROBLEM_JSON)
                .expectBody(ProblemDetail.class)
                .returnResult()
                .getResponseBody();
    }

    @Test
    void aWorldThatIsNotWholeAnswersAtOnceAndSaysWhoIsMissing() {
        long startNanos = System.nanoTime();
        assertThat(read(WorldState.class, "/atoll/api/world")).isEqualTo(new WorldState("shop", 2, 0, 1, false, 1,
                List.of(1), List.of(), 0, 0, 0, List.of(), null, null, 0));
        assertThat(segments("").items()).extracting(SegmentState::standing)
                .containsExactly(PeerStatus.JOINED, PeerStatus.MISSING);
        assertThat(segments("").items().getLast().usage()).isNull();
        assertThat(structures("").items()).isEmpty();
        assertThat(Duration.ofNanos(System.nanoTime() - startNanos)).isLessThan(Duration.ofSeconds(10));
    }

    @Test
    void ofARankThatLeavesTheLossIsShownWhileTheOtherSegmentStaysVisible() {
        try (World other = open(1)) {
            other.longMap("hits").fixedCapacity(1000).open().put(7, 1);
            await().until(() -> read(WorldState.class, "/atoll/api/world").whole());
        }
        await().untilAsserted(
                () -> assertThat(read(WorldState.class, "/atoll/api/world").lost()).containsExactly(1));
        SegmentState lost = read(SegmentState.class, "/atoll/api/segments/1");
        assertThat(lost.standing()).isEqualTo(PeerStatus.LOST);
        assertThat(lost.incarnation()).isOne();
        assertThat(lost.usage()).isNull();
        assertThat(lost.blocks()).isEmpty();
        await().untilAsserted(
                () -> assertThat(read(SegmentState.class, "/atoll/api/segments/0").blocks()).hasSize(1));
    }

    @Test
    void entriesNameTheRankThatCannotBeReadAndShowThoseOfTheOthers() {
        World other = open(1);
        try (Console shown = Console.startLocal(world, "--atoll.admin.entries=true",
                "--atoll.long-maps.hits.capacity=1000")) {
            LongLongMap hits = other.longMap("hits").capacity(1000).open();
            for (long key = 0; key < 200; key++) {
                hits.put(key, key);
            }
            client = shown.client();
            String path = "/atoll/api/entries?structure=hits&rank=1&home=0";
            await().untilAsserted(() -> {
                SomeEntries all = read(SomeEntries.class, path);
                assertThat(all.unread()).isEmpty();
                assertThat(all.items()).isNotEmpty();
            });
            other.close();
            await().untilAsserted(() -> {
                SomeEntries rest = read(SomeEntries.class, path);
                assertThat(rest.unread()).containsExactly(1);
                assertThat(rest.items()).isEmpty();
            });
        } finally {
            other.close();
        }
    }

    @Test
    void aSegmentShowsWhatItHoldsAtEveryRank() {
        try (World other = open(1)) {
            other.longMap("hits").fixedCapacity(1000).open();
            await().untilAsserted(() -> assertThat(segments("").items()).hasSize(2).allSatisfy(segment -> {
                assertThat(segment.standing()).isEqualTo(PeerStatus.JOINED);
                assertThat(segment.bytes()).isEqualTo(SEGMENT_BYTES);
                SegmentState.Usage usage = segment.usage();
                assertThat(usage).isNotNull();
                assertThat(usage.totalBytes()).isEqualTo(usage.freeBytes() + usage.pendingBytes() + usage.ownedBytes()
                        + usage.objectSlabBytes());
                assertThat(segment.blocks()).singleElement().satisfies(block -> {
                    assertThat(block.structure()).isEqualTo("hits");
                    assertThat(block.bytes()).isBetween(1L, usage.ownedBytes());
                    assertThat(block.offset() + block.bytes()).isLessThanOrEqualTo(SEGMENT_BYTES);
                });
            }));
        }
    }

    @Test
    void aTableOfLocksShowsWhoHoldsWhat() throws Exception {
        try (World _ = open(1); Acquisition held = world.lockTable("accounts").locks(10).open().lockAt(7)) {
            await().untilAsserted(
                    () -> assertThat(read(LockTableState.class, "/atoll/api/lock-table?name=accounts").busy())
                            .extracting(LockTableState.HeldLock::index)
                            .containsExactly(7L));
            LockTableState.HeldLock seen = read(LockTableState.HeldLock.class,
                    "/atoll/api/lock?table=accounts&index=7");
            assertThat(seen.holders()).extracting(LockTableState.LockUser::thread)
                    .allMatch(Thread.currentThread().getName()::startsWith)
                    .hasSize(1);
            assertThat(seen.localAcquisitions() + seen.remoteAcquisitions()).isOne();
            assertThat(seen.index()).isEqualTo(held.index());
            Paged<LockTableState> tables = readPage(new ParameterizedTypeReference<>() {}, "/atoll/api/locks");
            assertThat(tables.items()).extracting(LockTableState::locks).containsExactly(10L);
        }
        assertThat(problem(HttpMethod.GET, "/atoll/api/lock?table=accounts&index=10", 404).getDetail())
                .endsWith("index=10");
        assertThat(problem(HttpMethod.GET, "/atoll/api/lock-table?name=none", 404).getDetail()).endsWith("name=none");
    }

    @Test
    void structuresAreListedByNameInPages() {
        try (World other = open(1)) {
            other.longMap("hits").fixedCapacity(1000).open();
            other.map("orders", Long.class, Long.class).capacity(1000).open();
            other.filter("seen", String.class).expectedElements(1000).open();
            await().untilAsserted(() -> assertThat(structures("").items()).extracting(StructureState::name)
                    .containsExactly("epochs", "hits", "orders", "seen"));
        }
        Paged<StructureState> second = structures("?page=1&size=2");
        assertThat(second.total()).isEqualTo(4);
        assertThat(second.items()).extracting(StructureState::name).containsExactly("orders", "seen");
        assertThat(structures("?page=2000000000&size=100").items()).isEmpty();
        StructureDetails seen = read(StructureDetails.class, "/atoll/api/structure?name=seen");
        assertThat(seen.bytes()).isEqualTo(second.items().getLast().bytes());
        assertThat(seen.settings()).containsEntry("expected elements", "1000");
        assertThat(seen.ranks()).extracting(StructureDetails.RankBytes::rank).containsExactly(0, 1);
        assertThat(seen.totalBytes()).isEqualTo(2 * seen.bytes());
        assertThat(seen.skew()).isEqualTo(1);
        assertThat(structures("?q=ORD").items()).extracting(StructureState::name).containsExactly("orders");
        assertThat(structures("?kind=long-map").items()).extracting(StructureState::name).containsExactly("hits");
        assertThat(structures("?sort=-operationsPerSecond").items()).as("no rank of this world keeps a history")
                .allSatisfy(structure -> assertThat(structure.operationsPerSecond()).isNull());
        assertThat(structures("?sort=-name&size=1").items()).extracting(StructureState::name).containsExactly("seen");
        assertThat(structures("?sort=-load").items()).hasSize(4);
        assertThat(problem(HttpMethod.GET, "/atoll/api/structures?sort=colour", 400).getDetail())
                .startsWith("this list is sorted by")
                .endsWith("sort=colour");
        assertThat(client.get()
                .uri("/atoll/api/structures?kind=map")
                .exchange()
                .expectBody(String.class)
                .returnResult()
                .getResponseBody()).contains("\"total\":1", "\"long-map\":1");
        assertThat(seen.kind()).isEqualTo("bloom-filter");
        assertThat(seen.configuration()).contains("expected-elements=1000");
    }

    @Test
    void ranksAreListedLostOnesFirstAndCanBeFilteredAndSorted() {
        try (World _ = open(1)) {
            await().until(() -> read(WorldState.class, "/atoll/api/world").whole());
            assertThat(ranks("").items()).extracting(RankState::rank).containsExactly(0, 1);
            assertThat(ranks("?sort=-rank").items()).extracting(RankState::rank).containsExactly(1, 0);
            assertThat(ranks("").items()).allSatisfy(rank -> assertThat(rank.usage()).isNotNull());
        }
        await().untilAsserted(() -> assertThat(ranks("").items()).extracting(RankState::standing)
                .containsExactly(PeerStatus.LOST, PeerStatus.JOINED));
        assertThat(ranks("?standing=LOST").items()).singleElement().satisfies(lost -> {
            assertThat(lost.rank()).isOne();
            assertThat(lost.usage()).isNotNull();
            assertThat(lost.lastSeenMillis()).isNotNegative();
            assertThat(lost.lostMillis()).isNotNegative();
        });
        assertThat(ranks("?q=rank 1").items()).extracting(RankState::rank).containsExactly(1);
        problem(HttpMethod.GET, "/atoll/api/ranks?standing=LATE", 400);
    }

    private Paged<RankState> ranks(String query) {
        return readPage(new ParameterizedTypeReference<>() {}, "/atoll/api/ranks" + query);
    }

    @Test
    void theOverviewNamesWhatIsWrong() {
        await().untilAsserted(() -> {
            Overview overview = read(Overview.class, "/atoll/api/overview");
            assertThat(overview.severity()).isEqualTo(Severity.WARNING);
            assertThat(overview.problems()).singleElement().satisfies(problem -> {
                assertThat(problem.kind()).isEqualTo(Problem.Kind.RANK_MISSING);
                assertThat(problem.rank()).isOne();
            });
            assertThat(overview.sentence())
                    .isEqualTo("1 of 2 ranks have joined; 1 warning: Rank 1 has not joined yet.");
            assertThat(overview.sparklines()).containsOnlyKeys("remote-verbs", "operations", "memory-percent",
                    "limbo-bytes");
            assertThat(overview.sparklines().values()).allSatisfy(line -> assertThat(line).hasSize(60));
        });
        try (World _ = open(1)) {
            await().untilAsserted(() -> {
                Overview overview = read(Overview.class, "/atoll/api/overview");
                assertThat(overview.severity()).isEqualTo(Severity.GOOD);
                assertThat(overview.sentence()).isEqualTo("All is well: 2 of 2 ranks have joined.");
            });
        }
    }

    @Test
    void whoHasTheAnswerAlreadyIsToldThatItIsTheSame() {
        String tag = client.get()
                .uri("/atoll/api/fabric")
                .exchange()
                .expectStatus()
                .isOk()
                .returnResult(String.class)
                .getResponseHeaders()
                .getETag();
        assertThat(tag).startsWith("W/\"");
        client.get()
                .uri("/atoll/api/fabric")
                .header(HttpHeaders.IF_NONE_MATCH, tag)
                .exchange()
                .expectStatus()
                .isNotModified()
                .expectHeader()
                .valueEquals(HttpHeaders.CACHE_CONTROL, "no-store")
                .expectBody()
                .isEmpty();
        client.get()
                .uri("/atoll/api/world")
                .header(HttpHeaders.IF_NONE_MATCH, tag)
                .exchange()
                .expectStatus()
                .isOk();
    }

    @Test
    void browsersRunNothingThatIsNotAFileOfThePage() {
        String policy = client.get()
                .uri("/atoll/api/overview")
                .exchange()
                .returnResult(String.class)
                .getResponseHeaders()
                .getFirst("Content-Security-Policy");
        assertThat(policy).contains("default-src 'self'", "frame-ancestors 'none'").doesNotContain("unsafe");
    }

    @Test
    void epochsCanBeSummedUpByRank() {
        try (World other = open(1); Token token = world.epochs().register()) {
            await().until(() -> read(WorldState.class, "/atoll/api/world").whole());
            token.pin();
            token.retire(other.participant().heap().allocatePointer(1, 64).toWord(), 64);
            token.tryReclaim();
            await().untilAsserted(() -> {
                EpochSummary summary = read(EpochSummary.class, "/atoll/api/epochs?summary=true");
                assertThat(summary.ranks()).hasSize(2);
                assertThat(summary.ranks().getFirst().limboObjects()).isOne();
                assertThat(summary.ranks().getLast().ownedLimbo()).isEqualTo(new EpochSummary.OwnedLimbo(1, 64));
                assertThat(summary.pinned()).extracting(EpochState.PinnedToken::rank).containsExactly(0);
            });
            token.unpin();
        }
    }

    @Test
    void whatWaitsToBeFreedIsShownOverTimeByTheRankInWhoseSegmentItLies() {
        try (World other = open(1); Token token = world.epochs().register()) {
            await().until(() -> read(WorldState.class, "/atoll/api/world").whole());
            token.pin();
            token.retire(other.participant().heap().allocatePointer(1, 64).toWord(), 64);
            token.tryReclaim();
            String path = "/atoll/api/history?series=owned-limbo-bytes&seconds=60&points=60";
            await().untilAsserted(() -> {
                // The console looks at the epochs only while a reader asks for them.
                read(EpochState.class, "/atoll/api/epochs");
                HistoryState past = read(HistoryState.class, path);
                assertThat(past.series()).extracting(HistoryState.SeriesState::key, HistoryState.SeriesState::unit)
                        .containsExactly(tuple("owned-limbo-bytes", "bytes"));
                assertThat(past.series().getFirst().seenForMillis()).isNotNegative();
                assertThat(past.ranks()).singleElement().satisfies(owner -> {
                    assertThat(owner.rank()).isOne();
                    assertThat(owner.origin()).isEqualTo(HistoryState.Origin.WATCHED);
                    assertThat(owner.values().get("owned-limbo-bytes")).hasSize(60)
                            .startsWith((Double) null)
                            .contains(64.0);
                });
            });
            assertThat(read(HistoryState.class, path + "&rank=0").ranks()).isEmpty();
            HistoryState all = read(HistoryState.class, "/atoll/api/history?seconds=60&points=60");
            assertThat(all.series()).hasSize(Series.values().length + 1)
                    .last()
                    .extracting(HistoryState.SeriesState::key)
                    .isEqualTo("owned-limbo-bytes");
            assertThat(all.ranks().getFirst().values().get("limbo-bytes")).as("no rank of this world keeps a history")
                    .hasSize(60)
                    .containsOnlyNulls();
            token.unpin();
        }
    }

    @Test
    void aCallerThatComesAgainReadsOnlyThePointsThatAreNewer() {
        try (World past = World.named("past").segment(SEGMENT_BYTES).history(true).open();
                Console itsConsole = Console.startLocal(past)) {
            client = itsConsole.client();
            String path = "/atoll/api/history?seconds=60&points=60&from=";
            await().untilAsserted(() -> assertThat(read(HistoryState.class, path + "0").ranks()).isNotEmpty());
            HistoryState first = read(HistoryState.class, path + "0");
            await().untilAsserted(() -> assertThat(read(HistoryState.class, path + first.untilMillis()).untilMillis())
                    .isGreaterThan(first.untilMillis()));
            HistoryState newer = read(HistoryState.class, path + first.untilMillis());
            int points = (int) ((newer.untilMillis() - first.untilMillis()) / newer.intervalMillis());
            assertThat(points(first)).containsOnly(60);
            assertThat(points(newer)).containsOnly(points);
        }
    }

    private static Stream<Integer> points(HistoryState history) {
        return history.ranks().stream().flatMap(rank -> rank.values().values().stream()).map(List::size);
    }

    @Test
    void aTimeThatTheNodesClockHasNotShownIsRefused() {
        assertThat(problem(HttpMethod.GET, "/atoll/api/history?from=-1", 422).getDetail()).endsWith("from=-1");
        long tomorrow = System.currentTimeMillis() + Duration.ofDays(1).toMillis();
        assertThat(problem(HttpMethod.GET, "/atoll/api/history?from=" + tomorrow, 422).getDetail())
                .contains("untilMillis")
                .endsWith("from=" + tomorrow);
        assertThat(problem(HttpMethod.GET, "/atoll/api/history?from=now", 400).getDetail()).endsWith("from=now");
    }

    @ParameterizedTest
    @CsvSource({"history?series=none, series=none", "history?seconds=601, seconds=601",
        "history?seconds=10&points=11, points=11", "events?size=1001, size=1001"})
    void whatNoHistoryHasIsRefused(String path, String named) {
        assertThat(problem(HttpMethod.GET, "/atoll/api/" + path, 400).getDetail()).endsWith(named);
    }

    @Test
    void whatGoesOverTheFabricIsNotCountedWhereNobodyKeepsMeters() {
        TrafficState traffic = read(TrafficState.class, "/atoll/api/traffic");
        assertThat(traffic.counted()).isFalse();
        assertThat(traffic.verbs()).isEmpty();
        assertThat(peers("").items()).isEmpty();
    }

    @Test
    void whatGoesOverTheFabricIsShownByTheRankThatItGoesTo(@TempDir Path elsewhere) {
        Tcp tcp = new Tcp(Fabrics.sharedMemory(elsewhere, false)).withoutSharedMemory().lanes(1);
        VerbCounts counts = new VerbCounts();
        VerbLatencies latencies = new VerbLatencies();
        counts.sampleTo(latencies);
        try (World one = ofThree(tcp, 0).verbCounts(counts).open();
                Console itsConsole = Console.startCounting(one, counts, latencies);
                World _ = ofThree(tcp, 1).open();
                World _ = ofThree(tcp, 2).open()) {
            client = itsConsole.client();
            LongLongMap hits = one.longMap("hits").fixedCapacity(1000).open();
            for (long key = 0; key < 100; key++) {
                hits.addAndGet(key, 1);
            }
            PeerState before = peers("?q=rank 2").items().getFirst();
            for (int read = 0; read < 2 * VerbCounts.SAMPLE_INTERVAL; read++) {
                one.participant().endpoint().readWord(2, 0);
            }
            Paged<PeerState> all = peers("");
            assertThat(all.total()).isEqualTo(2);
            assertThat(all.items()).as("most first").extracting(PeerState::rank).containsExactly(2, 1);
            assertThat(all.items()).allSatisfy(peer -> {
                assertThat(peer.way()).isEqualTo("tcp");
                assertThat(peer.verbs()).isEqualTo(peer.reads() + peer.writes() + peer.atomics());
                assertThat(peer.atomics()).isPositive();
            });
            PeerState most = all.items().getFirst();
            assertThat(most.reads() - before.reads()).isGreaterThanOrEqualTo(2 * VerbCounts.SAMPLE_INTERVAL);
            assertThat(most.readBytes() - before.readBytes())
                    .isGreaterThanOrEqualTo(2L * VerbCounts.SAMPLE_INTERVAL * Long.BYTES);
            assertThat(most.sampled()).isGreaterThanOrEqualTo(2);
            assertThat(most.p50Nanos()).isPositive().isLessThanOrEqualTo(most.p99Nanos());
            assertThat(peers("?sort=rank").items()).extracting(PeerState::rank).containsExactly(1, 2);
            assertThat(peers("?sort=-readBytes&size=1&page=1").items()).extracting(PeerState::rank).containsExactly(1);
            assertThat(peers("?q=RANK 1").items()).extracting(PeerState::rank).containsExactly(1);
            assertThat(peers("?q=shared").items()).isEmpty();
            assertThat(problem(HttpMethod.GET, "/atoll/api/traffic/peers?sort=colour", 400).getDetail())
                    .startsWith("this list is sorted by")
                    .endsWith("sort=colour");
        }
    }

    private Paged<PeerState> peers(String query) {
        return readPage(new ParameterizedTypeReference<>() {}, "/atoll/api/traffic/peers" + query);
    }

    private static WorldBuilder ofThree(Tcp tcp, int rank) {
        return World.named("farther").size(3).rank(rank).segment(SEGMENT_BYTES).fabric(tcp);
    }

    @Test
    void whereRanksShareMemoryNoViewsDecideWhoIsDead() {
        assertThat(read(ViewState.class, "/atoll/api/view"))
                .isEqualTo(new ViewState(false, 0, List.of(), List.of(), 0, List.of(), Map.of(), null));
    }

    @Test
    void collectivesAreShownWhileTheyRunAndWhenTheyAreOver() throws InterruptedException {
        assertThat(read(CollectivesState.class, "/atoll/api/collectives"))
                .isEqualTo(new CollectivesState(List.of(), List.of()));
        try (World other = open(1)) {
            Thread waiting = Thread.ofPlatform().name("waits for the other").start(() -> {
                try {
                    world.collectives().exchange("sums").open().allReduce(new long[]{1, 2}, Long::sum);
                } catch (InterruptedException interrupted) {
                    throw new IllegalStateException(interrupted);
                }
            });
            await().untilAsserted(() -> assertThat(read(CollectivesState.class, "/atoll/api/collectives").running())
                    .singleElement()
                    .satisfies(running -> {
                        assertThat(running.operation()).isEqualTo("allReduce");
                        assertThat(running.members()).isEqualTo(2);
                        assertThat(running.bytes()).isEqualTo(16);
                        assertThat(running.thread()).isEqualTo("waits for the other");
                        assertThat(running.late()).extracting(CollectivesState.LateRank::rank).containsExactly(1);
                        assertThat(running.late().getFirst().sinceMillis()).isPositive();
                    }));
            other.collectives().exchange("sums").open().allReduce(new long[]{1, 2}, Long::sum);
            waiting.join();
            CollectivesState over = read(CollectivesState.class, "/atoll/api/collectives");
            assertThat(over.running()).isEmpty();
            assertThat(over.kinds()).singleElement().satisfies(kind -> {
                assertThat(kind.name()).isEqualTo("sums");
                assertThat(kind.finished()).isEqualTo(1);
                assertThat(kind.failed()).isZero();
                assertThat(kind.meanNanos()).isPositive().isEqualTo(kind.longestNanos());
                assertThat(kind.histogram()).singleElement().satisfies(range -> {
                    assertThat(range.count()).isEqualTo(1);
                    assertThat(range.upToNanos()).isBetween(kind.longestNanos(), 2 * kind.longestNanos());
                });
            });
        }
    }

    @Test
    void theTokenThatTheEpochWaitsForIsMarked() {
        assertThat(read(EpochState.class, "/atoll/api/epochs"))
                .isEqualTo(new EpochState(List.of(), false, 0, List.of()));
        try (World other = open(1); Token reader = other.epochs().register(); Token token = world.epochs().register()) {
            reader.pin();
            try (Pin _ = token.pin()) {
                token.retire(world.participant().heap().allocatePointer(1, 64).toWord(), 64);
            }
            token.tryReclaim();
            String name = Thread.currentThread().getName();
            await().untilAsserted(() -> {
                EpochState state = read(EpochState.class, "/atoll/api/epochs");
                assertThat(state.epoch()).isOne();
                assertThat(state.ranks()).hasSize(2);
                assertThat(state.ranks().getFirst().limbo()).containsExactly(
                        new EpochState.LimboList(0, 1, 64, List.of(new EpochState.OwnedObjects(1, 1, 64))));
                assertThat(state.ranks().getLast().tokens()).singleElement().satisfies(pinned -> {
                    assertThat(pinned.thread()).isEqualTo(name);
                    assertThat(pinned.blocks()).isTrue();
                    assertThat(pinned.ageMillis()).isPositive();
                });
            });
            reader.unpin();
        }
    }

    @Test
    void ranksOfOneHostReachEachOtherWithoutConnections() {
        assertThat(read(ConnectionsState.class, "/atoll/api/connections").ranks()).extracting(ReachedRank::way)
                .containsExactly("own-memory", null);
        try (World _ = open(1)) {
            await().untilAsserted(() -> {
                ConnectionsState state = read(ConnectionsState.class, "/atoll/api/connections");
                assertThat(state.ranks()).extracting(ReachedRank::rank).containsExactly(0, 1);
                assertThat(state.ranks()).extracting(ReachedRank::way).containsExactly("own-memory", "shared-memory");
                assertThat(state.ranks()).extracting(ReachedRank::usable).containsOnly(0);
                assertThat(state.refused()).isEmpty();
            });
        }
    }

    @Test
    void connectionsAreShownWithWhomTheyReachAndWhomThisRankHasRefused(@TempDir Path elsewhere) {
        Tcp tcp = new Tcp(Fabrics.sharedMemory(elsewhere, false)).withoutSharedMemory().lanes(1);
        try (World one = overTcp(tcp, 0); Console itsConsole = Console.start(one); World other = overTcp(tcp, 1)) {
            client = itsConsole.client();
            LongLongMap hits = one.longMap("hits").fixedCapacity(1000).open();
            for (long key = 0; key < 100; key++) {
                hits.addAndGet(key, 1);
            }
            await().untilAsserted(() -> {
                ConnectionsState state = read(ConnectionsState.class, "/atoll/api/connections");
                assertThat(state.ranks()).extracting(ReachedRank::way).containsExactly("own-memory", "tcp");
                assertThat(state.ranks().getFirst().usable()).isZero();
                ReachedRank reached = state.ranks().getLast();
                assertThat(reached.usable()).isOne();
                assertThat(reached.broken()).isEmpty();
                assertThat(reached.roundTripNanos()).isPositive();
                assertThat(reached.silentMillis()).isNull();
                assertThat(state.refused()).containsEntry("unproved", 0L);
            });
            assertThat(other.rank()).isOne();
        }
    }

    private static World overTcp(Tcp tcp, int rank) {
        return World.named("far").size(2).rank(rank).segment(SEGMENT_BYTES).fabric(tcp).open();
    }

    @Test
    void theFabricSaysWhatItPromises() {
        var promised = world.inspection().guarantees();
        assertThat(read(FabricState.class, "/atoll/api/fabric")).isEqualTo(new FabricState("shared-memory",
                promised.atomicDomain(), promised.atomicReadBytes(), promised.readsInOrder(), promised.fetchOr()));
    }

    @ParameterizedTest
    @CsvSource({"/atoll/api/segments/2, rank=2", "/atoll/api/segments/-1, rank=-1",
        "/atoll/api/structure?name=nobody, name=nobody", "/atoll/api/structure/figures?name=nobody, name=nobody",
        "/atoll/api/segment, path=/atoll/api/segment"})
    void whatIsNotThereIsAProblemThatNamesIt(String path, String named) {
        assertThat(problem(HttpMethod.GET, path, 404).getDetail()).endsWith(named);
    }

    @ParameterizedTest
    @CsvSource({"segments?size=99999999999999, a page has 1 to 100 items: size=99999999999999",
        "segments?size=x, a page has 1 to 100 items: size=x",
        "structures?page=99999999999999, a whole number from 0 to 2147483647: page=99999999999999",
        "segments/first, a whole number from 0 to 2147483647: rank=first",
        "ranks?standing=gone, one of MISSING JOINED LOST: standing=gone",
        "epochs?summary=perhaps, true or false: summary=perhaps",
        "lock?table=accounts&index=last, a whole number from 0 to 9223372036854775807: index=last"})
    void whatIsNoNumberThereIsToldWhatWouldBe(String path, String detail) {
        assertThat(problem(HttpMethod.GET, "/atoll/api/" + path, 400).getDetail()).isEqualTo(detail);
    }

    @ParameterizedTest
    @CsvSource({"?page=-1, page=-1", "?size=0, size=0", "?size=101, size=101"})
    void pagesOutOfBoundsAreRefused(String query, String named) {
        assertThat(problem(HttpMethod.GET, "/atoll/api/segments" + query, 400).getDetail()).endsWith(named);
        assertThat(problem(HttpMethod.GET, "/atoll/api/structures" + query, 400).getDetail()).endsWith(named);
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PUT", "PATCH", "DELETE"})
    void nothingButReadingIsAllowed(String method) {
        for (String path : List.of("world", "fabric", "connections", "segments", "segments/0", "structures",
                "structure", "actions")) {
            problem(HttpMethod.valueOf(method), "/atoll/api/" + path, 405);
        }
    }
}
