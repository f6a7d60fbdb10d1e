package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.codec.KeyHash;
import io.atoll.promise.Promise;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** That operations which have been warmed up leave the Java heap alone. */
class DistributedMapAllocationTest {

    @TempDir
    Path folder;

    private static final Long VALUE = 1L; // one that is boxed already

    private final Long[] keys = LongStream.range(0, Allocations.KEYS).boxed().toArray(Long[]::new);
    private Worlds worlds;

    @BeforeEach
    void join() {
        worlds = new Worlds(folder, 2);
    }

    @AfterEach
    void leave() {
        worlds.close();
    }

    private List<DistributedMap<Long, Long>> fixedMaps(String name) {
        return IntStream.range(0, 2)
                .mapToObj(rank -> worlds.rank(rank)
                        .map(name, Long.class, Long.class)
                        .fixedCapacity(Allocations.KEYS)
                        .open())
                .toList();
    }

    private void insertEveryKey(DistributedMap<Long, Long> map) {
        for (Long key : keys) {
            map.insert(key, VALUE);
        }
    }

    @Test
    void findsAllocateNothing() {
        DistributedMap<Long, Long> map = fixedMaps("map").getFirst();
        insertEveryKey(map);
        assertThat(List.of(
                Allocations.of(key -> map.find(keys[(int) key])),
                Allocations.of(key -> map.find(keys[(int) key], Promise.onlyFinds())),
                Allocations.of(key -> map.contains(keys[(int) key])))).containsOnly(0L);
    }

    @Test
    void insertionsIntoFreeBucketsAllocateNothing() {
        for (int round = 0; round < Allocations.ROUNDS; round++) {
            insertEveryKey(fixedMaps("warm" + round).getFirst());
        }
        DistributedMap<Long, Long> map = fixedMaps("map").getFirst();
        Long[] apart = apart(map.buckets() / 2);
        assertThat(apart).hasSizeGreaterThan(Allocations.KEYS / 2);
        assertThat(Allocations.ofOneRound(key -> map.insert(apart[(int) key], VALUE), apart.length))
                .isZero();
        assertThat(map.size()).isEqualTo(apart.length);
    }

    /** Keys of which no two are first looked for in the same bucket. */
    private Long[] apart(long buckets) {
        Placement placement = new Placement(2, buckets);
        Set<Long> homes = new HashSet<>();
        return Stream.of(keys).filter(key -> {
            long hash = KeyHash.of(key);
            return homes.add(2 * placement.home(hash) + placement.owner(hash));
        }).toArray(Long[]::new);
    }
}
