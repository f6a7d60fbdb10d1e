package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.codec.ChosenKeys;
import io.atoll.codec.Codecs;
import io.atoll.fabric.sim.SimOptions;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Keys that were chosen to meet in one bucket cost as much as any others: as many verbs, and so as many buckets. */
@Tag("simulation")
class FloodingTest {

    private static final int KEYS = 20_000;
    private static final int CAPACITY = 2 * KEYS; // over two ranks

    /**
     * More than an insertion and a find take, with the reads of the buckets in between. While the map grows, the limit
     * also covers what is moved.
     */
    private static final int MOST_VERBS_OF_A_KEY = 16;
    private static final int MOST_VERBS_WHILE_GROWING = 64;

    private final CostWorld world = new CostWorld(SimOptions.NETWORK_CARD, 16 << 20);
    private long verbs;

    private <K> void flood(Stream<K> keys, int mostVerbs, Consumer<K> operations) {
        long[] count = new long[1];
        keys.forEach(key -> {
            verbs += world.verbsOf(() -> operations.accept(key));
            assertThat(verbs).as("verbs of %d keys", ++count[0]).isLessThan(1_000 + count[0] * mostVerbs);
        });
        assertThat(count[0]).isEqualTo(KEYS);
    }

    @Test
    void chosenLongsDoNotSlowAMapOfLongs() {
        LongLongMap map = LongLongMap.builder("longs", world::participant, world.epochs())
                .fixedCapacity(CAPACITY)
                .open();
        flood(ChosenKeys.words(KEYS).boxed(), MOST_VERBS_OF_A_KEY, key -> {
            map.putIfAbsent(key, 1);
            assertThat(map.getOrDefault(key, 0)).isOne();
        });
    }

    @Test
    void chosenLongsDoNotSlowAMapThatGrows() {
        LongLongMap map = LongLongMap.builder("longs", world::participant, world.epochs()).capacity(1).open();
        flood(ChosenKeys.words(KEYS).boxed(), MOST_VERBS_WHILE_GROWING, key -> {
            map.putIfAbsent(key, 1);
            assertThat(map.getOrDefault(key, 0)).isOne();
        });
    }

    @Test
    void chosenKeysOfTwoWordsDoNotSlowAMapOfObjects() {
        DistributedMap<UUID, Long> map = DistributedMap
                .builder("uuids", Codecs.forType(UUID.class), Codecs.forType(Long.class), world::participant,
                        world.epochs())
                .fixedCapacity(CAPACITY)
                .open();
        flood(ChosenKeys.uuids(KEYS), MOST_VERBS_OF_A_KEY, key -> {
            map.putIfAbsent(key, 1L);
            assertThat(map.get(key)).isOne();
        });
    }

    @Test
    void chosenBytesDoNotSlowAMapOfValuesOfAnySize() {
        DistributedMap<byte[], Long> map = DistributedMap
                .builder("bytes", byte[].class, Long.class, world::participant, world.epochs())
                .fixedCapacity(CAPACITY)
                .open();
        flood(ChosenKeys.bytes(KEYS), MOST_VERBS_OF_A_KEY, key -> {
            map.putIfAbsent(key, 1L);
            assertThat(map.get(key)).isOne();
        });
    }
}
