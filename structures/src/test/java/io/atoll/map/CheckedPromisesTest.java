package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.atoll.promise.BrokenPromiseException;
import io.atoll.promise.Promise;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

@Tag("slow")
class CheckedPromisesTest {

    /** All operations that change a map, but insertions. */
    static final List<Consumer<DistributedMap<Long, Long>>> CHANGES = List.of(map -> map.put(1L, 1L),
            map -> map.getAndRemove(1L), map -> map.merge(1L, 1L, Long::sum),
            map -> map.compute(1L, (key, value) -> 2L), map -> map.getAndReplace(1L, 2L),
            map -> map.putAll(Map.of(1L, 2L)));

    @TempDir
    Path folder;

    private Worlds worlds;
    private List<DistributedMap<Long, Long>> maps;

    @BeforeEach
    void join() {
        worlds = new Worlds(folder, 3);
        maps = IntStream.range(0, 3)
                .mapToObj(rank -> worlds.rank(rank)
                        .map("words", Long.class, Long.class)
                        .fixedCapacity(100)
                        .checkedPromises()
                        .open())
                .toList();
    }

    @AfterEach
    void leave() {
        worlds.close();
    }

    private void barrier() throws Exception {
        Worlds.atOnce(worlds.size(), rank -> () -> {
            worlds.rank(rank).barrier();
            return rank;
        });
    }

    @ParameterizedTest
    @FieldSource("CHANGES")
    void whoChangesAMapInWhichAnotherHasPromisedThatAllOnlyReadIsToldOfBoth(
            Consumer<DistributedMap<Long, Long>> change) {
        maps.get(2).get(1L, Promise.onlyReads());
        assertThatExceptionOfType(BrokenPromiseException.class).isThrownBy(() -> change.accept(maps.get(0)))
                .withMessageContaining("structure=words here=[CHANGE at io.atoll.map.CheckedPromisesTest")
                .withMessageContaining("there=[FIND_WHILE_ALL_ONLY_FIND at io.atoll.map.CheckedPromisesTest")
                .withMessageEndingWith("rank=2");
        assertThat(maps.get(1).get(1L, Promise.onlyReads())).as("nothing was done").isNull();
    }

    @ParameterizedTest
    @FieldSource("CHANGES")
    void whoPromisesThatAllOnlyReadAfterAnotherHasChangedTheMapIsToldOfBoth(
            Consumer<DistributedMap<Long, Long>> change) {
        change.accept(maps.get(0));
        maps.get(1).get(1L);
        assertThatExceptionOfType(BrokenPromiseException.class)
                .isThrownBy(() -> maps.get(2).get(1L, Promise.onlyReads()))
                .satisfies(broken -> assertThat(broken.there()).startsWith("CHANGE at "));
    }

    /** All operations that are no insertions. */
    static final List<Consumer<DistributedMap<Long, Long>>> NO_INSERTIONS = Stream
            .concat(CHANGES.stream(),
                    Stream.<Consumer<DistributedMap<Long, Long>>>of(map -> map.get(1L), map -> map.containsKey(1L),
                            DistributedMap::size, map -> map.get(1L, Promise.onlyReads())))
            .toList();

    @ParameterizedTest
    @FieldSource("NO_INSERTIONS")
    void whoDoesAnythingElseWhereAllOnlyInsertIsToldOfBoth(Consumer<DistributedMap<Long, Long>> operation) {
        maps.get(2).putIfAbsent(1L, 1L, Promise.onlyInserts());
        maps.get(1).putIfAbsent(2L, 1L);
        assertThatExceptionOfType(BrokenPromiseException.class).isThrownBy(() -> operation.accept(maps.get(0)))
                .satisfies(broken -> assertThat(broken.there()).contains("INSERT", "CheckedPromisesTest"));
    }

    @Test
    void whoInsertsWhereAllOnlyReadIsToldOfBoth() {
        maps.get(2).get(1L, Promise.onlyReads());
        assertThatExceptionOfType(BrokenPromiseException.class).isThrownBy(() -> maps.get(0).putIfAbsent(1L, 1L))
                .withMessageContaining("here=[INSERT at io.atoll.map.CheckedPromisesTest")
                .withMessageContaining("there=[FIND_WHILE_ALL_ONLY_FIND at io.atoll.map.CheckedPromisesTest");
    }

    /** All operations without the promise {@link Promise#local}. */
    static final List<Consumer<DistributedMap<Long, Long>>> NOT_LOCAL = Stream
            .concat(NO_INSERTIONS.stream(),
                    Stream.<Consumer<DistributedMap<Long, Long>>>of(map -> map.putIfAbsent(1L, 1L),
                            map -> map.putIfAbsent(1L, 1L, Promise.onlyInserts())))
            .toList();

