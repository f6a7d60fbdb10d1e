package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.atoll.codec.Codec;
import io.atoll.codec.Codecs;
import io.atoll.codec.FixedHash;
import io.atoll.codec.KeyHash;
import io.atoll.epoch.EpochManager;
import io.atoll.epoch.EpochSettings;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import io.atoll.failure.ConfigurationMismatchException;
import io.atoll.promise.BrokenPromiseException;
import io.atoll.promise.Promise;
import io.atoll.world.OnLoss;
import io.atoll.world.Participant;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("simulation")
class HashMapBufferTest {

    static final List<Guarantees> EVERY_FABRIC = SimOptions.EVERY_FABRIC;

    private static final int RANKS = 3;
    private static final Codec<Long> LONGS = Codecs.forType(Long.class);

    @TempDir
    Path folder;

    /**
     * Lets every rank insert its keys and flush, all of them equally often. Returns true for each rank that then finds
     * the value of every key.
     */
    private static List<Boolean> insertAndFlush(List<DistributedMap<Long, Long>> maps, int queueSize, int messageSize,
            long keys) throws Exception {
        return Worlds.atOnce(RANKS, rank -> () -> {
            try (HashMapBuffer<Long, Long> buffer = maps.get(rank).buffer(queueSize, messageSize)) {
                for (long key = 0; key < keys; key++) {
                    buffer.putIfAbsent(key * RANKS + rank, key);
                }
                buffer.flush();
                return LongStream.range(0, keys * RANKS)
                        .allMatch(key -> Long.valueOf(key / RANKS).equals(maps.get(rank).get(key)));
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
    @Timeout(60)
    void whoseOwnFunctionFailsInAFlushLeavesNobodyWaiting() throws Exception {
        var fails = new AtomicBoolean();
        try (Worlds worlds = new Worlds(folder, 2)) {
            List<Integer> failures = Worlds.atOnce(2, rank -> () -> {
                DistributedMap<Long, Long> map = worlds.rank(rank)
                        .map("map", Long.class, Long.class)
                        .hash(key -> rank == 1 && fails.get() ? Math.toIntExact(Long.MAX_VALUE) : key)
                        .open();
                try (HashMapBuffer<Long, Long> buffer = map.buffer(100, 10)) {
                    LongStream.range(0, 20).forEach(key -> buffer.putIfAbsent(2 * key + rank, key));
                    worlds.rank(rank).barrier();
                    fails.set(true);
                    int failed = fails(buffer);
                    worlds.rank(rank).barrier();
                    fails.set(false);
                    return failed + fails(buffer);
                }
            });
            assertThat(failures).containsExactly(0, 1);
            assertThat(worlds.rank(0).map("map", Long.class, Long.class).hash(key -> key).open().size()).isEqualTo(40);
        }
    }

    private static int fails(HashMapBuffer<Long, Long> buffer) throws InterruptedException {
        try {
            buffer.flush();
            return 0;
        } catch (ArithmeticException failure) {
            return 1;
        }
    }

    @Test
    void aBufferThatWasNotFlushedIsNotClosed() throws Exception {
        try (Worlds worlds = new Worlds(folder, 1)) {
            DistributedMap<Long, Long> map = worlds.maps("map", Long.class, Long.class, 100).getFirst();
            HashMapBuffer<Long, Long> buffer = map.buffer(10, 5);
            buffer.putIfAbsent(1L, 2L);
            assertThatIllegalStateException().isThrownBy(buffer::close).withMessageEndingWith("staged=1");
            buffer.flush();
            buffer.close();
            assertThat(map.get(1L)).isEqualTo(2);
            assertThatIllegalArgumentException().isThrownBy(() -> map.buffer(4, 5))
                    .withMessageEndingWith("queueSize=4 messageSize=5");
            assertThatIllegalArgumentException().isThrownBy(() -> map.buffer(4, 0))
                    .withMessageEndingWith("queueSize=4 messageSize=0");
        }
    }

    @ParameterizedTest
    // The queues of 14 and 2 are as long as those of 12 and 4.
    @ValueSource(strings = {"14 2", "13 4", "12 3"})
    void ranksThatOpenItWithDifferentSizesAreToldWhichRankHasWhich(String other) throws Exception {
        int queueSize = Integer.parseInt(other.split(" ")[0]);
        int messageSize = Integer.parseInt(other.split(" ")[1]);
        try (Worlds worlds = new Worlds(folder, RANKS)) {
            List<DistributedMap<Long, Long>> maps = worlds.maps("map", Long.class, Long.class, 100);
            maps.get(0).buffer(12, 4);
            maps.get(2).buffer(12, 4);
            assertThatExceptionOfType(ConfigurationMismatchException.class)
                    .isThrownBy(() -> maps.get(1).buffer(queueSize, messageSize))
                    .withMessage("all ranks give DistributedMap.buffer the same sizes: structure=map.buffer"
                            + " existing=[queueSize=12 messageSize=4 ranks=[0, 2]]"
                            + " asked=[queueSize=%d messageSize=%d rank=1]",
                            queueSize, messageSize);
        }
    }

    @Test
    void aMessageCostsAnAtomicAndAWriteAsLongAsTheQueueHasRoomForItAndOneOfEachRank() {
        var world = new CostWorld(CostWorld.LINES);
        DistributedMap<Long, Long> map = DistributedMap.builder("map", LONGS, LONGS, world::participant, world.epochs())
                .fixedCapacity(CostWorld.CAPACITY)
                .open();
        HashMapBuffer<Long, Long> buffer = map.buffer(100, 100);
        List<Long> keys = LongStream.range(0, 10_000)
                .filter(key -> KeyHash.rank(FixedHash.of(key), CostWorld.RANKS) == 1)
                .limit(401)
                .boxed()
                .toList();
        assertThat(world.costOf(() -> keys.subList(0, 301).forEach(key -> buffer.putIfAbsent(key, key))))
                .isEqualTo("A8 W1616 A8 W1616 A8 W1616 in 6"); // the buffer waits for each write, too
        assertThat(world.costOf(() -> keys.subList(301, 401).forEach(key -> buffer.putIfAbsent(key, key))))
                .as("inserted one by one")
                .isEqualTo("R8" + " A8 W24".repeat(100) + " in 201");
    }

    @Test
    void textsOfAnyLengthAreSentInMessagesOrAtOnce() throws Exception {
        try (Worlds worlds = new Worlds(folder, RANKS)) {
            List<DistributedMap<String, String>> maps = worlds.maps("texts", String.class, String.class, 3_000);
            Worlds.atOnce(RANKS, rank -> () -> {
                try (HashMapBuffer<String, String> buffer = maps.get(rank).buffer(300, 10)) {
                    for (int round = 0; round < 2; round++) {
                        for (int number = 0; number < 500; number++) {
                            buffer.putIfAbsent(key(rank, round, number), value(number));
                        }
                        buffer.flush();
                    }
                }
                return rank;
            });
            for (int number = 0; number < 500; number++) {
                for (int rank = 0; rank < RANKS; rank++) {
                    assertThat(maps.getFirst().get(key(rank, 0, number))).isEqualTo(value(number));
                    assertThat(maps.getFirst().get(key(rank, 1, number))).isEqualTo(value(number));
                }
            }
            assertThat(maps.getFirst().size()).isEqualTo(2 * 500 * RANKS);
        }
    }

    private static String key(int rank, int round, int number) {
        return "key " + rank + " " + round + " " + number;
    }

    private static String value(int number) {
        return "v".repeat(number % 50 == 0 ? 2_000 : number % 100);
    }

    static final List<Guarantees> EVERY_COST = CostWorld.EVERY;

    @ParameterizedTest
    @FieldSource("EVERY_COST")
    void whatLiesInTheOwnQueueIsInsertedWithoutAVerbOnAnyFabric(Guarantees guarantees) {
        var world = new CostWorld(guarantees);
        InlineEntries<Long, Long> entries = new InlineForm<>("map", LONGS, LONGS)
                .entries(world.participant(),
                        new Capacity(CostWorld.CAPACITY, true)
                                .open("map", world.participant(), world.epochs(), false, "test",
                                        new Bucket(Long.BYTES, Long.BYTES).size, OnLoss.FAIL),
                        null, null);
        Message message = new Message(100, Message.bytes(100, entries.bytesInMessage()));
        LongStream.range(0, 10_000)
                .filter(key -> KeyHash.rank(FixedHash.of(key), CostWorld.RANKS) == 0)
                .limit(100)
                .forEach(key -> assertThat(entries.append(key, key, message)).isTrue());
        assertThat(entries.append(0L, 0L, message)).isFalse();
        message.seal();
        assertThat(world.costOf(() -> message.insertAll(entries.alone()::insert))).isEqualTo("no verb");
        assertThat(entries.count(0)).isEqualTo(100);
        assertThat(message.count()).isZero();
    }

    @Test
    void aMessageThatHasNotArrivedWholeIsDropped() {
        Message message = new Message(3, Message.bytes(3, Long.BYTES));
        for (int entry = 0; entry < 3; entry++) {
            message.words().set(ValueLayout.JAVA_LONG, message.add(Long.BYTES), 7 + entry);
        }
        MemorySegment arrived = message.seal();
        for (long lost = 0; lost < arrived.byteSize(); lost += Long.BYTES) {
            MemorySegment torn = MemorySegment.ofArray(arrived.toArray(ValueLayout.JAVA_LONG));
            torn.set(ValueLayout.JAVA_LONG, lost, 0);
            assertThat(inserted(torn)).as("lost=" + lost).isEmpty();
        }
        assertThat(inserted(arrived)).containsExactly(7L, 8L, 9L);
        assertThat(inserted(arrived)).as("a second time").isEmpty();
    }

    private static List<Long> inserted(MemorySegment message) {
        List<Long> inserted = new ArrayList<>();
        Message.insertAll(message, (words, position) -> {
            inserted.add(words.get(ValueLayout.JAVA_LONG, position));
            return position + Long.BYTES;
        });
        return inserted;
    }

    @Test
    void promisesAreWatchedOverWhereABufferIsUsed() throws Exception {
        try (Worlds worlds = new Worlds(folder, 1)) {
            DistributedMap<Long, Long> map = worlds.rank(0)
                    .map("map", Long.class, Long.class)
                    .checkedPromises()
                    .open();
            HashMapBuffer<Long, Long> buffer = map.buffer(1, 1);
            for (long key = 0; key < 10; key++) {
                buffer.putIfAbsent(key, key);
            }
            assertThatExceptionOfType(BrokenPromiseException.class).as("a full queue")
                    .isThrownBy(() -> map.get(1L, Promise.onlyReads()))
                    .withMessageContaining("there=[INSERT at " + HashMapBufferTest.class.getName());
            map.put(10L, 10L);
            buffer.flush();
            assertThat(map.get(1L, Promise.onlyReads())).as("in the next phase").isEqualTo(1);
            assertThat(map.size()).isEqualTo(11);
        }
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
                        buffer.putIfAbsent(key, key);
                        buffer.putIfAbsent(10 + key * MapWorld.RANKS + rank.rank(), key);
                    }
                    buffer.flush();
                } catch (InterruptedException impossible) {
                    throw new AssertionError(impossible);
                }
                assertThat(LongStream.range(0, 34)).allSatisfy(key -> assertThat(map.containsKey(key))
                        .as("key=" + key)
                        .isEqualTo(key < 8 || key >= 10));
                assertThat(map.size()).isEqualTo(32);
            });
        });
    }
}
