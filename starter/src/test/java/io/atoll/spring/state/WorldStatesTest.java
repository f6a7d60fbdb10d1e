package io.atoll.spring.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.awaitility.Awaitility.await;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.epoch.LocalEpochManager;
import io.atoll.epoch.Pin;
import io.atoll.epoch.Token;
import io.atoll.fabric.Guarantees.AtomicDomain;
import io.atoll.fabric.trace.Journal;
import io.atoll.filter.LongBloomFilter;
import io.atoll.linked.LinkedQueue;
import io.atoll.linked.LinkedStack;
import io.atoll.map.DistributedMap;
import io.atoll.map.LongLongMap;
import io.atoll.queue.CircularQueue;
import io.atoll.queue.FastQueue;
import io.atoll.spring.state.EpochState.PinnedToken;
import io.atoll.spring.state.EpochState.RankEpoch;
import io.atoll.spring.state.SegmentState.Block;
import io.atoll.world.Peers.PeerStatus;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class WorldStatesTest {

    private static final Duration SOON = Duration.ofSeconds(10);
    private static final long SEGMENT_BYTES = 16 << 20;

    @TempDir
    Path folder;

    private final List<World> worlds = new ArrayList<>();

    @AfterEach
    void leave() {
        worlds.forEach(World::close);
    }

    /**
     * Makes the samples the same each time. With another seed a sample may hit a key that is alone, and take it for
     * many.
     */
    private static final long KEY_SEED = 2;

    private World open(int rank) {
        World world = World.named("shop")
                .size(3)
                .rank(rank)
                .segment(SEGMENT_BYTES)
                .keySeed(KEY_SEED)
                .fabric(Fabrics.sharedMemory(folder, false))
                .open();
        worlds.add(world);
        return world;
    }

    private static void awaitJoined(WorldStates worldStates, int ranks) {
        await().atMost(SOON).until(() -> worldStates.world().joined() == ranks);
    }

    @Test
    void managersOfThisProcessAloneAreShownByTheirNames() {
        var local = new LocalEpochManager(2, (pointers, count) -> {});
        WorldStates worldStates = new WorldStates(open(1), () -> Map.of("nodes", local), Optional::empty);
        try (Token token = local.register()) {
            token.pin();
            EpochState state = worldStates.epochs();
            assertThat(state.used()).isFalse();
            assertThat(state.local()).singleElement().satisfies(manager -> {
                assertThat(manager.name()).isEqualTo("nodes");
                assertThat(manager.tokens()).singleElement()
                        .extracting(EpochState.PinnedToken::thread)
                        .isEqualTo(Thread.currentThread().getName());
            });
            token.unpin();
        }
    }

    @Test
    void aRankAloneSeesItselfAndWhomItMisses() {
        WorldStates worldStates = new WorldStates(open(1));
        assertThat(worldStates.world()).isEqualTo(new WorldState("shop", 3, 1, 1, false, 1, List.of(0, 2), List.of(), 0,
                0, 0, List.of(), null, null, 0));
        AtollState all = worldStates.all();
        assertThat(all.segments()).extracting(SegmentState::standing)
                .containsExactly(PeerStatus.MISSING, PeerStatus.JOINED, PeerStatus.MISSING);
        assertThat(all.segments()).extracting(SegmentState::incarnation).containsExactly(0, 1, 0);
        assertThat(all.segments().get(0).usage()).isNull();
        assertThat(all.segments().get(1).usage()).isNotNull();
        assertThat(all.structures()).isEmpty();
    }

    @Test
    void everyRankSeesTheSegmentsAndStructuresOfAll() {
        World first = open(0);
        WorldStates second = new WorldStates(open(1));
        open(2);
        first.longMap("hits").capacity(100).open();
        first.filter("seen", String.class).expectedElements(1000).open();
        awaitJoined(second, 3);
        AtollState all = second.all();
        assertThat(all.world().whole()).isTrue();
        assertThat(all.structures()).extracting(StructureState::name).containsExactly("epochs", "hits", "seen");
        StructureState hits = all.structures().get(1);
        assertThat(hits.kind()).isEqualTo("long-map");
        assertThat(hits.configuration()).isEqualTo("long-map first-capacity=100");
        assertThat(all.segments()).hasSize(3).allSatisfy(segment -> {
            assertThat(segment.bytes()).isEqualTo(SEGMENT_BYTES);
            assertThat(segment.blocks()).extracting(Block::structure)
                    .containsExactlyInAnyOrder("epochs", "hits", "seen");
            assertThat(segment.usage()).isNotNull();
            assertThat(segment.usage().ownedBytes()).isGreaterThanOrEqualTo(hits.bytes());
        });
        assertThat(all.fabric().type()).isEqualTo("shared-memory");
        assertThat(all.fabric().atomicDomain()).isEqualTo(AtomicDomain.COHERENT_WITH_CPU);
    }

    private static Map<String, Double> figures(WorldStates worldStates, String structure) {
        return worldStates.structures()
                .stream()
                .filter(each -> each.name().equals(structure))
                .findFirst()
                .orElseThrow()
                .figures();
    }

    @Test
    void structuresShowHowFullTheyAreAlsoToARankThatHasNotOpenedThem() {
        World first = open(0);
        WorldStates worldStates = new WorldStates(open(1));
        open(2);
        awaitJoined(worldStates, 3);
        LongLongMap hits = first.longMap("hits").fixedCapacity(9_000).open();
        LongLongMap growing = first.longMap("growing").capacity(10).open();
        DistributedMap<Long, Long> orders = first.map("orders", Long.class, Long.class).capacity(9_000).open();
        DistributedMap<String, Long> named = first.map("named", String.class, Long.class).fixedCapacity(900).open();
        DistributedMap<Long, Long> hashed = first.map("hashed", Long.class, Long.class).hash(key -> key + 1).open();
        LongBloomFilter seen = first.longFilter("seen").expectedElements(9_000).falsePositiveRate(0.01).open();
        CircularQueue<Long> jobs = first.queue("jobs", Long.class).capacity(100).host(2).open();
        FastQueue<Long> keys = first.fastQueue("keys", Long.class).capacity(100).host(0).open();
        first.array("cells", Long.class).length(10).open();
        for (long key = 0; key < 9_000; key++) {
            hits.putIfAbsent(key, 1);
            growing.putIfAbsent(key, 1);
            orders.putIfAbsent(key, key);
            seen.add(key);
        }
        for (long key = 0; key < 900; key++) {
            named.putIfAbsent("key " + key, key);
            hashed.putIfAbsent(key, key);
        }
        LongStream.range(0, 30).forEach(jobs::push);
        jobs.pop();
        keys.push(1L);
        Percentage roughly = Percentage.withPercentage(15);
        assertThat(figures(worldStates, "hits")).containsOnlyKeys("entries", "buckets", "load", "reads per find");
        assertThat(figures(worldStates, "hits").get("entries")).isEqualTo(9_000);
        assertThat(figures(worldStates, "hits").get("buckets")).isEqualTo(hits.buckets());
        assertThat(figures(worldStates, "hits").get("load")).isCloseTo(9_000.0 / hits.buckets(), roughly);
        for (String map : List.of("hits", "growing", "orders", "named")) {
            assertThat(figures(worldStates, map).get("reads per find")).isBetween(1.0, 2.0);
        }
        assertThat(figures(worldStates, "hashed")).containsKey("load").doesNotContainKey("reads per find");
        assertThat(figures(worldStates, "growing")).containsOnlyKeys("entries", "buckets", "load", "reads per find");
        assertThat(figures(worldStates, "growing").get("entries")).isEqualTo(9_000);
        assertThat(figures(worldStates, "orders")).containsOnlyKeys("entries", "buckets", "load", "reads per find");
        assertThat(figures(worldStates, "orders").get("entries")).isEqualTo(9_000);
        assertThat(figures(worldStates, "seen").get("elements")).isCloseTo(9_000, roughly);
        assertThat(figures(worldStates, "seen").get("fill")).isBetween(0.1, 0.6);
        assertThat(figures(worldStates, "seen").get("false positive rate")).isBetween(0.005, 0.01);
        assertThat(figures(worldStates, "jobs")).containsExactly(entry("elements", 29.0), entry("fill", 0.29),
                entry("pushed", 30.0), entry("popped", 1.0));
        assertThat(figures(worldStates, "keys")).containsEntry("elements", 1.0);
        assertThat(figures(worldStates, "cells")).isEmpty();
    }

    @Test
    void entriesAreCountedAlsoWhereTheRankThatLooksHasNone() {
        World first = open(0);
        WorldStates worldStates = new WorldStates(open(1));
        open(2);
        awaitJoined(worldStates, 3);
        LongLongMap hits = first.longMap("hits").open();
        assertThat(figures(worldStates, "hits")).containsExactly(entry("entries", 0.0));
        long key = LongStream.iterate(0, each -> each + 1)
                .filter(each -> hits.owner(each) == 2)
                .findFirst()
                .orElseThrow();
        hits.putIfAbsent(key, 1);
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(figures(worldStates, "hits")).containsExactly(entry("entries", 1.0)));
    }

    @Test
    void stacksAndLinkedQueuesShowHowDeepTheyAre() {
        World first = open(0);
        WorldStates worldStates = new WorldStates(open(1));
        open(2);
        awaitJoined(worldStates, 3);
        LinkedStack<Long> undone = first.stack("undone", Long.class).host(2).open();
        LinkedQueue<Long> jobs = first.linkedQueue("jobs", Long.class).host(1).open();
        assertThat(figures(worldStates, "undone")).containsExactly(entry("depth", 0.0));
        assertThat(figures(worldStates, "jobs")).containsExactly(entry("depth", 0.0));
        LongStream.range(0, 7).forEach(undone::push);
        LongStream.range(0, 9).forEach(jobs::push);
        undone.pop();
        jobs.pop();
        await().atMost(SOON).untilAsserted(() -> {
            assertThat(figures(worldStates, "undone")).containsExactly(entry("depth", 6.0));
            assertThat(figures(worldStates, "jobs")).containsExactly(entry("depth", 8.0));
        });
        LongStream.range(0, 2_000).forEach(undone::push);
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(figures(worldStates, "undone"))
                        .containsExactly(entry("depth at least", 1_000.0)));
    }

    /** Counting this many entries would read too much, so they are not counted. */
    private static final long LARGE = 200_000;

    @Test
    void entriesOfALargeMapAreAboutSoManyAndOfANearlyEmptyOneBelowSoMany() {
        World first = open(0);
        WorldStates worldStates = new WorldStates(open(1));
        open(2);
        awaitJoined(worldStates, 3);
        LongLongMap fixed = first.longMap("fixed").fixedCapacity(LARGE).open();
        LongLongMap growing = first.longMap("growing").capacity(LARGE).open();
        for (long key = 0; key < 20; key++) { // some keys of each rank
            fixed.putIfAbsent(key, 1);
            growing.putIfAbsent(key, 1);
        }
        for (String map : List.of("fixed", "growing")) {
            var figures = figures(worldStates, map); // each look takes another sample
            assertThat(figures).doesNotContainKey("entries");
            assertThat(figures.containsKey("entries about")
                    ? figures.get("entries about")
                    : figures.get("entries below")).isBetween(1.0, LARGE / 50.0);
        }
        for (long key = 0; key < LARGE / 4; key++) {
            fixed.putIfAbsent(key, 1);
            growing.putIfAbsent(key, 1);
        }
        await().atMost(SOON).untilAsserted(() -> {
            for (String map : List.of("fixed", "growing")) {
                assertThat(figures(worldStates, map).get("entries about")).isCloseTo(LARGE / 4.0,
                        Percentage.withPercentage(40));
            }
        });
    }

    @Test
    void aMapThatHasGrownShowsAllItHasInASegment() {
        World first = open(0);
        WorldStates worldStates = new WorldStates(open(1));
        open(2);
        awaitJoined(worldStates, 3);
        LongLongMap growing = first.longMap("growing").capacity(10).open();
        for (long key = 0; key < 9_000; key++) {
            growing.putIfAbsent(key, 1);
        }
        long ofBuckets = Long.BYTES * 2 * growing.buckets() / 3;
        assertThat(worldStates.structures())
                .filteredOn(structure -> structure.name().equals("growing"))
                .singleElement()
                .satisfies(map -> assertThat(map.bytes()).isBetween(ofBuckets / 2, 4 * ofBuckets));
        for (int rank = 0; rank < 3; rank++) {
            assertThat(worldStates.segment(rank).blocks())
                    .filteredOn(block -> block.structure().equals("growing"))
                    .hasSizeBetween(2, 4);
        }
    }

    @Test
    void epochsAreSeenByARankThatHasNotUsedThem() {
        World first = open(0);
        World second = open(1);
        WorldStates worldStates = new WorldStates(second);
        open(2);
        awaitJoined(worldStates, 3);
        assertThat(worldStates.epochs().used()).isFalse();
        try (Token token = first.epochs().register(); Pin pin = token.pin()) {
            assertThat(pin).isNotNull();
            await().atMost(SOON)
                    .untilAsserted(() -> assertThat(worldStates.epochs().ranks()).hasSize(3)
                            .flatExtracting(RankEpoch::tokens)
                            .extracting(PinnedToken::rank)
                            .containsExactly(0));
        }
        assertThat(second.epochs().isOpen()).isFalse();
    }

    @Test
    void figuresFollowWhatHappensAndAreGoneWithTheHost() {
        World first = open(0);
        open(1);
        World host = open(2);
        WorldStates worldStates = new WorldStates(first);
        awaitJoined(worldStates, 3);
        CircularQueue<Long> jobs = host.queue("jobs", Long.class).capacity(100).host(2).open();
        assertThat(figures(worldStates, "jobs")).containsEntry("elements", 0.0);
        jobs.push(1L);
        await().atMost(SOON).until(() -> figures(worldStates, "jobs").get("elements") == 1);
        host.close();
        worlds.remove(host);
        await().atMost(SOON).until(() -> figures(worldStates, "jobs").isEmpty());
    }

    @Test
    void aRankThatIsLostIsSeenToBe() {
        WorldStates worldStates = new WorldStates(open(0));
        open(1);
        open(2);
        awaitJoined(worldStates, 3);
        worlds.removeLast().close();
        awaitJoined(worldStates, 2);
        WorldState world = worldStates.world();
        assertThat(world.lost()).containsExactly(2);
        assertThat(world.missing()).isEmpty();
        assertThat(world.whole()).isFalse();
        assertThat(world.joins()).isEqualTo(2);
        assertThat(world.losses()).isOne();
        assertThat(worldStates.segment(2).usage()).isNull();
    }

    @Test
    void whoWaitsForWhomIsSeen() throws Exception {
        World first = open(0);
        open(1);
        open(2);
        WorldStates worldStates = new WorldStates(first);
        awaitJoined(worldStates, 3);
        Thread waiting = Thread.ofPlatform().name("checkout").start(() -> {
            try {
                first.barrier();
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        });
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(worldStates.world().waits()).singleElement().satisfies(wait -> {
                    assertThat(wait.thread()).isEqualTo("checkout");
                    assertThat(wait.doing()).contains("barrier");
                    assertThat(wait.rank()).isIn(1, 2);
                }));
        waiting.interrupt();
        waiting.join();
        assertThat(worldStates.world().waits()).isEmpty();
    }

    @Test
    void whoLooksAgainAtOnceReadsNothing() {
        World first = open(0);
        open(1);
        open(2);
        WorldStates worldStates = new WorldStates(first);
        awaitJoined(worldStates, 3);
        assertThat(first.explain(() -> worldStates.segment(1)).reads()).isPositive();
        Journal again = first.explain(() -> worldStates.segment(1));
        assertThat(again.entries()).isEmpty();
    }
}