    @ParameterizedTest
    @FieldSource("NOT_LOCAL")
    void whoIsNotLocalWhereAnotherIsIsToldOfBoth(Consumer<DistributedMap<Long, Long>> operation) {
        maps.get(2).get(keyOf(2), Promise.local());
        assertThatExceptionOfType(BrokenPromiseException.class).isThrownBy(() -> operation.accept(maps.get(0)))
                .withMessageContaining("there=[LOCAL at io.atoll.map.CheckedPromisesTest");
    }

    private long keyOf(int owner) {
        return LongStream.range(0, 1_000).filter(key -> maps.getFirst().owner(key) == owner).findFirst().orElseThrow();
    }

    @Test
    void allMayBeLocalAtTheSameTime() throws Exception {
        for (int rank = 0; rank < 3; rank++) {
            assertThat(maps.get(rank).putIfAbsent(keyOf(rank), 1L, Promise.local())).isTrue();
            assertThat(maps.get(rank).get(keyOf(rank), Promise.local())).isEqualTo(1);
        }
        barrier();
        assertThat(maps.getFirst().size()).isEqualTo(3);
    }

    @Test
    void localUseOfAMapOfLongsIsWatchedOver() throws Exception {
        List<LongLongMap> maps = IntStream.range(0, 3).mapToObj(this::longs).toList();
        for (int rank = 0; rank < 3; rank++) {
            assertThat(maps.get(rank).putIfAbsent(keyOf(rank), 1, Promise.local())).isTrue();
            assertThat(maps.get(rank).getOrDefault(keyOf(rank), 0, Promise.local())).isEqualTo(1);
        }
        assertThatExceptionOfType(BrokenPromiseException.class).isThrownBy(() -> maps.get(1).getOrDefault(1, 0))
                .withMessageContaining("there=[LOCAL at io.atoll.map.CheckedPromisesTest");
        barrier();
        assertThat(maps.get(1).putIfAbsent(5_000, 1, Promise.onlyInserts())).isTrue();
        assertThatExceptionOfType(BrokenPromiseException.class).isThrownBy(() -> maps.get(0).addAndGet(1, 1))
                .withMessageContaining("there=[INSERT_WHILE_ALL_ONLY_INSERT at io.atoll.map.CheckedPromisesTest");
    }

    @Test
    void phasesThatBarriersSeparateKeepTheirPromises() throws Exception {
        for (long phase = 0; phase < 3; phase++) {
            for (DistributedMap<Long, Long> map : maps) {
                map.merge(phase, 1L, Long::sum);
            }
            barrier();
            for (DistributedMap<Long, Long> map : maps) {
                assertThat(map.get(phase, Promise.onlyReads())).isEqualTo(3);
            }
            barrier();
        }
    }

    /** All operations that change a map of longs. */
    static final List<Consumer<LongLongMap>> CHANGES_OF_LONGS = List.of(map -> map.put(1, 1),
            map -> map.getAndPut(1, 1, 0), map -> map.getAndRemove(1, 0), map -> map.addAndGet(1, 1),
            map -> map.replace(1, 1, 2));

    /** All operations that look at a map of longs, without a promise. */
    static final List<Consumer<LongLongMap>> LOOKS_AT_LONGS = List.of(map -> map.getOrDefault(1, 0),
            map -> map.containsKey(1),
            map -> map.getAll(new long[]{1}, 0), LongLongMap::size);

    private LongLongMap longs(int rank) {
        return worlds.rank(rank).longMap("longs").fixedCapacity(100).checkedPromises().open();
    }

    @ParameterizedTest
    @FieldSource("CHANGES_OF_LONGS")
    void promisesAboutAMapOfLongsAreWatchedOver(Consumer<LongLongMap> change) {
        LongLongMap map = longs(0);
        assertThat(longs(2).getOrDefault(1, 0, Promise.onlyReads())).isZero();
        assertThatExceptionOfType(BrokenPromiseException.class).isThrownBy(() -> change.accept(map))
                .withMessageContaining("structure=longs here=[CHANGE at io.atoll.map.CheckedPromisesTest");
    }

    @ParameterizedTest
    @FieldSource("LOOKS_AT_LONGS")
    void whoOnlyLooksAtAMapOfLongsBreaksNothing(Consumer<LongLongMap> look) {
        LongLongMap map = longs(0);
        longs(2).getOrDefault(1, 0, Promise.onlyReads());
        look.accept(map);
    }

    @Test
    void whoDoesNotAskIsNotWatched() {
        DistributedMap<Long, Long> map = worlds.rank(0).map("others", Long.class, Long.class).capacity(100).open();
        map.put(1L, 1L);
        assertThat(map.get(1L, Promise.onlyReads())).isEqualTo(1);
    }

    @Test
    void aRankThatIsGoneHasNothingToSay() {
        maps.get(2).get(1L, Promise.onlyReads());
        worlds.rank(2).close();
        await().until(() -> !worlds.rank(0).peers().missing().isEmpty());
        List<Long> own = new ArrayList<>();
        maps.get(0).forEachLocal((key, value) -> own.add(key));
        assertThat(own).isEmpty();
    }
}
