package io.atoll.spring.autoconfigure.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.array.LongArray;
import io.atoll.codec.KeyHash;
import io.atoll.collective.Collectives;
import io.atoll.epoch.EpochManager;
import io.atoll.epoch.Token;
import io.atoll.fabric.FabricType;
import io.atoll.fabric.Verb;
import io.atoll.fabric.shm.SharedMemory;
import io.atoll.fabric.tcp.Tcp;
import io.atoll.fabric.trace.Delay;
import io.atoll.fabric.trace.Locality;
import io.atoll.fabric.trace.VerbCounts;
import io.atoll.filter.LongBloomFilter;
import io.atoll.linked.LinkedQueue;
import io.atoll.linked.LinkedStack;
import io.atoll.lock.Acquisition;
import io.atoll.lock.LockTable;
import io.atoll.map.DistributedMap;
import io.atoll.map.LongLongMap;
import io.atoll.queue.LongCircularQueue;
import io.atoll.spring.autoconfigure.AtollAutoConfiguration;
import io.atoll.spring.autoconfigure.cache.AtollCacheAutoConfiguration;
import io.atoll.spring.autoconfigure.structure.StructureAutoConfiguration;
import io.atoll.spring.meters.FabricMeters;
import io.atoll.spring.meters.StructureMeters;
import io.atoll.spring.meters.StructureWatch;
import io.atoll.spring.meters.WorldMeters;
import io.atoll.spring.state.WorldStates;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.cache.autoconfigure.metrics.CacheMetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;
import org.springframework.context.ApplicationContext;

@Tag("slow")
class AtollMetricsAutoConfigurationTest {

    private static final Duration SOON = Duration.ofSeconds(10);

