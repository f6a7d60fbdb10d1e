package io.atoll.fabric.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.AllocatedBytes;
import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.WorldBuilder;
import io.atoll.codec.FixedHash;
import io.atoll.codec.KeyHash;
import io.atoll.epoch.EpochSettings;
import io.atoll.fabric.Attachment;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.Guarantees.AtomicDomain;
import io.atoll.fabric.Verb;
import io.atoll.fabric.WordTest;
import io.atoll.fabric.shm.SharedMemory;
import io.atoll.failure.RankUnreachableException;
import io.atoll.heap.MutatedFabric;
import io.atoll.map.DistributedMap;
import io.atoll.map.LongLongMap;
import io.atoll.memory.LocalMemory;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.FutureTask;
import java.util.function.IntConsumer;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Rank 0 counts its verbs, rank 1 does not. Verbs to other ranks take a nanosecond longer than real shared memory does,
 * so none is a load or a store.
 */
class VerbCountsTest {

    private static final int THREADS = 8;
    private static final Guarantees OF_A_CARD = new Guarantees(AtomicDomain.FABRIC_ONLY, Long.BYTES, false, true,
            false);

    @TempDir
    Path folder;

    private final VerbCounts counts = new VerbCounts();
    private World first;
    private World second;
    private Endpoint endpoint;
    private long word;
    private long remote;

    @BeforeEach
    void join() {
        first = world(0).verbCounts(counts).open();
        second = world(1).open();
        endpoint = first.participant().endpoint();
        word = first.participant().heap().allocate(0, 64);
        remote = first.participant().heap().allocate(1, 64);
    }

    private WorldBuilder world(int rank) {
        return World.named("counted")
                .keySeed(FixedHash.SEED)
                .size(2)
                .rank(rank)
                .segment(8 << 20)
                .epochs(EpochSettings.DEFAULT.pinLimit(Duration.ofHours(1))) // so that nobody looks at pins meanwhile
                .fabric(Fabrics.delayed(Fabrics.sharedMemory(folder, false), new Delay(1, 0)));
    }

    @AfterEach
    void leave() {
        second.close();
        first.close();
    }

    private record Count(Verb verb, Locality locality, long verbs) {}

    /** What the action adds, kinds that it does not use left out. */
    private List<Count> counted(Runnable action) {
        List<Count> before = all();
        action.run();
        List<Count> after = all();
        List<Count> added = new ArrayList<>();
        for (int at = 0; at < before.size(); at++) {
            long verbs = after.get(at).verbs - before.get(at).verbs;
            if (verbs != 0) {
                added.add(new Count(after.get(at).verb, after.get(at).locality, verbs));
            }
        }
        return added;
    }

    private List<Count> all() {
        List<Count> all = new ArrayList<>();
        for (Verb verb : Verb.values()) {
            for (Locality locality : Locality.values()) {
                all.add(new Count(verb, locality, counts.verbs(verb, locality)));
            }
        }
        return all;
    }

    private static Count local(Verb verb, long verbs) {
        return new Count(verb, Locality.LOCAL, verbs);
    }

    private static Count remote(Verb verb, long verbs) {
        return new Count(verb, Locality.REMOTE, verbs);
    }

    @Test
    void everyVerbIsCountedByItsKindAndByWhoseSegmentItGoesTo() {
        Endpoint card = new Endpoint(MeteredFabric.around(new RecordingFabric(uncounted(), OF_A_CARD), counts));
        assertThat(counted(() -> use(card))).containsExactly(local(Verb.READ, 1), remote(Verb.READ, 2),
                local(Verb.WRITE, 1), remote(Verb.WRITE, 1), local(Verb.COMPARE_AND_EXCHANGE, 1),
                remote(Verb.GET_AND_SET, 1), remote(Verb.GET_AND_ADD, 2), remote(Verb.GET_AND_BITWISE_OR, 1),
                local(Verb.FLUSH, 1), remote(Verb.FLUSH, 1));
    }

