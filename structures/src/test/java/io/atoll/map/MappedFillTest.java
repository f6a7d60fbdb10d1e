package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.Wrapper;
import io.atoll.codec.FixedHash;
import io.atoll.fabric.Endpoint;
import io.atoll.fabric.Fabric;
import io.atoll.memory.LocalMemory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests what operations do to a segment that is mapped, load by load and store by store. No machine reliably shows what
 * a processor makes of them.
 */
class MappedFillTest {

    private static final Set<String> STORES = Set.of("set", "setRelease", "setVolatile", "store");
    private static final Set<String> ORDERED = Set.of("getAndSet", "getAndAdd", "compareAndExchange", "fullFence");

    /** Is told of each access, and may answer a load in the memory's place. */
    private interface Access {
        Object of(String method, Object[] arguments, Object answer);
    }

    @TempDir
    Path folder;

    private final List<World> worlds = new ArrayList<>();

    @BeforeEach
    void join() {
        for (int rank = 0; rank < 2; rank++) {
            worlds.add(World.named("mapped")
                    .keySeed(FixedHash.SEED)
                    .size(2)
                    .rank(rank)
                    .segment(4 << 20)
                    .fabric(Fabrics.sharedMemory(folder, false))
                    .open());
        }
    }

    @AfterEach
    void leave() {
        worlds.forEach(World::close);
    }

    private static <T> T watched(Class<T> type, T watched, Access access) {
        return Wrapper.around(watched, type, call -> access.of(call.name(), call.arguments(), call.proceed()));
    }

    /** Returns a fabric whose accesses are watched. The fabric below it that maps the segments is watched, too. */
    private static Fabric watchedFabric(Fabric fabric, Access access) {
        return watched(Fabric.class, fabric, (method, _, answer) -> {
            if (answer instanceof Fabric mapping) {
                return watchedFabric(mapping, access);
            }
            return method.equals("mapped") && answer instanceof LocalMemory memory
                    ? watched(LocalMemory.class, memory, access)
                    : answer;
        });
    }

    /** Runs the action while the accesses of that rank to mapped segments of others are watched. */
    private void watch(int rank, Access access, Runnable action) {
        Endpoint endpoint = worlds.get(rank).participant().endpoint();
        Fabric fabric = endpoint.fabric();
        endpoint.replaceFabric(present -> watchedFabric(present, access));
        try {
            action.run();
        } finally {
            endpoint.replaceFabric(_ -> fabric);
        }
    }

    private void assertLastStoreIsOrdered(int rank, Runnable insertion) {
        List<String> changes = new ArrayList<>();
        watch(rank, (method, _, answer) -> {
            if (STORES.contains(method) || ORDERED.contains(method)) {
                changes.add(method);
            }
            return answer;
        }, insertion);
        assertThat(changes).as("the entry is stored by the CPU").hasSizeGreaterThan(1);
        assertThat(ORDERED).as("changes: %s", changes).contains(changes.getLast());
    }

    /**
     * Two threads each insert a key and look for the other's: one of them finds it. A load overtakes a store that is
     * merely released, so an insertion ends with an exchange.
     */
    @Test
    void whatACallerLoadsAfterAnInsertionDoesNotOvertakeIt() {
        LongLongMap longs = worlds.getFirst().longMap("longs").fixedCapacity(1 << 10).open();
        assertLastStoreIsOrdered(0, () -> longs.putIfAbsent(far(longs::owner), 7));
        DistributedMap<Long, Long> words = worlds.getFirst()
                .map("words", Long.class, Long.class)
                .fixedCapacity(1 << 10)
                .open();
        assertLastStoreIsOrdered(0, () -> words.putIfAbsent(far(words::owner), 7L));
        DistributedMap<Long, UUID> wide = worlds.getFirst()
                .map("wide", Long.class, UUID.class)
                .fixedCapacity(1 << 10)
                .open();
        assertLastStoreIsOrdered(0, () -> wide.putIfAbsent(far(wide::owner), new UUID(1, 2)));
    }

    private interface Owners {
        int owner(long key);
    }

    /** Returns a key of the other rank. */
    private static long far(Owners owners) {
        return LongStream.iterate(1, key -> key + 1).filter(key -> owners.owner(key) == 1).findFirst().orElseThrow();
    }

    /**
     * Key and value may be loaded in any order. If the key reads as unwritten memory does, the bucket may have another
     * key.
     */
    @Test
    void aKeyThatReadsAsUnwrittenIsNotTakenForTheKeyZero() {
        for (int number = 0; number < 20; number++) {
            LongLongMap map = worlds.getFirst().longMap("map" + number).fixedCapacity(8).open();
            int owner = map.owner(0);
            LongLongMap reader = worlds.get(1 - owner).longMap("map" + number).fixedCapacity(8).open();
            long from = 1 + 100L * number;
            long[] keys = LongStream.iterate(from, key -> key + 1)
                    .filter(key -> map.owner(key) == owner)
                    .limit(4)
                    .toArray();
            for (long key : keys) {
                map.putIfAbsent(key, 1_000_000);
            }
            AtomicBoolean early = new AtomicBoolean(true);
            watch(1 - owner, (method, _, answer) -> {
                boolean isKey = method.equals("get") && LongStream.of(keys).anyMatch(key -> answer.equals(key));
                return isKey && early.compareAndSet(true, false) ? Long.valueOf(0) : answer;
            }, () -> assertThat(reader.getOrDefault(0, -1)).as("nobody has inserted it").isEqualTo(-1));
        }
    }
}