    private final ApplicationContextRunner withoutRegistry = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(AtollAutoConfiguration.class, StructureAutoConfiguration.class,
                    AtollMetricsAutoConfiguration.class))
            .withPropertyValues("atoll.segment.size=8MB", "atoll.long-maps.hits.capacity=1000",
                    "atoll.long-maps.hits.fixed=true");

    private final ApplicationContextRunner withBootsStandIn = withoutRegistry.withConfiguration(
            AutoConfigurations.of(MetricsAutoConfiguration.class, CompositeMeterRegistryAutoConfiguration.class));

    private final ApplicationContextRunner runner = withBootsStandIn.withBean(SimpleMeterRegistry.class);

    @TempDir
    Path folder;

    private static double verbs(ApplicationContext context, String kind, String locality) {
        return context.getBean(MeterRegistry.class)
                .get("atoll.fabric.verbs")
                .tags("world", "atoll", "rank", "0", "kind", kind, "locality", locality)
                .functionCounter()
                .count();
    }

    private static double gauge(ApplicationContext context, String name, String... tags) {
        return context.getBean(MeterRegistry.class).get(name).tags(tags).gauge().value();
    }

    private static double count(ApplicationContext context, String name) {
        return context.getBean(MeterRegistry.class).get(name).functionCounter().count();
    }

    /**
     * One rank of two, whose verbs take a nanosecond more than those of shared memory. So no verb is a load or a store.
     * Each test opens the other rank.
     */
    private ApplicationContextRunner overFabric() {
        return runner.withPropertyValues("atoll.world.size=2", "atoll.world.rank=0", "atoll.fabric.delay=1ns",
                "atoll.fabric.shared-memory.folder=" + folder);
    }

    private World other() {
        return other(Fabrics.delayed(Fabrics.sharedMemory(folder, false), new Delay(1, 0)));
    }

    private static World other(FabricType fabric) {
        return World.named("atoll").size(2).rank(1).segment(8 << 20).fabric(fabric).open();
    }

    /** Returns a key that the other rank owns. */
    private static long remoteKey(ApplicationContext context) {
        World world = context.getBean(World.class);
        KeyHash hashing = new KeyHash(world.participant().seed());
        return LongStream.range(0, 1_000)
                .filter(key -> KeyHash.rank(hashing.of(key), world.size()) == 1)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void verbsThatCrossTheFabricAreCountedByKindAndLocality() {
        overFabric().run(context -> {
            try (World other = other()) {
                LongLongMap hits = context.getBean(LongLongMap.class);
                long key = remoteKey(context);
                hits.putIfAbsent(key, 1);
                double reads = verbs(context, "read", "remote");
                double adds = verbs(context, "get-and-add", "remote");
                hits.addAndGet(key, 1);
                assertThat(verbs(context, "read", "remote") - reads).isPositive(); // the watch looks at pins meanwhile
                assertThat(verbs(context, "get-and-add", "remote") - adds).isEqualTo(1);
                assertThat(verbs(context, "read", "local")).isZero();
                assertThat(other.rank()).isEqualTo(1);
            }
        });
    }

    @Test
    void loadsAndStoresOfMappedMemoryAreNoVerbs() {
        runner.run(context -> {
            LongLongMap hits = context.getBean(LongLongMap.class);
            hits.putIfAbsent(7, 1);
            hits.addAndGet(7, 1);
            assertThat(verbs(context, "read", "local")).isZero();
            assertThat(verbs(context, "get-and-add", "local")).isZero();
        });
    }

    @Test
    void connectionsAreSeenByPeerDirectionAndReason() {
        runner.withPropertyValues("atoll.world.size=2", "atoll.world.rank=0", "atoll.fabric.type=tcp",
                "atoll.fabric.tcp.same-host=false", "atoll.fabric.shared-memory.folder=" + folder).run(context -> {
                    try (World other = other(new Tcp(new SharedMemory(folder, false)).withoutSharedMemory())) {
                        LongLongMap hits = context.getBean(LongLongMap.class);
                        for (long key = 0; key < 100; key++) {
                            hits.addAndGet(key, 1);
                        }
                        await().atMost(SOON).untilAsserted(() -> {
                            assertThat(gauge(context, "atoll.fabric.tcp.usable", "peer", "1")).isPositive();
                            assertThat(gauge(context, "atoll.fabric.tcp.round.trip", "peer", "1")).isPositive();
                            assertThat(gauge(context, "atoll.fabric.tcp.unanswered", "peer", "1")).isZero();
                            assertThat(count(context, "atoll.fabric.tcp.requests")).isGreaterThan(20);
                            assertThat(count(context, "atoll.fabric.tcp.writes")).isGreaterThan(20);
                            assertThat(tagged(context, "bytes", "direction", "sent")).isGreaterThan(1_000);
                            assertThat(tagged(context, "bytes", "direction", "received")).isGreaterThan(1_000);
                            assertThat(count(context, "atoll.fabric.tcp.unknown.outcomes")).isZero();
                            assertThat(tagged(context, "refused", "reason", "unproved")).isZero();
                            assertThat(context.getBean(MeterRegistry.class)
                                    .get("atoll.fabric.tcp.refused.reload")
                                    .gauge()
                                    .value()).isZero();
                        });
                        assertThat(other.rank()).isEqualTo(1);
                    }
                });
        runner.run(context -> assertThat(context.getBean(MeterRegistry.class)
                .find("atoll.fabric.tcp.requests")
                .functionCounter()).isNull());
    }

    private static double tagged(ApplicationContext context, String name, String... tags) {
        return context.getBean(MeterRegistry.class)
                .get("atoll.fabric.tcp." + name)
                .tags(tags)
                .functionCounter()
                .count();
    }

    @Test
    void collectivesAreTimedByStructureAndOperation() {
        runner.run(context -> {
            var window = context.getBean(Collectives.class).broadcast("model").bytes(64).open();
            window.send(0, 64);
            assertThat(gauge(context, "atoll.collective.running")).isEqualTo(1);
            window.flush();
            assertThat(gauge(context, "atoll.collective.running")).isZero();
            assertThat(context.getBean(MeterRegistry.class)
                    .get("atoll.collective")
                    .tags("structure", "model", "operation", "broadcast", "outcome", "finished")
                    .timer()
                    .count()).isEqualTo(1);
        });
    }

    @Test
    void operationsOnStructuresAreCountedAlsoWhereNoVerbIs() {
        runner.run(context -> {
            LongLongMap hits = context.getBean(LongLongMap.class);
            hits.putIfAbsent(7, 1);
            await().atMost(SOON)
                    .until(() -> context.getBean(MeterRegistry.class)
                            .find("atoll.structure.operations")
                            .functionCounter() != null);
            FunctionCounter operations = context.getBean(MeterRegistry.class)
                    .get("atoll.structure.operations")
                    .tags("world", "atoll", "rank", "0", "structure", "hits", "kind", "long-map")
                    .functionCounter();
            double before = operations.count();
            for (int times = 0; times < 100; times++) {
                hits.getOrDefault(7, 0);
            }
            assertThat(operations.count() - before).isEqualTo(100);
        });
    }

    @Test
    void latencyIsThatOfOneVerbIn1024() {
        overFabric().run(context -> {
            try (World other = other()) {
                LongArray cells = context.getBean(World.class).longArray("cells").length(2).open();
                assertThat(cells.owner(1)).isEqualTo(other.rank());
                Timer adds = context.getBean(MeterRegistry.class)
                        .get("atoll.fabric.verb.latency")
                        .tags("kind", "get-and-add", "locality", "remote")
                        .timer();
                long before = adds.count();
                for (int times = 0; times < 4 * VerbCounts.SAMPLE_INTERVAL; times++) {
                    cells.getAndAdd(1, 1);
                }
                assertThat(adds.count() - before).isEqualTo(4);
                assertThat(adds.totalTime(TimeUnit.NANOSECONDS)).isPositive();
            }
        });
    }

    @Test
    void batchesAreCountedAndTheirSizesSampled() {
        overFabric().run(context -> {
            try (World other = other()) {
                context.getBean(LongLongMap.class).size(); // reads the table in batches
                MeterRegistry registry = context.getBean(MeterRegistry.class);
                assertThat(registry.get("atoll.fabric.batches").tags("locality", "remote").functionCounter().count())
                        .isPositive();
                double bytes = registry.get("atoll.fabric.batched.bytes")
                        .tags("locality", "remote")
                        .functionCounter()
                        .count();
                assertThat(bytes).isGreaterThanOrEqualTo(LongLongMap.bytesPerRank(2, 1000));
                assertThat(registry.get("atoll.fabric.batched.verbs")
                        .tags("locality", "remote")
                        .functionCounter()
                        .count()).isPositive();
                for (String size : List.of("bytes", "verbs")) {
                    assertThat(registry.get("atoll.fabric.batch." + size).tags("locality", "remote").summary().count())
                            .isPositive();
                }
                assertThat(registry.get("atoll.fabric.batch.latency").tags("locality", "remote").timer().count())
                        .isPositive();
                assertThat(other.rank()).isEqualTo(1);
            }
        });
    }

    @Test
    void theSegmentAndTheStructuresInItHaveTheirSizes() {
        runner.withPropertyValues("atoll.history.enabled=false").run(context -> {
            assertThat(gauge(context, "atoll.segment.size")).isEqualTo(8 << 20);
            assertThat(gauge(context, "atoll.segment.heap", "use", "structures")).isZero();
            assertThat(context.getBean(MeterRegistry.class).find("atoll.structure.size").gauge()).isNull();
            context.getBean(LongLongMap.class).putIfAbsent(7, 1);
            long bytes = LongLongMap.bytesPerRank(1, 1000);
            // The meters may show the previous look at the segment for a while.
            await().atMost(SOON)
                    .until(() -> gauge(context, "atoll.structure.size", "structure", "hits") >= bytes);
            await().atMost(SOON)
                    .until(() -> gauge(context, "atoll.segment.heap", "use", "structures") >= bytes);
            assertThat(gauge(context, "atoll.segment.heap", "use", "free")).isPositive();
            assertThat(gauge(context, "atoll.segment.heap", "use", "pending")).isZero();
            assertThat(gauge(context, "atoll.segment.heap", "use", "objects")).isZero();
        });
    }

    private static void awaitEntries(ApplicationContext context, String structure, String kind, double entries) {
        await().atMost(SOON).untilAsserted(() -> {
            var gauge = context.getBean(MeterRegistry.class)
                    .find("atoll.structure.entries")
                    .tags("structure", structure, "kind", kind)
                    .gauge();
            assertThat(gauge).isNotNull().extracting(Gauge::value).isEqualTo(entries);
        });
    }

    private static void awaitFigure(ApplicationContext context, String structure, String series, double value) {
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(context.getBean(StructureWatch.class).figures(structure).ranks())
                        .singleElement()
                        .satisfies(rank -> assertThat(rank.values().get(series)).last().isEqualTo(value)));
    }

    @Test
    @SuppressWarnings("unchecked") // the properties name these types
    void mapsQueuesStacksAndFiltersTellHowFullTheyAre() {
        runner.withPropertyValues("atoll.long-maps.growing.capacity=1000", "atoll.maps.names.key-type=long",
                "atoll.maps.names.value-type=long", "atoll.maps.names.capacity=100",
                "atoll.long-queues.jobs.capacity=64", "atoll.stacks.undo.type=long",
                "atoll.linked-queues.mail.type=long",
                "atoll.long-filters.seen.expected-elements=1000").run(context -> {
                    World world = context.getBean(World.class);
                    for (long key = 0; key < 100; key++) {
                        context.getBean("hits", LongLongMap.class).putIfAbsent(key, 1);
                        context.getBean("growing", LongLongMap.class).putIfAbsent(key, 1);
                    }
                    context.getBean("names", DistributedMap.class).put(1L, 1L);
                    context.getBean("jobs", LongCircularQueue.class).push(7);
                    context.getBean("undo", LinkedStack.class).push(7L);
                    context.getBean("mail", LinkedQueue.class).push(7L);
                    context.getBean("seen", LongBloomFilter.class).add(7);

                    awaitEntries(context, "hits", "long-map", 100);
                    awaitEntries(context, "growing", "long-map", 100);
                    awaitEntries(context, "names", "map", 1);
                    awaitEntries(context, "jobs", "queue", 1);
                    awaitEntries(context, "undo", "linked-stack", 1);
                    awaitEntries(context, "mail", "linked-queue", 1);
                    awaitEntries(context, "seen", "bloom-filter", 1);
                    awaitFigure(context, "hits", "entries", 100);
                    awaitFigure(context, "jobs", "load-percent", 100 / 64.0);
                    assertThat(context.getBean(StructureWatch.class).figures("none").ranks()).isEmpty();
                    assertThat(gauge(context, "atoll.structure.fill", "structure", "hits")).isBetween(0.02, 0.2);
                    assertThat(gauge(context, "atoll.structure.fill", "structure", "jobs")).isEqualTo(1 / 64.0);
                    assertThat(gauge(context, "atoll.structure.fill", "structure", "seen")).isBetween(0.0001, 0.1);
                    assertThat(gauge(context, "atoll.structure.false.positives", "structure", "seen")).isLessThan(0.01);
                    assertThat(context.getBean(MeterRegistry.class)
                            .find("atoll.structure.fill")
                            .tag("structure", "undo")
                            .gauge()).isNull();
                    assertThat(world.waits()).isEmpty();
                });
    }

    /** One world whose other rank is gone, and one whose other rank was never there. */
    @Test
    void whatStructuresHaveHereIsToldWithoutTheOtherRanks() {
        runner.withPropertyValues("atoll.world.size=2", "atoll.world.rank=0",
                "atoll.fabric.shared-memory.folder=" + folder).run(context -> {
                    LongLongMap hits = context.getBean(LongLongMap.class);
                    try (World second = other(Fabrics.sharedMemory(folder, false))) {
                        second.longMap("hits").fixedCapacity(1000).open();
                        for (long key = 0; key < 100; key++) {
                            hits.putIfAbsent(key, 1);
                        }
                    }
                    long own = LongStream.range(0, 100).filter(key -> hits.owner(key) == 0).count();
                    awaitEntries(context, "hits", "long-map", own);
                });
    }

    @Test
    void locksTellHowOftenAndHowLongTheyAreHeldAndAwaited() {
        runner.withPropertyValues("atoll.lock-tables.accounts.locks=8").run(context -> {
            LockTable accounts = context.getBean(LockTable.class);
            MeterRegistry registry = context.getBean(MeterRegistry.class);
            Thread waiter;
            try (Acquisition held = accounts.lockAt(3)) {
                waiter = Thread.ofPlatform().start(() -> accounts.lockUninterruptiblyAt(3).close());
                await().atMost(SOON)
                        .until(() -> registry.find("atoll.lock.waiters")
                                .gauges()
                                .stream()
                                .anyMatch(g -> g.value() == 1));
                assertThat(gauge(context, "atoll.lock.holders", "structure", "accounts")).isOne();
                await().atMost(SOON).until(() -> gauge(context, "atoll.lock.longest.held") > 1);
                assertThat(gauge(context, "atoll.lock.longest.wait")).isPositive();
                assertThat(held.isHeld()).isTrue();
            }
            waiter.join();
            await().atMost(SOON).until(() -> count(context, "atoll.lock.acquisitions") == 2);
            assertThat(registry.get("atoll.lock.wait").functionTimer().count()).isOne();
            assertThat(registry.get("atoll.lock.wait").functionTimer().totalTime(TimeUnit.SECONDS)).isGreaterThan(1);
            assertThat(count(context, "atoll.lock.recoveries")).isZero();
            assertThat(gauge(context, "atoll.lock.holders")).isZero();
            assertThat(gauge(context, "atoll.lock.longest.held")).isZero();
        });
    }

    private static double cache(ApplicationContext context, String name, String... tags) {
        return context.getBean(MeterRegistry.class)
                .get(name)
                .tag("cache", "books")
                .tags(tags)
                .functionCounter()
                .count();
    }

    @Test
    void cachesAreCountedAsSpringBootCountsAny() {
        runner.withConfiguration(AutoConfigurations.of(AtollCacheAutoConfiguration.class,
                CacheMetricsAutoConfiguration.class))
                .withPropertyValues("atoll.caches.books.capacity=100")
                .run(context -> {
                    Cache books = context.getBean(CacheManager.class).getCache("books");
                    assertThat(books.get("a")).isNull();
                    books.put("a", 1);
                    assertThat(books.get("a")).isNotNull();
                    assertThat(books.get("b", () -> 2)).isEqualTo(2);
                    assertThat(books.get("b", () -> 3)).isEqualTo(2);
                    assertThat(books.putIfAbsent("b", 4)).isNotNull();
                    assertThat(books.putIfAbsent("c", 4)).isNull();

                    assertThat(cache(context, "cache.gets", "result", "hit")).isEqualTo(2);
                    assertThat(cache(context, "cache.gets", "result", "miss")).isEqualTo(2);
                    assertThat(cache(context, "cache.puts")).isEqualTo(3);
                    assertThat(cache(context, "cache.evictions")).isZero();
                });
    }

    @Test
    void withoutSpringBootsModuleForCachesThereIsAllElse() {
        runner.withClassLoader(new FilteredClassLoader("org.springframework.boot.cache"))
                .run(context -> assertThat(context).hasNotFailed()
                        .hasSingleBean(WorldMeters.class)
                        .doesNotHaveBean("atollCacheMeters"));
    }

    @Test
    void tokensThatArePinnedForTooLongAndWhatWaitsForThemAreMetered() {
        runner.withPropertyValues("atoll.epochs.pin-limit=1ms").run(context -> {
            EpochManager epochs = context.getBean(EpochManager.class);
            assertThat(gauge(context, "atoll.epochs.overdue")).isZero();
            try (Token token = epochs.register(); Token reader = epochs.register()) {
                reader.pin();
                token.pin();
                token.retire(context.getBean(World.class).participant().heap().allocatePointer(0, 64).toWord(), 64);
                token.unpin();
                token.tryReclaim();
                await().atMost(SOON).until(() -> gauge(context, "atoll.epochs.overdue") == 1);
                assertThat(gauge(context, "atoll.epochs.limbo.objects")).isOne();
                assertThat(gauge(context, "atoll.epochs.limbo.size")).isEqualTo(64);
                reader.unpin();
                await().atMost(SOON).until(() -> gauge(context, "atoll.epochs.overdue") == 0);
            }
            assertThat(epochs.clear()).isOne();
            await().atMost(SOON).until(() -> count(context, "atoll.epochs.freed") == 1);
            assertThat(count(context, "atoll.epochs.advances")).isGreaterThan(1);
            assertThat(count(context, "atoll.epochs.lost")).isZero();
            assertThat(gauge(context, "atoll.epochs.limbo.objects")).isZero();
        });
    }

    @Test
    void whatARankThatIsGoneHadRetiredIsCountedAsStranded() {
        runner.withPropertyValues("atoll.world.size=2", "atoll.world.rank=0",
                "atoll.fabric.shared-memory.folder=" + folder).run(context -> {
                    try (World second = other(Fabrics.sharedMemory(folder, false));
                            Token token = second.epochs().register()) {
                        token.pin();
                        token.retire(second.participant().heap().allocatePointer(0, 64).toWord(), 64);
                        token.tryReclaim();
                        WorldStates worldStates = context.getBean(WorldStates.class);
                        await().atMost(SOON)
                                .until(() -> !worldStates.epochs().ranks().isEmpty()
                                        && !worldStates.epochs().ranks().getLast().limbo().isEmpty());
                        assertThat(gauge(context, "atoll.epochs.stranded")).isZero();
                        token.unpin();
                    }
                    await().atMost(SOON).until(() -> gauge(context, "atoll.epochs.stranded") == 1);
                });
    }

    @Test
    void ranksThatComeAndGoAreCounted() {
        runner.withPropertyValues("atoll.world.size=2", "atoll.world.rank=0",
                "atoll.fabric.shared-memory.folder=" + folder).run(context -> {
                    assertThat(gauge(context, "atoll.world.ranks", "standing", "missing")).isOne();
                    try (World second = other(Fabrics.sharedMemory(folder, false))) {
                        await().atMost(SOON).until(() -> count(context, "atoll.world.joins") == 1);
                        assertThat(gauge(context, "atoll.world.ranks", "standing", "joined")).isEqualTo(2);
                        assertThat(second.rank()).isOne();
                    }
                    await().atMost(SOON).until(() -> count(context, "atoll.world.losses") == 1);
                    assertThat(gauge(context, "atoll.world.ranks", "standing", "lost")).isOne();
                    assertThat(count(context, "atoll.world.repairs")).isZero();
                    assertThat(gauge(context, "atoll.world.waits")).isZero();
                });
    }

    /** Here views decide nothing. They do in {@link io.atoll.spring.autoconfigure.actuate.HealthOfStoppedRankTest}. */
    @Test
    void whereAllRanksShareMemoryViewsDecideNothing() {
        runner.run(context -> {
            for (String meter : List.of("number", "members", "suspected", "waiting")) {
                assertThat(gauge(context, "atoll.view." + meter)).as(meter).isZero();
            }
        });
    }

    @Test
    void everyMeterHasADescriptionAndIsOfThisRank() {
        runner.run(context -> {
            context.getBean(LongLongMap.class).putIfAbsent(7, 1);
            assertThat(context.getBean(MeterRegistry.class).getMeters())
                    .filteredOn(meter -> meter.getId().getName().startsWith("atoll."))
                    .hasSizeGreaterThan(40)
                    .extracting(Meter::getId)
                    .allSatisfy(id -> {
                        assertThat(id.getDescription()).isNotBlank();
                        assertThat(id.getTag("world")).isEqualTo("atoll");
                        assertThat(id.getTag("rank")).isEqualTo("0");
                    });
        });
    }

    @Test
    void withoutARegistryNothingIsCounted() {
        withoutRegistry.run(context -> assertThat(context).hasNotFailed()
                .doesNotHaveBean(WorldMeters.class)
                .doesNotHaveBean(VerbCounts.class));
        ApplicationContextRunner bare = new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(AtollAutoConfiguration.class,
                        AtollMetricsAutoConfiguration.class));
        bare.withClassLoader(new FilteredClassLoader(MeterRegistry.class)).run(context -> {
            assertThat(context).hasNotFailed().hasSingleBean(World.class);
        });
    }

    @Test
    void whereNoRegistryKeepsMetersVerbsAreNotCounted() {
        withBootsStandIn.run(context -> {
            assertThat(context).hasSingleBean(MeterRegistry.class)
                    .hasSingleBean(WorldMeters.class)
                    .doesNotHaveBean(FabricMeters.class);
        });
    }

    @Test
    void verbsThatAreSwitchedOffAsMetersAreNotCounted() {
        runner.withPropertyValues("management.metrics.enable.atoll.fabric=false").run(context -> {
            assertThat(context).hasSingleBean(WorldMeters.class)
                    .doesNotHaveBean(FabricMeters.class);
        });
    }

    @Test
    void whenDisabledThereIsNothing() {
        runner.withPropertyValues("atoll.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(WorldMeters.class)
                        .doesNotHaveBean(FabricMeters.class)
                        .doesNotHaveBean(StructureMeters.class));
    }

    @Test
    void theUsersOwnCountsAreUsed() {
        VerbCounts own = new VerbCounts();
        overFabric().withBean(VerbCounts.class, () -> own).run(context -> {
            try (World other = other()) {
                context.getBean(LongLongMap.class).putIfAbsent(remoteKey(context), 1);
                assertThat(own.verbs(Verb.COMPARE_AND_EXCHANGE, Locality.REMOTE)).isPositive();
                assertThat(other.rank()).isEqualTo(1);
            }
        });
    }

    @Test
    void ofTheUsersOwnWorldThereIsWhatItShowsByItself() {
        runner.withBean("mine", World.class, () -> World.named("mine").segment(8 << 20).open())
                .run(context -> {
                    assertThat(context).doesNotHaveBean(FabricMeters.class).doesNotHaveBean(StructureMeters.class);
                    assertThat(gauge(context, "atoll.segment.size", "world", "mine")).isEqualTo(8 << 20);
                });
    }
}