    @Test
    void everyVerbIsCountedByTheRankThatItGoesToWithItsBytes() {
        Endpoint card = new Endpoint(MeteredFabric.around(new RecordingFabric(uncounted(), OF_A_CARD), counts));
        VerbCounts.PeerTraffic own = peer(0);
        VerbCounts.PeerTraffic other = peer(1);
        use(card);
        assertThat(since(own)).isEqualTo(new VerbCounts.PeerTraffic(0, 1, 1, 1, 8, 8));
        assertThat(since(other)).isEqualTo(new VerbCounts.PeerTraffic(1, 2, 1, 4, 8 + 64, 64));
        other = peer(1);
        Batch batch = card.batch(1);
        batch.write(1, remote, 0, 16);
        batch.writeWord(1, remote + 16, 6);
        batch.read(1, remote, 32, 24);
        batch.getAndAdd(1, remote, 1);
        batch.compareAndExchange(1, remote, 6, 7);
        assertThat(since(other)).as("as they are added").isEqualTo(new VerbCounts.PeerTraffic(1, 1, 2, 2, 24, 24));
        batch.complete();
        assertThat(since(other)).isEqualTo(new VerbCounts.PeerTraffic(1, 1, 2, 2, 24, 24));
    }

    private VerbCounts.PeerTraffic peer(int rank) {
        return counts.peers()
                .stream()
                .filter(peer -> peer.rank() == rank)
                .findFirst()
                .orElse(new VerbCounts.PeerTraffic(rank, 0, 0, 0, 0, 0));
    }

    private VerbCounts.PeerTraffic since(VerbCounts.PeerTraffic before) {
        VerbCounts.PeerTraffic now = peer(before.rank());
        return new VerbCounts.PeerTraffic(before.rank(), now.reads() - before.reads(), now.writes() - before.writes(),
                now.atomics() - before.atomics(), now.bytesRead() - before.bytesRead(),
                now.bytesWritten() - before.bytesWritten());
    }

    @Test
    void ranksThatOnlyMappedMemoryOrAFlushHasReachedAreNoPeers() {
        VerbCounts fresh = new VerbCounts();
        Near near = new Near(uncounted());
        Endpoint used = new Endpoint(MeteredFabric.around(near, fresh));
        near.map(true);
        used.getAndAdd(1, remote, 1);
        near.map(false);
        used.flush(1);
        used.flush();
        assertThat(fresh.peers()).isEmpty();
        used.getAndAdd(1, remote, 1);
        assertThat(fresh.peers()).containsExactly(new VerbCounts.PeerTraffic(1, 0, 0, 1, 0, 0));
    }

    @Test
    void whatWasCountedIsKeptByAnotherFabricOfTheProcess() {
        VerbCounts shared = new VerbCounts();
        new Endpoint(MeteredFabric.around(uncounted(), shared)).readWord(1, remote);
        new Endpoint(MeteredFabric.around(uncounted(), shared)).readWord(1, remote);
        assertThat(shared.peers()).containsExactly(new VerbCounts.PeerTraffic(1, 2, 0, 0, 16, 0));
    }

    private Fabric uncounted() {
        return endpoint.fabric().mapping();
    }

    private void use(Endpoint used) {
        MemorySegment buffer = Arena.ofAuto().allocate(64, 8);
        used.readWord(0, word);
        used.readWord(1, remote);
        used.read(1, remote, buffer, 0, 64);
        used.write(1, remote, buffer, 0, 64);
        used.writeWord(0, word, 1);
        used.compareAndExchange(0, word, 0, 1);
        used.getAndAdd(1, remote, 1);
        used.getAndAdd(1, remote, 1);
        used.getAndSet(1, remote, 1);
        used.getAndBitwiseOr(1, remote, 1);
        used.flush(0);
        used.flush();
    }

