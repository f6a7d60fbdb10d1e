package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.atoll.codec.FixedHash;
import io.atoll.failure.RankUnreachableException;
import io.atoll.world.Peers.PeerStatus;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Entries that are read from a place on, some at a time. */
class MapPlaceTest {

    private static final int RANKS = 3;
    private static final int KEYS = 5_000;
    private static final int WANTED = 20;

    @TempDir
    Path folder;

    /** Hands out keys from a place on; returns where to go on. */
    private interface Reader {
        Optional<MapPlace> read(MapPlace from, List<Long> keys);
    }

    private static Reader of(LongLongMap map) {
        return (from, keys) -> map.forEach(from, WANTED, (key, value) -> keys.add(key));
    }

    private static Reader of(DistributedMap<?, ?> map) {
        return (from, keys) -> map.forEach(from, WANTED, (key, value) -> keys.add(Long.valueOf(key.toString())));
    }

    enum Kind {

        LONGS {
            @Override
            Reader filled(Worlds worlds, long capacity) {
                LongLongMap map = worlds.longMaps("map", capacity).getFirst();
                LongStream.range(0, KEYS).forEach(key -> map.put(key, -key));
                return of(map);
            }
        },
        LONGS_THAT_DO_NOT_GROW {
            @Override
            Reader filled(Worlds worlds, long capacity) {
                LongLongMap map = worlds.fixedLongMaps("map", Math.max(capacity, KEYS)).getFirst();
                LongStream.range(0, KEYS).forEach(key -> map.put(key, -key));
                return of(map);
            }
        },
        OBJECTS {
            @Override
            Reader filled(Worlds worlds, long capacity) {
                DistributedMap<Long, Long> map = worlds.maps("map", Long.class, Long.class, capacity).getFirst();
                LongStream.range(0, KEYS).forEach(key -> map.put(key, -key));
                return of(map);
            }
        },
        OBJECTS_THAT_DO_NOT_GROW {
            @Override
            Reader filled(Worlds worlds, long capacity) {
                DistributedMap<Long, Long> map = worlds.rank(0)
                        .map("map", Long.class, Long.class)
                        .fixedCapacity(Math.max(capacity, KEYS))
                        .open();
                LongStream.range(0, KEYS).forEach(key -> map.put(key, -key));
                return of(map);
            }
        },
        TEXTS {
            @Override
            Reader filled(Worlds worlds, long capacity) {
                DistributedMap<String, String> map = worlds.maps("map", String.class, String.class, capacity)
                        .getFirst();
                LongStream.range(0, KEYS).forEach(key -> map.put(Long.toString(key), "value"));
                return of(map);
            }
        };

        abstract Reader filled(Worlds worlds, long capacity);
    }

    private static List<List<Long>> readAll(Reader map) {
        List<List<Long>> answers = new ArrayList<>();
        Optional<MapPlace> place = Optional.of(MapPlace.FIRST);
        while (place.isPresent()) {
            List<Long> keys = new ArrayList<>();
            place = map.read(place.get(), keys);
            answers.add(keys);
        }
        return answers;
    }

    @ParameterizedTest
    @EnumSource
    void whoGoesOnSeesEachKeyOnceSomeAtATime(Kind kind) {
        try (Worlds worlds = new Worlds(folder, RANKS)) {
            List<List<Long>> answers = readAll(kind.filled(worlds, 1));
            assertThat(answers.stream().flatMap(List::stream).sorted().toList())
                    .isEqualTo(LongStream.range(0, KEYS).boxed().toList());
            assertThat(answers).hasSizeGreaterThan(KEYS / (WANTED + (int) Stretch.FIRST_BUCKETS))
                    .allSatisfy(keys -> assertThat(keys).hasSizeLessThan(WANTED + (int) Stretch.FIRST_BUCKETS));
            assertThat(answers.subList(0, answers.size() - 1))
                    .allSatisfy(keys -> assertThat(keys).hasSizeGreaterThanOrEqualTo(WANTED));
        }
    }

    @ParameterizedTest
    @EnumSource
    void fromAnyHomeOnNothingThatLiesBehindItIsMissed(Kind kind) {
        try (Worlds worlds = new Worlds(folder, 1)) {
            Reader map = kind.filled(worlds, 1);
            // In the middle of groups of buckets, too.
            for (int part = 0; part < 32; part++) {
                MapPlace from = new MapPlace(0, Block.HOMES / 2 + (Block.HOMES >> 14) * part + 12_345);
                Set<Long> late = new HashSet<>();
                Optional<MapPlace> place = Optional.of(from);
                while (place.isPresent()) {
                    List<Long> keys = new ArrayList<>();
                    place = map.read(place.get(), keys);
                    late.addAll(keys);
                }
                assertThat(late).hasSizeBetween(KEYS * 4 / 10, KEYS * 6 / 10);
                if (kind == Kind.LONGS || kind == Kind.OBJECTS) {
                    assertThat(LongStream.range(0, KEYS)
                            .filter(key -> Block.home(FixedHash.of(key)) >= from.home())
                            .boxed()).containsExactlyInAnyOrderElementsOf(late);
                }
            }
        }
    }

