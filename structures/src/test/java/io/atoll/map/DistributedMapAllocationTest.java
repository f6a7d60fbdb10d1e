package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.AllocatedBytes;
import io.atoll.codec.FixedHash;
import io.atoll.promise.Promise;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** Operations that have been warmed up allocate nothing on the Java heap. */
@Isolated
class DistributedMapAllocationTest {

    private static final int KEYS = 20_000;

    @TempDir
    Path folder;

    private static final Long VALUE = 1L; // one that is boxed already

    private final Long[] keys = LongStream.range(0, KEYS).boxed().toArray(Long[]::new);
    private Worlds worlds;

    @BeforeEach
    void join() {
        worlds = new Worlds(folder, 2, 32 << 20);
    }

    @AfterEach
    void leave() {
        worlds.close();
    }

    private List<DistributedMap<Long, Long>> fixedMaps(String name) {
        return IntStream.range(0, 2)
                .mapToObj(rank -> worlds.rank(rank)
                        .map(name, Long.class, Long.class)
                        .fixedCapacity(KEYS)
                        .open())
                .toList();
    }

    @Test
    void readsAllocateNothing() {
        DistributedMap<Long, Long> map = fixedMaps("map").getFirst();
        insert(map, keys);
        assertThat(List.of(
                bytes(map::get),
                bytes(key -> map.get(key, Promise.onlyReads())),
                bytes(map::containsKey))).containsOnly(0L);
    }

    private long bytes(Consumer<Long> operation) {
        return AllocatedBytes.of(() -> ofEach(keys, operation));
    }

    private static void ofEach(Long[] keys, Consumer<Long> operation) {
        for (Long key : keys) {
            operation.accept(key);
        }
    }

    @Test
    void insertionsIntoFreeBucketsAllocateNothing() {
        List<DistributedMap<Long, Long>> maps = new ArrayList<>();
        Long[] apart = apart(fixedMaps("other").getFirst().buckets() / 2);
        assertThat(apart).hasSizeGreaterThan(KEYS / 2);
        assertThat(AllocatedBytes.of(() -> {
            maps.add(fixedMaps("map" + maps.size()).getFirst());
            return maps.getLast();
        }, map -> insert(map, apart))).isZero();
        assertThat(maps.getLast().size()).isEqualTo(apart.length);
    }

    private static void insert(DistributedMap<Long, Long> map, Long[] keys) {
        for (Long key : keys) {
            map.putIfAbsent(key, VALUE);
        }
    }

    /** Returns keys of which no two are first looked for in the same bucket. */
    private Long[] apart(long buckets) {
        Placement placement = new Placement(2, buckets);
        Set<Long> homes = new HashSet<>();
        return Stream.of(keys).filter(key -> {
            long hash = FixedHash.of(key);
            return homes.add(2 * placement.home(hash) + placement.owner(hash));
        }).toArray(Long[]::new);
    }
}