    @Test
    void loadsAndStoresOfTheOwnMemoryAreNoVerbs() {
        LongLongMap map = first.longMap("hits").fixedCapacity(1000).open();
        long key = keyOf(0);
        assertThat(counted(() -> {
            map.putIfAbsent(key, 1);
            map.addAndGet(key, 1);
            map.getOrDefault(key, 0);
            endpoint.compareAndExchange(0, word, 0, 1);
            Batch batch = endpoint.batch(0);
            batch.writeWord(0, word, 1);
            batch.complete();
        })).isEmpty();
    }

    @Test
    void onSharedMemoryNothingCrossesTheFabricAndNothingIsInTheWay(@TempDir Path elsewhere) {
        try (Attachment own = new SharedMemory(elsewhere, false)
                .attach(new WorldIdentity("mapped", 2), OptionalInt.of(0), 128 << 10)) {
            assertThat(MeteredFabric.around(own.fabric(), counts)).isSameAs(own.fabric());
        }
    }

    @Test
    void aRankIsCountedOnlyWhileItsSegmentIsNotMapped() {
        Near near = new Near(uncounted());
        Fabric metered = MeteredFabric.around(near, counts);
        Endpoint used = new Endpoint(metered);
        assertThat(metered.mapping()).isSameAs(near);
        near.map(true);
        assertThat(used.mapped(1)).isSameAs(near.local());
        assertThat(counted(() -> {
            used.getAndAdd(1, remote, 1);
            Batch batch = used.batch(1);
            batch.read(1, remote, 0, 24);
            batch.complete();
        })).isEmpty();
        near.map(false);
        assertThat(used.mapped(1)).isNull();
        assertThat(counted(() -> used.getAndAdd(1, remote, 1))).containsExactly(remote(Verb.GET_AND_ADD, 1));
    }

    /** Says of rank 1 that it is mapped here, or not. */
    private static final class Near extends MutatedFabric {

        private final List<IntConsumer> listeners = new ArrayList<>();
        private boolean mapped;

        Near(Fabric wrapped) {
            super(wrapped);
        }

        void map(boolean isMapped) {
            mapped = isMapped;
            listeners.forEach(listener -> listener.accept(1));
        }

        @Override
        public @Nullable LocalMemory mapped(int rank) {
            return rank == 1 && mapped ? local() : null;
        }

        @Override
        public void whenRemapped(IntConsumer listener) {
            listeners.add(listener);
        }
    }

    @Test
    void aFabricThatIsCountedForwardsWhatIsNoVerb() {
        assertThat(Stream.of(Fabric.class.getDeclaredMethods())
                .filter(method -> method.isDefault() && !method.getName().equals("mapsEverySegment")))
                .hasSize(3)
                .allSatisfy(method -> assertThat(
                        MeteredFabric.class.getDeclaredMethod(method.getName(), method.getParameterTypes()))
                        .isNotNull());
    }

    @Test
    void countingChangesNothing() {
        endpoint.writeWord(1, remote, 7);
        assertThat(endpoint.readWord(1, remote)).isEqualTo(7);
        assertThat(endpoint.compareAndExchange(1, remote, 7, 8)).isEqualTo(7);
        assertThat(endpoint.getAndAdd(1, remote, 2)).isEqualTo(8);
        assertThat(endpoint.getAndBitwiseOr(1, remote, 1)).isEqualTo(10);
        assertThat(endpoint.getAndSet(1, remote, 3)).isEqualTo(11);
        assertThat(second.participant().endpoint().readWord(1, remote)).isEqualTo(3);
    }

    @Test
    void aVerbThatFailsIsCountedToo() {
        second.close();
        long before = counts.verbs(Verb.GET_AND_ADD, Locality.REMOTE);
        long[] attempts = new long[1];
        assertThatThrownBy(() -> {
            while (true) { // until the loss is noticed
                attempts[0]++;
                endpoint.getAndAdd(1, remote, 1);
            }
        }).isInstanceOf(RankUnreachableException.class);
        assertThat(counts.verbs(Verb.GET_AND_ADD, Locality.REMOTE) - before).isEqualTo(attempts[0]);
    }