    /** Returns the place that cannot be read, and adds the keys before it. */
    private static MapPlace readUntilItFails(Reader map, List<Long> keys) {
        MapPlace place = MapPlace.FIRST;
        while (true) {
            List<Long> some = new ArrayList<>();
            try {
                place = map.read(place, some).orElseThrow();
            } catch (RankUnreachableException failure) {
                assertThat(some).as("a call that fails visits nothing").isEmpty();
                return place;
            }
            keys.addAll(some);
        }
    }

    @ParameterizedTest
    @EnumSource
    void theEntriesOfARankThatIsGoneAreMissingAndNoOthers(Kind kind) {
        try (Worlds worlds = new Worlds(folder, RANKS)) {
            Reader map = kind.filled(worlds, 1);
            List<List<Long>> before = readAll(map);
            List<Long> beginning = new ArrayList<>();
            worlds.rank(1).close();
            await().until(() -> worlds.rank(0).peers().snapshot().get(1).status() == PeerStatus.LOST);

            MapPlace failed = readUntilItFails(map, beginning);

            assertThat(failed).isEqualTo(new MapPlace(1, 0));
            List<Long> end = new ArrayList<>();
            for (Optional<MapPlace> place = Optional.of(new MapPlace(2, 0)); place.isPresent();) {
                place = map.read(place.get(), end);
            }
            assertThat(beginning).hasSizeBetween(KEYS / 4, KEYS / 2);
            assertThat(end).hasSizeBetween(KEYS / 4, KEYS / 2);
            List<Long> all = before.stream().flatMap(List::stream).toList();
            assertThat(all).startsWith(beginning.toArray(Long[]::new)).endsWith(end.toArray(Long[]::new));
        }
    }

    @Test
    void whatIsThereAllTheTimeIsSeenOnceWhileTheMapGrows() throws Exception {
        try (Worlds worlds = new Worlds(folder, 2)) {
            List<LongLongMap> maps = worlds.longMaps("map", 1);
            LongStream.range(0, KEYS).forEach(key -> maps.get(0).put(key, 1));
            AtomicBoolean read = new AtomicBoolean();
            List<List<Long>> seen = Worlds.atOnce(2, thread -> () -> {
                if (thread == 1) {
                    for (long key = KEYS; key < 100_000 && !read.get(); key++) {
                        maps.get(1).put(key, 1);
                    }
                    return List.of();
                }
                List<Long> keys = readAll(of(maps.get(0))).stream().flatMap(List::stream).toList();
                read.set(true);
                return keys;
            });
            assertThat(Stream.of(seen.get(0)).flatMap(List::stream).filter(key -> key < KEYS).sorted().toList())
                    .isEqualTo(LongStream.range(0, KEYS).boxed().toList());
        }
    }

    @Test
    void aSparseMapIsReadInBoundedAnswers() {
        CostWorld world = new CostWorld(CostWorld.LINES);
        LongLongMap map = LongLongMap.builder("map", world::participant, world.epochs())
                .fixedCapacity(100_000)
                .open();
        long buckets = map.buckets() / CostWorld.RANKS;
        assertThat(buckets).isGreaterThan(4 * Stretch.MOST_BUCKETS);
        MapPlace[] next = {new MapPlace(1, 0)};
        for (int answer = 1; answer <= 3; answer++) {
            // 32 buckets, then twice as many each time, up to 32 KiB at once.
            assertThat(world.verbsOf(
                    () -> next[0] = map.forEach(next[0], WANTED, (key, value) -> {}).orElseThrow())).isEqualTo(10);
            assertThat(next[0].rank()).isOne();
            assertThat(next[0].home() * buckets / Block.HOMES).isBetween(answer * Stretch.MOST_BUCKETS,
                    answer * (Stretch.MOST_BUCKETS + 2_048));
        }
    }

    @Test
    void ofManyRanksAnAnswerReadsSome() {
        try (Worlds worlds = new Worlds(folder, Stretch.MOST_READS + 1, 1 << 20)) {
            LongLongMap map = worlds.longMaps("map", 1).getFirst();
            assertThat(map.forEach(MapPlace.FIRST, WANTED, (key, value) -> {}))
                    .hasValue(new MapPlace(Stretch.MOST_READS, 0));
        }
    }

    @Test
    void aPlaceThatNoMapHasIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> new MapPlace(-1, 0)).withMessageContaining("rank=-1");
        assertThatIllegalArgumentException().isThrownBy(() -> new MapPlace(0, Block.HOMES))
                .withMessageContaining("home=" + Block.HOMES);
    }
}
