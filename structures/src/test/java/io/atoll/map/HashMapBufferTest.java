package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.codec.Codec;
import io.atoll.codec.Codecs;
import io.atoll.codec.KeyHash;
import io.atoll.epoch.EpochManager;
import io.atoll.epoch.EpochSettings;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import io.atoll.failure.TableFullException;
import io.atoll.queue.FastQueue;
import io.atoll.world.Participant;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

class HashMapBufferTest {

    static final List<Guarantees> EVERY_FABRIC = SimOptions.EVERY_FABRIC;

    private static final int RANKS = 3;
    private static final Codec<Long> LONGS = Codecs.forType(Long.class);

    @TempDir
    Path folder;

    /** Every rank inserts its keys and flushes, as often; returns what came of it at each. */
    private static List<Boolean> insertAndFlush(List<DistributedMap<Long, Long>> maps, int queueSize, int messageSize,
            long keys) throws Exception {
        return Worlds.atOnce(RANKS, rank -> () -> {
            try (HashMapBuffer<Long, Long> buffer = maps.get(rank).buffer(queueSize, messageSize)) {
                for (long key = 0; key < keys; key++) {
                    buffer.insert(key * RANKS + rank, key);
                }
                buffer.flush();
                return LongStream.range(0, keys * RANKS)
                        .allMatch(key -> Long.valueOf(key / RANKS).equals(maps.get(rank).find(key)));
            }
        });
    }

    @Test
    void whatAllRanksHaveInsertedIsThereAfterTheFlush() throws Exception {
        try (Worlds worlds = new Worlds(folder, RANKS)) {
            List<DistributedMap<Long, Long>> maps = worlds.maps("map", Long.class, Long.class, 10_000);
            assertThat(insertAndFlush(maps, 4_000, 64, 3_000)).containsOnly(true);
            assertThat(insertAndFlush(maps, 4_000, 64, 3_000)).as("again").containsOnly(true);
            assertThat(maps.getFirst().size()).isEqualTo(9_000);
        }
    }

    @Test
    void queuesThatAreFullLoseNothing() throws Exception {
        try (Worlds worlds = new Worlds(folder, RANKS)) {
            List<DistributedMap<Long, Long>> maps = worlds.maps("map", Long.class, Long.class, 10_000);
            assertThat(insertAndFlush(maps, 10, 7, 1_000)).containsOnly(true);
        }
    }

    @Test
    void aMapThatIsFullLosesNothingOfWhatIsStillInTheBuffer() throws Exception {
        try (Worlds worlds = new Worlds(folder, 1)) {
            DistributedMap<Long, Long> map = worlds.rank(0).map("map", Long.class, Long.class).fixedCapacity(3).open();
            int buckets = (int) map.buckets();
            List<Long> keys = LongStream.range(0, buckets + 2).boxed().toList();
            HashMapBuffer<Long, Long> buffer = map.buffer(100, 2);
            keys.forEach(key -> buffer.insert(key, -key));
            assertThatThrownBy(buffer::flush).isInstanceOf(TableFullException.class);
            assertThatThrownBy(buffer::flush).as("still").isInstanceOf(TableFullException.class);
            assertThat(keys.subList(0, buckets)).allSatisfy(key -> assertThat(map.find(key)).isEqualTo(-key));
            var queue = FastQueue.builder("map.buffer.0", new EntryCodec<>(LONGS, LONGS), worlds.rank(0)::participant);
            assertThat(queue.capacity(100).open().size()).isEqualTo(2);
        }
    }

    @Test
    void aBufferThatWasNotFlushedIsNotClosed() throws Exception {
        try (Worlds worlds = new Worlds(folder, 1)) {
            DistributedMap<Long, Long> map = worlds.maps("map", Long.class, Long.class, 100).getFirst();
            HashMapBuffer<Long, Long> buffer = map.buffer(10, 5);
            buffer.insert(1L, 2L);
            assertThatIllegalStateException().isThrownBy(buffer::close).withMessageEndingWith("staged=1");
            buffer.flush();
            buffer.close();
            assertThat(map.find(1L)).isEqualTo(2);
            assertThatIllegalArgumentException().isThrownBy(() -> map.buffer(4, 5))
                    .withMessageEndingWith("queueSize=4 messageSize=5");
            assertThatThrownBy(() -> worlds.rank(0).map("texts", String.class, Long.class).open().buffer(10, 5))
                    .isInstanceOf(UnsupportedOperationException.class);
        }
    }

    @Test
    void aMessageCostsAnAtomicAndAWrite() {
        var world = new CostWorld(CostWorld.LINES);
        DistributedMap<Long, Long> map = DistributedMap.builder("map", LONGS, LONGS, world::participant, world.epochs())
                .fixedCapacity(CostWorld.CAPACITY)
                .open();
        HashMapBuffer<Long, Long> buffer = map.buffer(1_000, 100);
        List<Long> keys = LongStream.range(0, 10_000)
                .filter(key -> KeyHash.rank(KeyHash.of(key), CostWorld.RANKS) == 1)
                .limit(301)
                .boxed()
                .toList();
        assertThat(world.costOf(() -> keys.forEach(key -> buffer.insert(key, key))))
                .isEqualTo("A8 W1600 A8 W1600 A8 W1600 in 3");
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void everyInterleavingInsertsEverythingOnce(Guarantees guarantees) {
        Seeds.each(MapSimulation.SEEDS / 5, seed -> {
            var simulation = new Simulation(seed, MapWorld.pausing(guarantees));
            simulation.run(rank -> {
                var self = new Participant(rank.endpoint(), 1, simulation::isFenced, MapWorld.OPERATION_TIMEOUT,
                        () -> IntStream.generate(() -> 1).limit(MapWorld.RANKS).toArray());
                DistributedMap<Long, Long> map = DistributedMap
                        .builder("map", LONGS, LONGS, () -> self, new EpochManager(() -> self, EpochSettings.DEFAULT))
                        .fixedCapacity(100)
                        .open();
                HashMapBuffer<Long, Long> buffer = map.buffer(5, 2);
                try {
                    for (long key = 0; key < 8; key++) {
                        buffer.insert(key, key);
                        buffer.insert(10 + key * MapWorld.RANKS + rank.rank(), key);
                    }
                    buffer.flush();
                } catch (InterruptedException impossible) {
                    throw new AssertionError(impossible);
                }
                assertThat(LongStream.range(0, 34)).allSatisfy(key -> assertThat(map.contains(key))
                        .as("key=" + key)
                        .isEqualTo(key < 8 || key >= 10));
                assertThat(map.size()).isEqualTo(32);
            });
        });
    }
}