    @Test
    void searchesAndWhatTheyMoveAreCounted() {
        assertThat(counted(() -> {
            Batch batch = endpoint.batch(1);
            WordTest.putEqual(batch, 0, 0, 0);
            batch.guard(batch.search(1, remote, 16, 2, 0, 1));
            batch.exchangeFound(1, remote, 0, 5);
            batch.getAndAdd(1, remote + 8, 1);
            batch.complete();
        })).containsExactly(remote(Verb.GET_AND_ADD, 1), remote(Verb.SEARCH, 1), remote(Verb.EXCHANGE_FOUND, 1));
    }

    @Test
    void aReadOfRecordsIsCountedWithTheFirstWordsThatItBringsTwice() {
        long before = counts.batchedBytes(Locality.REMOTE);
        assertThat(counted(() -> {
            Batch batch = endpoint.batch(1);
            batch.readRecords(1, remote, 16, 3, 0);
            batch.complete();
        })).containsExactly(remote(Verb.READ_RECORDS, 1));
        assertThat(counts.batchedBytes(Locality.REMOTE) - before).isEqualTo(72);
    }

    @Test
    void aSearchMovesItsAnswerIfTheOwnerDecidesAndElseAllRecords() {
        assertThat(bytesOfASearch(endpoint)).isEqualTo(16);
        assertThat(bytesOfASearch(
                new Endpoint(MeteredFabric.around(new RecordingFabric(uncounted(), OF_A_CARD), counts)))).isEqualTo(64);
    }

    private long bytesOfASearch(Endpoint by) {
        long before = counts.batchedBytes(Locality.REMOTE);
        VerbCounts.PeerTraffic other = peer(1);
        Batch batch = by.batch(1);
        WordTest.putEqual(batch, 0, 0, 0);
        batch.search(1, remote, 16, 4, 0, 1);
        batch.complete();
        long bytes = counts.batchedBytes(Locality.REMOTE) - before;
        assertThat(since(other)).isEqualTo(new VerbCounts.PeerTraffic(1, 1, 0, 0, bytes, 0));
        return bytes;
    }

    @Test
    void aBatchIsCountedWithItsVerbsAndBytes() {
        long batches = counts.batches(Locality.REMOTE);
        long verbs = counts.batchedVerbs(Locality.REMOTE);
        long bytes = counts.batchedBytes(Locality.REMOTE);
        assertThat(counted(() -> {
            Batch batch = endpoint.batch(1);
            batch.setWord(0, 5);
            batch.write(1, remote, 0, 16);
            batch.writeWord(1, remote + 16, 6);
            batch.read(1, remote, 32, 24);
            int added = batch.getAndAdd(1, remote, 1);
            int exchanged = batch.compareAndExchange(1, remote, 6, 7);
            batch.complete();
            assertThat(batch.word(32)).isEqualTo(5);
            assertThat(batch.result(added)).isEqualTo(5);
            assertThat(batch.result(exchanged)).isEqualTo(6);
        })).containsExactly(remote(Verb.READ, 1), remote(Verb.WRITE, 2), remote(Verb.COMPARE_AND_EXCHANGE, 1),
                remote(Verb.GET_AND_ADD, 1));
        assertThat(counts.batches(Locality.REMOTE) - batches).isOne();
        assertThat(counts.batchedVerbs(Locality.REMOTE) - verbs).isEqualTo(5);
        assertThat(counts.batchedBytes(Locality.REMOTE) - bytes).isEqualTo(16 + 8 + 24 + 8 + 8);
    }

    @Test
    void aBatchThatIsRecordedAtTheSameTimeIsCountedOnce() {
        Runnable use = () -> {
            Batch batch = endpoint.batch(1);
            batch.read(1, remote, 0, 24);
            batch.complete();
        };
        use.run();
        long batches = counts.batches(Locality.REMOTE);
        assertThat(counted(() -> assertThat(first.explain(use).reads()).isOne())).containsExactly(remote(Verb.READ, 1));
        assertThat(counts.batches(Locality.REMOTE) - batches).isOne();
    }

