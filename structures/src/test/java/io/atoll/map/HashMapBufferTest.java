package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.atoll.World;
import io.atoll.codec.Codec;
import io.atoll.codec.KeyHash;
import io.atoll.codec.fixed.Codecs;
import io.atoll.epoch.EpochManager;
import io.atoll.epoch.EpochSettings;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import io.atoll.failure.ConfigurationMismatchException;
import io.atoll.failure.RankUnreachableException;
import io.atoll.failure.TableFullException;
import io.atoll.map.bucket.Bucket;
import io.atoll.map.entry.Message;
import io.atoll.map.growth.Capacity;
import io.atoll.map.inline.InlineEntries;
import io.atoll.map.inline.InlineForm;
import io.atoll.promise.BrokenPromiseException;
import io.atoll.promise.Promise;
import io.atoll.world.Participant;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

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
            keys.subList(0, 2).forEach(map::remove);
            assertThatThrownBy(buffer::flush).as("what has its place is not inserted again")
                    .isInstanceOf(TableFullException.class);
            assertThat(map.size()).isEqualTo(buckets - 2);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 100}) // entries that a queue has room for: most are inserted one by one, or all are sent
    void whatAFullMapHasNoRoomForIsGivenUpAndThenTheBufferIsClosed(int queueSize) throws Exception {
        try (Worlds worlds = new Worlds(folder, 2)) {
            List<DistributedMap<Long, Long>> maps = IntStream.range(0, 2)
                    .mapToObj(rank -> worlds.rank(rank).map("map", Long.class, Long.class).fixedCapacity(3).open())
                    .toList();
            List<Long> keys = LongStream.range(0, 2 * maps.getFirst().buckets()).boxed().toList();
            Set<Long> givenUp = ConcurrentHashMap.newKeySet();
            Worlds.atOnce(2, rank -> () -> {
                HashMapBuffer<Long, Long> buffer = maps.get(rank).buffer(queueSize, 2);
                List<Long> own = keys.stream().filter(key -> key % 2 == rank).toList();
                int taken = 0;
                try {
                    for (; taken < own.size(); taken++) {
                        buffer.insert(own.get(taken), -own.get(taken));
                    }
                } catch (TableFullException full) {
                    givenUp.addAll(own.subList(taken, own.size()));
                }
                assertThatThrownBy(buffer::flush).isInstanceOf(TableFullException.class);
                worlds.rank(rank).barrier();
                long left = buffer.kept() + buffer.staged();
                assertThatIllegalStateException().isThrownBy(buffer::close)
                        .withMessageEndingWith("kept=" + buffer.kept() + " staged=" + buffer.staged());
                List<Long> lost = new ArrayList<>();
                buffer.giveUp((key, value) -> {
                    assertThat(value).isEqualTo(-key);
                    lost.add(key);
                });
                assertThat(lost).hasSize((int) left);
                givenUp.addAll(lost);
                buffer.close();
                buffer.flush();
                return rank;
            });
            assertThat(keys).allSatisfy(
                    key -> assertThat(maps.getFirst().contains(key)).isNotEqualTo(givenUp.contains(key)));
            assertThat(maps.getFirst().size()).isEqualTo(keys.size() - givenUp.size());
        }
    }

    @Test
    void whatWasSentSinceTheFlushThatFailedIsNotGivenUpWithWhatItHasLeft() throws Exception {
        try (Worlds worlds = new Worlds(folder, 1)) {
            DistributedMap<Long, Long> map = worlds.rank(0).map("map", Long.class, Long.class).fixedCapacity(3).open();
            long buckets = map.buckets();
            HashMapBuffer<Long, Long> buffer = map.buffer(100, 2);
            LongStream.range(0, buckets + 3).forEach(key -> buffer.insert(key, -key));
            assertThatThrownBy(buffer::flush).isInstanceOf(TableFullException.class);
            assertThat(buffer.kept()).isEqualTo(3);
            LongStream.of(0, 0, 1, 1, 2).forEach(key -> buffer.insert(key, -key));
            List<Long> lost = new ArrayList<>();
            buffer.giveUp((key, value) -> lost.add(key));
            assertThat(lost).containsExactlyInAnyOrder(2L, buckets, buckets + 1, buckets + 2);
            buffer.close();
            buffer.flush();
            assertThat(map.size()).isEqualTo(buckets);
        }
    }

    @Test
    void textsThatAFullSegmentHasNoRoomForAreGivenUp() throws Exception {
        try (Worlds worlds = new Worlds(folder, 1)) {
            DistributedMap<String, String> map = worlds.rank(0)
                    .map("texts", String.class, String.class)
                    .fixedCapacity(3)
                    .open();
            long buckets = map.buckets();
            HashMapBuffer<String, String> buffer = map.buffer(100, 2);
            LongStream.range(0, buckets + 3).forEach(number -> buffer.insert("key " + number, "value " + number));
            assertThatThrownBy(buffer::flush).isInstanceOf(TableFullException.class);
            Map<String, String> lost = new HashMap<>();
            buffer.giveUp(lost::put);
            assertThat(lost).hasSize(3).allSatisfy((key, value) -> {
                assertThat(value).isEqualTo(key.replace("key", "value"));
                assertThat(map.contains(key)).isFalse();
            });
            buffer.close();
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
                    LongStream.range(0, 20).forEach(key -> buffer.insert(2 * key + rank, key));
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
            buffer.insert(1L, 2L);
            assertThatIllegalStateException().isThrownBy(buffer::close).withMessageEndingWith("staged=1");
            buffer.flush();
            buffer.close();
            assertThat(map.find(1L)).isEqualTo(2);
            assertThatIllegalArgumentException().isThrownBy(() -> map.buffer(4, 5))
                    .withMessageEndingWith("queueSize=4 messageSize=5");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"14 2", "13 4", "12 3"}) // the queues of 14 and 2 are as long as those of 12 and 4
    void ranksThatOpenItWithDifferentSizesAreToldWhichRankHasWhich(String other) throws Exception {
        int queueSize = Integer.parseInt(other.split(" ")[0]);
        int messageSize = Integer.parseInt(other.split(" ")[1]);
        try (Worlds worlds = new Worlds(folder, RANKS)) {
            List<DistributedMap<Long, Long>> maps = worlds.maps("map", Long.class, Long.class, 100);
            maps.get(0).buffer(12, 4);
            maps.get(2).buffer(12, 4);
            assertThatExceptionOfType(ConfigurationMismatchException.class)
                    .isThrownBy(() -> maps.get(1).buffer(queueSize, messageSize))
                    .withMessage("all ranks give DistributedMap.buffer the same sizes: name=map.buffer"
                            + " existing=[queueSize=12 messageSize=4 ranks=[0, 2]] asked=[queueSize=%d messageSize=%d rank=1]",
                            queueSize, messageSize);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    @Timeout(30)
    void aFlushThatWasInterruptedGoesOnAtTheBarrierWhereItWas(int interruptedAt) throws Exception {
        try (Worlds worlds = new Worlds(folder, 2)) {
            DistributedMap<Long, Long> map = worlds.maps("map", Long.class, Long.class, 100).getFirst();
            HashMapBuffer<Long, Long> buffer = map.buffer(10, 5);
            long[] own = LongStream.range(0, 100).filter(key -> map.owner(key) == 0).limit(2).toArray();
            buffer.insert(own[0], 1L);
            Flush flush = new Flush(buffer);
            Flush again = new Flush(buffer);
            Participant other = worlds.rank(1).participant();
            flush.thread.start();
            flushWithNothing(other, barrier -> {
                if (barrier == interruptedAt) {
                    flush.interruptAfter(other.lastBarrier(), worlds.rank(0).participant());
                    buffer.insert(own[1], 2L);
                    again.thread.start();
                }
            });
            again.end.get();
            assertThat(map.find(own[0])).isEqualTo(1);
            assertThat(buffer.staged()).as("for the next one").isOne();

            Flush next = new Flush(buffer);
            next.thread.start();
            flushWithNothing(other, _ -> {});
            next.end.get();
            assertThat(map.find(own[1])).isEqualTo(2);
        }
    }

    @Test
    void aFlushThatWasInterruptedBeforeItBeganBeginsWhenItIsCalledAgain() throws Exception {
        try (Worlds worlds = new Worlds(folder, 1)) {
            DistributedMap<Long, Long> map = worlds.maps("map", Long.class, Long.class, 100).getFirst();
            HashMapBuffer<Long, Long> buffer = map.buffer(10, 5);
            buffer.insert(1L, 2L);
            Thread.currentThread().interrupt();
            assertThatThrownBy(buffer::flush).isInstanceOf(InterruptedException.class);
            buffer.flush();
            assertThat(map.find(1L)).isEqualTo(2);
        }
    }

    /** As a rank does that has inserted nothing and is sent nothing; what it does before each of the two barriers takes its time. */
    private static void flushWithNothing(Participant rank, IntConsumer before) throws InterruptedException {
        rank.together(steps -> {
            for (int barrier = 1; barrier <= 2; barrier++) {
                before.accept(barrier);
                steps.pass();
            }
        });
    }

    /** One in a thread of its own. */
    private static final class Flush {

        private final FutureTask<Void> end;
        private final Thread thread;

        Flush(HashMapBuffer<Long, Long> buffer) {
            end = new FutureTask<>(() -> {
                buffer.flush();
                return null;
            });
            thread = Thread.ofPlatform().daemon().unstarted(end);
        }

        void interruptAfter(long barrier, Participant rank) {
            await().until(() -> rank.lastBarrier() == barrier);
            thread.interrupt();
            assertThatThrownBy(end::get).hasCauseInstanceOf(InterruptedException.class);
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
                .isEqualTo("A8 W1616 A8 W1616 A8 W1616 in 6"); // it waits for each write, too
    }

    @Test
    void textsOfAnyLengthAreSentInMessagesOrAtOnce() throws Exception {
        try (Worlds worlds = new Worlds(folder, RANKS)) {
            List<DistributedMap<String, String>> maps = worlds.maps("texts", String.class, String.class, 3_000);
            Worlds.atOnce(RANKS, rank -> () -> {
                try (HashMapBuffer<String, String> buffer = maps.get(rank).buffer(300, 10)) {
                    for (int round = 0; round < 2; round++) {
                        for (int number = 0; number < 500; number++) {
                            buffer.insert(key(rank, round, number), value(number));
                        }
                        buffer.flush();
                    }
                }
                return rank;
            });
            for (int number = 0; number < 500; number++) {
                for (int rank = 0; rank < RANKS; rank++) {
                    assertThat(maps.getFirst().find(key(rank, 0, number))).isEqualTo(value(number));
                    assertThat(maps.getFirst().find(key(rank, 1, number))).isEqualTo(value(number));
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

    @Test
    @Timeout(60)
    void whatCannotBeSentIsStagedUpToWhatTheQueuesHaveRoomForAndThenRefused() throws Exception {
        try (Worlds worlds = new Worlds(folder, 2)) {
            List<DistributedMap<Long, Long>> maps = worlds.maps("map", Long.class, Long.class, 1_000);
            HashMapBuffer<Long, Long> buffer = maps.get(0).buffer(20, 4);
            leaveInTheMiddleOf(new Flush(buffer), worlds.rank(1));
            List<Long> taken = insertUntilRefused(buffer, 0);

            HashMapBuffer<Long, Long> other = restarted(worlds).buffer(20, 4);
            List<Long> takenByOther = insertUntilRefused(other, 1_000);
            List<HashMapBuffer<Long, Long>> buffers = List.of(buffer, other);
            Worlds.atOnce(2, rank -> () -> {
                buffers.get(rank).flush();
                return rank;
            });
            assertThat(taken).allSatisfy(key -> assertThat(maps.get(0).find(key)).isEqualTo(-key));
            assertThat(maps.get(0).size()).isEqualTo(taken.size() + takenByOther.size());
            LongStream.range(2_000, 2_200).forEach(key -> buffer.insert(key, -key));
            assertThat(buffer.staged()).as("it is sent again").isLessThanOrEqualTo(2 * 4);
        }
    }

    /** It has passed the first barrier, and has sent nothing. */
    private static void leaveInTheMiddleOf(Flush flush, World other) {
        flush.thread.start();
        assertThatThrownBy(() -> other.participant().together(steps -> {
            steps.pass();
            throw new InterruptedException("leaves");
        })).isInstanceOf(InterruptedException.class);
        other.close();
        assertThatThrownBy(flush.end::get).hasCauseInstanceOf(RankUnreachableException.class);
    }

    private static DistributedMap<Long, Long> restarted(Worlds worlds) {
        return worlds.restart(1).map("map", Long.class, Long.class).capacity(1_000).open();
    }

    @Test
    @Timeout(60)
    void aBufferThatIsOpenedAnewAfterAFlushThatHasFailedGoesOnWithWhatWasStaged() throws Exception {
        try (Worlds worlds = new Worlds(folder, 2)) {
            List<DistributedMap<Long, Long>> maps = worlds.maps("map", Long.class, Long.class, 1_000);
            leaveInTheMiddleOf(new Flush(maps.get(0).buffer(20, 4)), worlds.rank(1));
            LongStream.range(0, 30).forEach(key -> maps.get(0).buffer(20, 4).insert(key, -key));
            assertThat(maps.get(0).buffer(20, 4).staged()).as("others may be in the middle of the flush").isEqualTo(30);
            assertThatExceptionOfType(ConfigurationMismatchException.class)
                    .isThrownBy(() -> maps.get(0).buffer(21, 4))
                    .withMessageEndingWith(
                            "existing=[queueSize=20 messageSize=4 ranks=[0]] asked=[queueSize=21 messageSize=4 rank=0]");

            DistributedMap<Long, Long> restarted = restarted(worlds);
            List<DistributedMap<Long, Long>> all = List.of(maps.get(0), restarted);
            Worlds.atOnce(2, rank -> () -> {
                all.get(rank).buffer(20, 4).flush();
                return rank;
            });
            assertThat(LongStream.range(0, 30)).allSatisfy(key -> assertThat(restarted.find(key)).isEqualTo(-key));
            assertThat(restarted.size()).isEqualTo(30);
        }
    }

    @Test
    @Timeout(60)
    void aTextThatIsLongerThanAMessageIsNotLostWhereItCannotBeSentAtOnce() throws Exception {
        try (Worlds worlds = new Worlds(folder, 2)) {
            worlds.rank(1).close();
            worlds.restart(1);
            List<DistributedMap<String, String>> maps = worlds.maps("texts", String.class, String.class, 100);
            List<String> keys = IntStream.range(0, 10).mapToObj(number -> "key " + number).toList();
            HashMapBuffer<String, String> restarted = maps.get(1).buffer(100, 10);
            keys.forEach(key -> restarted.insert(key, "v".repeat(2_000)));
            assertThat(restarted.staged()).isEqualTo(keys.size());
            Worlds.atOnce(2, rank -> () -> {
                maps.get(rank).buffer(100, 10).flush();
                return rank;
            });
            assertThat(keys).allSatisfy(key -> assertThat(maps.get(0).find(key)).hasSize(2_000));
        }
    }

    private static List<Long> insertUntilRefused(HashMapBuffer<Long, Long> buffer, long first) {
        List<Long> taken = new ArrayList<>();
        assertThatIllegalStateException().isThrownBy(() -> {
            for (long key = first; key < first + 1_000; key++) {
                buffer.insert(key, -key);
                taken.add(key);
            }
        })
                .withMessageContaining("flush, or pass a barrier")
                .satisfies(refusal -> assertThat(refusal).hasMessageEndingWith("staged=" + taken.size()));
        int ofAnOwner = (20 / 4 + 2) * 4;
        assertThat(taken).hasSizeBetween(ofAnOwner, 2 * ofAnOwner);
        return taken;
    }

    @ParameterizedTest
    @FieldSource("EVERY_COST")
    void whatLiesInTheOwnQueueIsInsertedWithoutAVerbOnAnyFabric(Guarantees guarantees) {
        var world = new CostWorld(guarantees);
        InlineEntries<Long, Long> entries = new InlineForm<>("map", LONGS, LONGS)
                .entries(world.participant(),
                        new Capacity(CostWorld.CAPACITY, true)
                                .open("map", world.participant(), world.epochs(), false, "test",
                                        new Bucket(Long.BYTES, Long.BYTES).size),
                        null);
        Message message = new Message(100, Message.bytes(100, entries.bytesInMessage()));
        LongStream.range(0, 10_000)
                .filter(key -> KeyHash.rank(KeyHash.of(key), CostWorld.RANKS) == 0)
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
                buffer.insert(key, key);
            }
            assertThatExceptionOfType(BrokenPromiseException.class).as("a full queue")
                    .isThrownBy(() -> map.find(1L, Promise.onlyFinds()))
                    .withMessageContaining("there=[INSERT at " + HashMapBufferTest.class.getName());
            map.put(10L, 10L);
            buffer.flush();
            assertThat(map.find(1L, Promise.onlyFinds())).as("in the next phase").isEqualTo(1);
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
