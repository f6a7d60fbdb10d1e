package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.CostPage;
import io.atoll.codec.FixedHash;
import io.atoll.codec.KeyHash;
import io.atoll.fabric.Guarantees;
import java.io.IOException;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Round trips of insertions through a buffer. */
class HashMapBufferCostTest {

    private static final int ENTRIES = 16; // of a message

    private static HashMapBuffer<Long, Long> buffer(CostWorld world) {
        return DistributedMap.builder("map", Long.class, Long.class, world::participant, world.epochs())
                .fixedCapacity(CostWorld.CAPACITY)
                .open()
                .buffer(1_024, ENTRIES);
    }

    /** Returns as many keys as fill a message, and one more. */
    private static List<Long> keys(int owner) {
        return LongStream.range(1, 10_000)
                .filter(key -> KeyHash.rank(FixedHash.of(key), CostWorld.RANKS) == owner)
                .limit(ENTRIES + 1)
                .boxed()
                .toList();
    }

    /** The entry that finds the message full sends it. */
    private static int sending(Guarantees guarantees) {
        var world = new CostWorld(guarantees);
        HashMapBuffer<Long, Long> buffer = buffer(world);
        List<Long> keys = keys(1);
        assertThat(world.journalOf(() -> keys.subList(0, ENTRIES).forEach(key -> buffer.putIfAbsent(key, 1L)))
                .entries()).isEmpty();
        return world.journalOf(() -> buffer.putIfAbsent(keys.getLast(), 1L)).roundTrips();
    }

    private static int inserting(Guarantees guarantees) {
        var world = new CostWorld(guarantees);
        HashMapBuffer<Long, Long> buffer = buffer(world);
        keys(0).forEach(key -> buffer.putIfAbsent(key, 1L));
        assertThat(buffer.staged()).isOne();
        return world.journalOf(buffer::insertOwn).roundTrips();
    }

    @Test
    void theRoundTripsAreThoseOfThePage() throws IOException {
        assertThat(CostPage.read()).containsEntry("map: `putIfAbsent` through a buffer, n entries of a message",
                CostPage.counted(HashMapBufferCostTest::sending, HashMapBufferCostTest::inserting));
    }
}
