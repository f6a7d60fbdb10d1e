package io.atoll.fabric.metering;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.atoll.AllocatedBytes;
import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.WorldBuilder;
import io.atoll.codec.FixedHash;
import io.atoll.codec.KeyHash;
import io.atoll.epoch.EpochSettings;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.fabric.Verb;
import io.atoll.fabric.recording.Journal;
import io.atoll.failure.RankUnreachableException;
import io.atoll.map.DistributedMap;
import io.atoll.map.LongLongMap;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.LongConsumer;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Over real shared memory: rank 0 counts its verbs, rank 1 does not. */
class VerbCountsTest {

    private static final int THREADS = 8;
    private static final Duration SOON = Duration.ofSeconds(20);

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
                .fabric(Fabrics.sharedMemory(folder, false));
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
        MemorySegment buffer = Arena.ofAuto().allocate(64, 8);
        assertThat(counted(() -> {
            endpoint.readWord(0, word);
            endpoint.readWord(1, remote);
            endpoint.read(1, remote, buffer, 0, 64);
            endpoint.write(1, remote, buffer, 0, 64);
            endpoint.writeWord(0, word, 1);
            endpoint.compareAndExchange(0, word, 0, 1);
            endpoint.getAndAdd(1, remote, 1);
            endpoint.getAndAdd(1, remote, 1);
            endpoint.getAndSet(1, remote, 1);
            endpoint.getAndBitwiseOr(1, remote, 1);
            endpoint.flush(0);
            endpoint.flush();
        })).containsExactly(local(Verb.READ, 1), remote(Verb.READ, 2), local(Verb.WRITE, 1), remote(Verb.WRITE, 1),
                local(Verb.COMPARE_AND_EXCHANGE, 1), remote(Verb.GET_AND_SET, 1), remote(Verb.GET_AND_ADD, 2),
                remote(Verb.GET_AND_BITWISE_OR, 1),
                local(Verb.FLUSH, 1), remote(Verb.FLUSH, 1));
    }

    @Test
    void noVerbOfAnEndpointIsForgotten() {
        assertThat(Stream.of(Endpoint.class.getDeclaredMethods())
                .filter(method -> Modifier.isPublic(method.getModifiers()) && !Modifier.isFinal(method.getModifiers())))
                .hasSizeGreaterThan(10)
                .allSatisfy(method -> assertThat(
                        MeteredEndpoint.class.getDeclaredMethod(method.getName(), method.getParameterTypes()))
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
    void batchesOfABusyThreadAreEstimatedOthersAreCounted() {
        int few = VerbCounts.EXACT_BATCHES / 2;
        long many = 1 << 18;
        assertThat(counted(() -> readInBatches(few))).containsExactly(remote(Verb.READ, few));
        long before = counts.verbs(Verb.READ, Locality.REMOTE);
        readInBatches(many);
        // Those that were passed over last have been counted by the batch before them.
        assertThat(counts.verbs(Verb.READ, Locality.REMOTE) - before).isBetween(many,
                many + 2 * VerbCounts.BATCHES_FOR_ALL);
    }

    private void readInBatches(long number) {
        for (long at = 0; at < number; at++) {
            Batch batch = endpoint.batch(1);
            batch.read(1, remote, 0, 24);
            batch.complete();
        }
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
    void whatIsDoneOnMappedMemoryIsCountedAsTheVerbsThatItStandsFor() {
        long key = keyOf(1);
        assertCountedAsWithout(operations(first.longMap("hits").fixedCapacity(1000).open(), key),
                operations(first.longMap("twin").fixedCapacity(1000).open(), key));
        assertCountedAsWithout(operations(objects("names"), key), operations(objects("twins"), key));
    }

    private DistributedMap<Long, Long> objects(String name) {
        return first.map(name, Long.class, Long.class).fixedCapacity(1000).open();
    }

    private static List<Runnable> operations(DistributedMap<Long, Long> map, long key) {
        return List.of(() -> map.insert(key, 1L), () -> map.put(key, 2L), () -> map.remove(key));
    }

    /** @param onTwin the same, where they are recorded: then they are done by verbs */
    private void assertCountedAsWithout(List<Runnable> operations, List<Runnable> onTwin) {
        for (int at = 0; at < operations.size(); at++) {
            List<Count> mapped = counted(operations.get(at));
            Journal journal = first.explain(onTwin.get(at));
            assertThat(mapped).isNotEmpty().allMatch(count -> count.locality() == Locality.REMOTE);
            assertThat(count(mapped, Verb.READ)).isEqualTo(journal.reads());
            assertThat(count(mapped, Verb.WRITE)).isEqualTo(journal.writes());
            assertThat(count(mapped, Verb.COMPARE_AND_EXCHANGE, Verb.GET_AND_ADD)).isEqualTo(journal.atomics());
        }
    }

    /** Those that are counted one by one, on a key that was never there, on one that is, and on one that was. */
    private static List<Runnable> operations(LongLongMap map, long key) {
        return List.of(() -> map.increment(key, 1), () -> map.put(key, 2), () -> map.insert(key, 3),
                () -> map.remove(key, 0), () -> map.increment(key, 1));
    }

    @Test
    void eachHashIsSampledInOneTurnOfSixtyFour() {
        MeteredEndpoint other = new MeteredEndpoint(endpoint.fabric(), new VerbCounts());
        long[] sampled = new long[100];
        for (int turn = 0; turn < 3 * Endpoint.SHARES; turn++) {
            for (int key = 0; key < sampled.length; key++) {
                sampled[key] += other.isSampled(FixedHash.of(key)) ? 1 : 0;
            }
            other.turnSamples();
        }
        assertThat(sampled).containsOnly(3);
    }

    @Test
    void findsOnMappedMemoryAreCountedByAShareOfThemAndOneOf1024IsTimed() {
        LongLongMap map = first.longMap("hits").fixedCapacity(1000).open();
        assertAShareIsCounted(key -> map.find(key, 0));
    }

    @Test
    void asAreThoseInAMapOfObjectsWhichAreMostlyAtHome() {
        DistributedMap<Long, Long> map = first.map("names", Long.class, Long.class).fixedCapacity(1 << 16).open();
        LongStream.range(0, 1 << 16).forEach(key -> map.insert(key, key));
        assertAShareIsCounted(key -> map.find(key % (1 << 16)));
    }

    private void assertAShareIsCounted(LongConsumer find) {
        long[] timed = new long[1];
        counts.sampleTo(new VerbSamples() {

            @Override
            public void verb(Verb verb, Locality locality, long nanos) {
                assertThat(verb).isEqualTo(Verb.READ);
                timed[0]++;
            }

            @Override
            public void batch(Locality locality, int verbs, long bytes, long nanos) {
                throw new AssertionError("a find on mapped memory has no batch");
            }
        });
        long finds = 1 << 18;
        double reads = counted(() -> LongStream.range(0, finds).forEach(find)).stream()
                .filter(count -> count.verb == Verb.READ)
                .mapToLong(Count::verbs)
                .sum();
        assertThat(reads / finds).isBetween(0.9, 1.1);
        assertThat((double) timed[0] * VerbCounts.SAMPLE_INTERVAL / finds).isBetween(0.9, 1.1);
    }

    @Test
    void aKeyThatIsFoundAgainAndAgainIsSampledInItsTurn() {
        LongLongMap map = first.longMap("hits").fixedCapacity(1000).open();
        long key = keyOf(1);
        long before = counts.verbs(Verb.READ, Locality.REMOTE);
        await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(10)).atMost(SOON).until(() -> {
            map.find(key, 0);
            return counts.verbs(Verb.READ, Locality.REMOTE) - before == Endpoint.SHARES;
        });
    }

    @Test
    void theOwnMemoryIsCountedAsLocal() {
        LongLongMap map = first.longMap("hits").fixedCapacity(1000).open();
        long key = keyOf(0);
        map.insert(key, 1);
        assertThat(counted(() -> map.increment(key, 1))).containsExactly(local(Verb.READ, 1),
                local(Verb.GET_AND_ADD, 1));
    }

    @Test
    void noCountIsLostBetweenThreads() throws Exception {
        long each = 100_000;
        long before = counts.verbs(Verb.GET_AND_ADD, Locality.REMOTE);
        try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
            List<Future<?>> futures = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                futures.add(threads.submit(() -> {
                    for (long at = 0; at < each; at++) {
                        endpoint.getAndAdd(1, remote, 1);
                    }
                }));
            }
            for (Future<?> future : futures) {
                future.get();
            }
        }
        assertThat(endpoint.readWord(1, remote)).isEqualTo(THREADS * each);
        assertThat(counts.verbs(Verb.GET_AND_ADD, Locality.REMOTE) - before).isEqualTo(THREADS * each);
    }

    @Test
    void oneVerbOf1024IsTimedAndSoIsOneBatch() {
        List<String> samples = new ArrayList<>();
        counts.sampleTo(new VerbSamples() {

            @Override
            public void verb(Verb verb, Locality locality, long nanos) {
                assertThat(nanos).isPositive();
                samples.add(verb + " " + locality);
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
        assertThat(samples).hasSize(3).containsOnly("GET_AND_BITWISE_OR REMOTE");
        samples.clear();
        for (int at = 0; at < VerbCounts.SAMPLE_INTERVAL + 100; at++) {
            Batch batch = endpoint.batch(0);
            batch.read(0, word, 0, 24);
            batch.writeWord(0, word, 1);
            batch.complete();
        }
        assertThat(samples).hasSize(2).containsOnly("2 32 LOCAL");
    }

    @Test
    void countingAllocatesNothing() {
        LongLongMap map = first.longMap("hits").fixedCapacity(10_000).open();
        Runnable use = () -> {
            for (int at = 0; at < 20_000; at++) {
                map.increment(at & 1023, 1);
                map.find(at & 1023, 0);
                Batch batch = endpoint.batch(1);
                batch.read(1, remote, 0, 24);
                batch.complete();
            }
        };
        assertThat(AllocatedBytes.of(use)).isZero();
    }
}