    @Test
    void aBatchThatIsPostedIsCountedThenAndOneOfItsOwnAsWell() {
        long batches = counts.batches(Locality.REMOTE);
        assertThat(counted(() -> {
            try (Batch batch = endpoint.fabric().newBatch(64)) {
                batch.read(1, remote, 0, 24);
                batch.post();
                while (!batch.poll()) {
                    Thread.onSpinWait();
                }
            }
        })).containsExactly(remote(Verb.READ, 1));
        assertThat(counts.batches(Locality.REMOTE) - batches).isOne();
    }

    @Test
    void anEmptyBatchIsNone() {
        long before = counts.batches(Locality.REMOTE);
        endpoint.batch(1).complete();
        assertThat(counts.batches(Locality.REMOTE)).isEqualTo(before);
    }

    /** A key of each rank, whose bucket nobody else uses. */
    private static long keyOf(int owner) {
        return LongStream.range(1, 1000)
                .filter(key -> KeyHash.rank(FixedHash.of(key), 2) == owner)
                .findFirst()
                .orElseThrow();
    }

    private static int count(List<Count> counted, Verb... verbs) {
        return counted.stream()
                .filter(count -> List.of(verbs).contains(count.verb()))
                .mapToInt(count -> Math.toIntExact(count.verbs()))
                .sum();
    }

    @Test
    void whatAMapUsesIsCountedAsItIsRecorded() {
        long key = keyOf(1);
        LongLongMap longs = first.longMap("hits").fixedCapacity(1000).open();
        LongLongMap twin = first.longMap("twin").fixedCapacity(1000).open();
        assertCountedAsRecorded(operations(longs, key), operations(twin, key));
        assertCountedAsRecorded(operations(objects("names"), key), operations(objects("twins"), key));
    }

    private DistributedMap<Long, Long> objects(String name) {
        return first.map(name, Long.class, Long.class).fixedCapacity(1000).open();
    }

    private static List<Runnable> operations(DistributedMap<Long, Long> map, long key) {
        return List.of(() -> map.putIfAbsent(key, 1L), () -> map.put(key, 2L), () -> map.get(key),
                () -> map.getAndRemove(key));
    }

    private static List<Runnable> operations(LongLongMap map, long key) {
        return List.of(() -> map.addAndGet(key, 1), () -> map.put(key, 2), () -> map.getOrDefault(key, 0),
                () -> map.putIfAbsent(key, 3), () -> map.getAndRemove(key, 0), () -> map.addAndGet(key, 1));
    }

    /** @param onTwin the same, where they are recorded */
    private void assertCountedAsRecorded(List<Runnable> operations, List<Runnable> onTwin) {
        for (int at = 0; at < operations.size(); at++) {
            List<Count> counted = counted(operations.get(at));
            Journal journal = first.explain(onTwin.get(at));
            assertThat(counted).isNotEmpty().allMatch(count -> count.locality() == Locality.REMOTE);
            assertThat(count(counted, Verb.READ, Verb.READ_RECORDS, Verb.SEARCH)).isEqualTo(journal.reads());
            assertThat(count(counted, Verb.WRITE, Verb.WRITE_BESIDE)).isEqualTo(journal.writes());
            assertThat(count(counted, Verb.COMPARE_AND_EXCHANGE, Verb.EXCHANGE_FOUND, Verb.GET_AND_ADD))
                    .isEqualTo(journal.atomics());
        }
    }

