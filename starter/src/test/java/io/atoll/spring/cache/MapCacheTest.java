package io.atoll.spring.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.codec.kryo.AllowedClasses;
import io.atoll.codec.kryo.ObjectCodec;
import io.atoll.failure.CodecException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.cache.Cache.ValueRetrievalException;

/** Tests a cache of two ranks, with a clock that the test moves. */
class MapCacheTest {

    private static final Duration TIME_TO_LIVE = Duration.ofMinutes(10);

    @TempDir
    Path folder;

    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-11-21T10:00:00Z"));

    private List<World> worlds;
    private List<MapCache> caches;

    @BeforeEach
    void join() {
        worlds = IntStream.range(0, 2)
                .mapToObj(rank -> World.named("cache")
                        .size(2)
                        .rank(rank)
                        .segment(4 << 20)
                        .fabric(Fabrics.sharedMemory(folder, false))
                        .open())
                .toList();
        caches = worlds.stream().map(world -> cache(world, TIME_TO_LIVE)).toList();
    }

    private MapCache cache(World world, @Nullable Duration timeToLive) {
        return new MapCache("books", world.map("books", byte[].class, CachedValue.class).capacity(1_000).open(),
                ObjectCodec.of(Object.class, AllowedClasses.common()).within("books"), timeToLive,
                now::get);
    }

    @AfterEach
    void leave() {
        worlds.forEach(World::close);
    }

    private static @Nullable Object found(MapCache cache, Object key) {
        return Objects.requireNonNull(cache.get(key)).get();
    }

    private void pass(Duration time) {
        now.updateAndGet(instant -> instant.plus(time));
    }

    @Test
    void whatOneRankPutsAnotherFinds() {
        caches.get(0).put("isbn", List.of("Dune", 1965));
        assertThat(found(caches.get(1), "isbn")).isEqualTo(List.of("Dune", 1965));
        assertThat(caches.get(1).get("other")).isNull();
        caches.get(1).evict("isbn");
        assertThat(caches.get(0).get("isbn")).isNull();
    }

    @Test
    void nullIsAValue() {
        caches.get(0).put(1, null);
        assertThat(found(caches.get(1), 1)).isNull();
        assertThat(caches.get(1).<@Nullable Object>get(1, () -> "loaded")).isNull();
    }

    @Test
    void whatHasExpiredIsNotFound() {
        caches.get(0).put("a", 1);
        pass(TIME_TO_LIVE.minusMillis(1));
        assertThat(caches.get(1).get("a", Integer.class)).isEqualTo(1);
        pass(Duration.ofMillis(1));
        assertThat(caches.get(1).get("a")).isNull();
        assertThat(caches.get(0).evictIfPresent("a")).isFalse();
        assertThat(caches.get(1).putIfAbsent("a", 2)).isNull();
        assertThat(caches.get(0).get("a", Integer.class)).isEqualTo(2);
    }

    @Test
    void whatHasNoTimeToLiveStays() {
        MapCache cache = cache(worlds.getFirst(), null);
        cache.put("a", 1);
        pass(Duration.ofDays(100_000));
        assertThat(cache.get("a", Integer.class)).isEqualTo(1);
        assertThatIllegalArgumentException().isThrownBy(() -> cache(worlds.getFirst(), Duration.ZERO))
                .withMessageEndingWith("timeToLive=PT0S");
    }

    @Test
    void theRoomOfWhatHasExpiredIsUsedAgain() {
        for (int key = 0; key < 500; key++) {
            caches.get(key % 2).put(key, "old");
        }
        pass(TIME_TO_LIVE.dividedBy(2));
        for (int key = 500; key < 600; key++) {
            caches.get(key % 2).put(key, "new");
        }
        pass(TIME_TO_LIVE.dividedBy(2));
        caches.forEach(MapCache::sweep);
        assertThat(caches.get(0).getNativeCache().size()).isEqualTo(100);
        assertThat(caches.get(1).get(550, String.class)).isEqualTo("new");
    }

    @Test
    void putIfAbsentReturnsWhatIsThere() {
        assertThat(caches.get(0).putIfAbsent("a", 1)).isNull();
        assertThat(Objects.requireNonNull(caches.get(1).putIfAbsent("a", 2)).get()).isEqualTo(1);
        assertThat(caches.get(0).evictIfPresent("a")).isTrue();
    }

    @Test
    void allIsForgottenAtOnce() {
        caches.get(0).put("a", 1);
        caches.get(1).put("b", 1);
        assertThat(caches.get(0).invalidate()).isTrue();
        assertThat(caches.get(1).get("a")).isNull();
        assertThat(caches.get(1).get("b")).isNull();
        assertThat(caches.get(1).invalidate()).isFalse();
    }

    @Test
    void ofAllThatAskTogetherOneLoadsTheValue() throws Exception {
        AtomicInteger loaded = new AtomicInteger();
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch others = new CountDownLatch(1);
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            Future<Integer> first = threads.submit(() -> caches.get(0).get("a", () -> {
                begun.countDown();
                others.await();
                return loaded.incrementAndGet();
            }));
            begun.await();
            Future<Integer> second = threads.submit(() -> caches.get(1).get("a", loaded::incrementAndGet));
            assertThat(caches.get(1).get("a")).as("looking alone waits for nobody").isNull();
            others.countDown();
            assertThat(first.get()).isEqualTo(1);
            assertThat(second.get()).isEqualTo(1);
        }
    }

    @Test
    void aLoadThatFailsLeavesNothing() {
        assertThatExceptionOfType(ValueRetrievalException.class).isThrownBy(() -> caches.get(0).get("a", () -> {
            throw new IOException("no network");
        })).withCauseInstanceOf(IOException.class);
        assertThat(caches.get(1).get("a", () -> 3)).isEqualTo(3);
    }

    @Test
    void objectsOfClassesThatAreNotAllowedAreRefused() {
        assertThatExceptionOfType(CodecException.class).isThrownBy(() -> caches.get(0).put("a", new Thread()))
                .withMessageContaining("java.lang.Thread")
                .withMessageContaining("structure=books");
    }
}