    @Test
    void noCountIsLostBetweenThreads() throws Exception {
        long each = 100_000;
        long before = counts.verbs(Verb.GET_AND_ADD, Locality.REMOTE);
        Map<Long, FutureTask<Void>> tasksByPart = new HashMap<>();
        List<Thread> threads = new ArrayList<>();
        while (threads.size() < THREADS) {
            var task = new FutureTask<Void>(() -> {
                for (long at = 0; at < each; at++) {
                    endpoint.getAndAdd(1, remote, 1);
                }
                return null;
            });
            Thread thread = Thread.ofPlatform().unstarted(task);
            if (tasksByPart.putIfAbsent(thread.threadId() % VerbCounts.PARTS, task) == null) {
                threads.add(thread);
            }
        }
        threads.forEach(Thread::start);
        for (FutureTask<Void> task : tasksByPart.values()) {
            task.get();
        }
        assertThat(endpoint.readWord(1, remote)).isEqualTo(THREADS * each);
        assertThat(counts.verbs(Verb.GET_AND_ADD, Locality.REMOTE) - before).isEqualTo(THREADS * each);
    }

    @Test
    void oneVerbOf1024IsTimedAndSoIsOneBatch() {
        List<String> samples = new ArrayList<>();
        counts.sampleTo(new VerbSamples() {

            @Override
            public void verb(Verb verb, Locality locality, int target, long nanos) {
                assertThat(nanos).isPositive();
                samples.add(verb + " " + locality + " " + target);
            }

            @Override
            public void batch(Locality locality, int verbs, long bytes, long nanos) {
                assertThat(nanos).isPositive();
                samples.add(verbs + " " + bytes + " " + locality);
            }
        });
        for (int verb = 0; verb < 3 * VerbCounts.SAMPLE_INTERVAL; verb++) {
            endpoint.getAndBitwiseOr(1, remote, 1);
        }
        assertThat(samples).hasSize(3).containsOnly("GET_AND_BITWISE_OR REMOTE 1");
        samples.clear();
        for (int at = 0; at < VerbCounts.SAMPLE_INTERVAL + 100; at++) {
            Batch batch = endpoint.batch(1);
            batch.read(1, remote, 0, 24);
            batch.writeWord(1, remote, 1);
            batch.complete();
        }
        assertThat(samples).isNotEmpty().hasSizeLessThan(3).containsOnly("2 32 REMOTE");
    }

    @Test
    void ranksHaveTheirTurnsToBeTimedAtOtherTimes() {
        VerbCounts many = new VerbCounts();
        List<Integer> timed = new ArrayList<>();
        Crossings crossings = new Crossings(many, true, 0, 300);
        for (int round = 0; round < VerbCounts.SAMPLE_INTERVAL; round++) {
            for (int target = 1; target < 300; target++) {
                if (crossings.count(Verb.READ, target, Long.BYTES)) {
                    timed.add(target);
                }
            }
            assertThat(timed).as("by round %s", round)
                    .hasSizeBetween((round + 1) * 299 / VerbCounts.SAMPLE_INTERVAL - 6,
                            (round + 1) * 299 / VerbCounts.SAMPLE_INTERVAL + 6);
        }
        assertThat(timed).hasSize(299).doesNotHaveDuplicates();
    }

    @Test
    void countingAllocatesNothing(@TempDir Path elsewhere) {
        WorldIdentity world = new WorldIdentity("unmapped", 2);
        SharedMemory memory = new SharedMemory(elsewhere, false);
        try (Attachment own = memory.attach(world, OptionalInt.of(0), 128 << 10);
                Attachment other = memory.attach(world, OptionalInt.of(1), 128 << 10)) {
            own.connect(1, other.incarnation(), Map.of());
            Endpoint counted = new Endpoint(MeteredFabric.around(new Near(own.fabric()), counts));
            long free = SegmentHeader.size(world.maxSize());
            assertThat(AllocatedBytes.of(() -> {
                for (int at = 0; at < 20_000; at++) {
                    counted.getAndAdd(1, free, 1);
                    Batch batch = counted.batch(1);
                    batch.read(1, free, 0, 24);
                    batch.complete();
                }
            })).isZero();
            assertThat(counts.batches(Locality.REMOTE)).isGreaterThanOrEqualTo(20_000);
        }
    }
}
