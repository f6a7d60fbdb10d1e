package io.atoll;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.epoch.EpochSettings;
import io.atoll.fabric.Batch;
import io.atoll.fabric.tcp.Security;
import io.atoll.fabric.tcp.Tcp;
import io.atoll.fabric.trace.Journal;
import io.atoll.filter.LongBloomFilter;
import io.atoll.linked.LinkedQueue;
import io.atoll.linked.LinkedStack;
import io.atoll.lock.LockTable;
import io.atoll.map.DistributedMap;
import io.atoll.map.LongLongMap;
import io.atoll.queue.CircularQueue;
import io.atoll.queue.FastQueue;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@link World#explain} says how often the thread waits. Here it waits for another rank by TCP. Each wait is for one
 * request, because all verbs of these operations fit into one. Nobody waits for requests that have only a write.
 */
@Timeout(120)
@Tag("network")
class ExplainedRoundTripsTest {

    private static final int RUNS = 5; // background threads post requests, too, but not in each run
    private static final int HOST = 1;
    private static final long MOST_WRITTEN = 32 << 10; // by one verb; two of them do not fit into one request

    @TempDir
    Path folder;

    private World world;
    private World other;
    /** The requests that nothing explains, by operation, in the run that had the fewest. */
    private final Map<String, Long> unexplained = new LinkedHashMap<>();

    @BeforeEach
    void join() {
        world = open(0);
        other = open(1);
    }

    private World open(int rank) {
        return World.named("explained")
                .size(2)
                .rank(rank)
                .segment(16 << 20)
                .epochs(EpochSettings.DEFAULT.pinLimit(Duration.ofHours(1))) // so that nobody looks at pins meanwhile
                .fabric(new Tcp(Fabrics.sharedMemory(folder, false)).withoutSharedMemory().security(Security.none()))
                .open();
    }

    @AfterEach
    void leave() {
        other.close();
        world.close();
    }

    /** Explains the action, and counts the requests that it posts. Returns the round trips. */
    private int explain(String operation, Runnable action) {
        long before = requests();
        Journal journal = world.explain(action);
        long more = requests() - before - journal.roundTrips();
        unexplained.merge(operation, more - Math.clamp(more, 0, journal.writes()), Math::min);
        return journal.roundTrips();
    }

    private long requests() {
        return requireNonNull(world.inspection().connections().orElseThrow().traffic()).requests();
    }

    private void assertThatEachWaitIsARoundTrip(IntConsumer use) {
        IntStream.range(0, RUNS).forEach(use);
        assertThat(unexplained).isNotEmpty().allSatisfy((_, requests) -> assertThat(requests).isZero());
    }

    @Test
    void eachWaitOfAMapIsARoundTrip() {
        assertThatEachWaitIsARoundTrip(this::useMap);
    }

    private void useMap(int run) {
        DistributedMap<Long, Long> map = world.map("map" + run, Long.class, Long.class).fixedCapacity(1000).open();
        List<Long> keys = LongStream.range(0, 1000).filter(key -> map.owner(key) == HOST).limit(40).boxed().toList();
        long key = keys.get(0);
        map.put(keys.get(1), 1L);
        explain("putIfAbsent", () -> map.putIfAbsent(key, 1L));
        explain("putIfAbsent of a key that is there", () -> map.putIfAbsent(key, 1L));
        explain("get", () -> map.get(key));
        explain("get of no key", () -> map.get(keys.get(2)));
        explain("put", () -> map.put(key, 2L));
        explain("put of a new key", () -> map.put(keys.get(3), 2L));
        explain("getAndPut", () -> map.getAndPut(key, 3L));
        explain("replace", () -> map.replace(key, 3L, 4L));
        explain("replace of another value", () -> map.replace(key, 3L, 4L));
        explain("merge", () -> map.merge(key, 1L, Long::sum));
        explain("compute", () -> map.compute(key, (_, value) -> value + 1));
        explain("computeIfAbsent", () -> map.computeIfAbsent(keys.get(4), _ -> 1L));
        explain("remove", () -> map.remove(key));
        explain("remove of no key", () -> map.remove(key));
        explain("putIfAbsent of a removed key", () -> map.putIfAbsent(key, 1L));
        explain("getAndRemove", () -> map.getAndRemove(key));
        List<Long> several = keys.subList(20, 36);
        Map<Long, Long> entries = several.stream().collect(Collectors.toMap(each -> each, each -> each));
        explain("putAll of new keys", () -> map.putAll(entries));
        explain("putAll", () -> map.putAll(entries));
        explain("getAll", () -> map.getAll(several));
    }

    @Test
    void eachWaitOfAMapOfWordsIsARoundTrip() {
        assertThatEachWaitIsARoundTrip(this::useMapOfWords);
    }

    private void useMapOfWords(int run) {
        LongLongMap map = world.longMap("longs" + run).fixedCapacity(1000).open();
        long[] keys = LongStream.range(0, 1000).filter(key -> map.owner(key) == HOST).limit(40).toArray();
        long key = keys[0];
        map.put(keys[1], 1);
        explain("putIfAbsent", () -> map.putIfAbsent(key, 1));
        explain("putIfAbsent of a key that is there", () -> map.putIfAbsent(key, 1));
        explain("getOrDefault", () -> map.getOrDefault(key, 0));
        explain("put", () -> map.put(key, 2));
        explain("put of a new key", () -> map.put(keys[2], 2));
        explain("getAndPut", () -> map.getAndPut(key, 3, 0));
        explain("replace", () -> map.replace(key, 3, 4));
        explain("addAndGet", () -> map.addAndGet(key, 1));
        explain("addAndGet of a new key", () -> map.addAndGet(keys[3], 1));
        explain("getAndRemove", () -> map.getAndRemove(key, 0));
        explain("putIfAbsent of a removed key", () -> map.putIfAbsent(key, 1));
        long[] several = LongStream.of(keys).skip(20).limit(16).toArray();
        explain("putAll of new keys", () -> map.putAll(several, several));
        explain("putAll", () -> map.putAll(several, several));
        explain("getAll", () -> map.getAll(several, 0));
    }

    @Test
    void eachWaitOfAMapOfTextsIsARoundTrip() {
        assertThatEachWaitIsARoundTrip(this::useMapOfTexts);
    }

    private void useMapOfTexts(int run) {
        DistributedMap<String, String> map = world.map("texts" + run, String.class, String.class)
                .fixedCapacity(1000)
                .open();
        List<String> keys = IntStream.range(0, 1000)
                .mapToObj(number -> "key " + number)
                .filter(each -> map.owner(each) == HOST)
                .limit(4)
                .toList();
        map.put(keys.get(1), "claims the slab");
        explain("putIfAbsent", () -> map.putIfAbsent(keys.get(0), "value"));
        explain("get", () -> map.get(keys.get(0)));
        explain("put", () -> map.put(keys.get(0), "other"));
        explain("getAll", () -> map.getAll(keys));
        explain("remove", () -> map.remove(keys.get(0)));
    }

    @Test
    void eachWaitOfAnotherStructureIsARoundTrip() {
        assertThatEachWaitIsARoundTrip(this::useOtherStructures);
    }

    private void useOtherStructures(int run) {
        CircularQueue<Long> queue = world.queue("queue" + run, Long.class).capacity(64).host(HOST).open();
        queue.push(List.of(1L, 2L, 3L, 4L));
        explain("push", () -> queue.push(5L));
        explain("push of two", () -> queue.push(List.of(6L, 7L)));
        explain("pop", queue::pop);
        explain("pop of two", () -> queue.pop(2));
        FastQueue<Long> fast = world.fastQueue("fast" + run, Long.class).capacity(64).host(HOST).open();
        fast.push(List.of(1L, 2L, 3L, 4L));
        explain("fast push", () -> fast.push(List.of(5L, 6L)));
        explain("fast pop", () -> fast.pop(2));
        LinkedStack<Long> stack = world.stack("stack" + run, Long.class).host(HOST).open();
        LongStream.range(0, 8).forEach(stack::push);
        stack.pop();
        explain("stack push", () -> stack.push(9L));
        explain("stack pop", stack::pop);
        LinkedQueue<Long> linked = world.linkedQueue("linked" + run, Long.class).host(HOST).open();
        LongStream.range(0, 8).forEach(linked::push);
        linked.pop();
        explain("linked push", () -> linked.push(9L));
        explain("linked pop", linked::pop);
        LongBloomFilter filter = world.longFilter("filter" + run).expectedElements(1000).open();
        filter.mightContain(1);
        long element = LongStream.range(0, 100)
                .filter(each -> isRemote(() -> filter.mightContain(each)))
                .findFirst()
                .orElseThrow();
        explain("filter add", () -> filter.add(element));
        explain("filter add again", () -> filter.add(element));
        LockTable locks = world.lockTable("locks" + run).locks(64).open();
        int lock = IntStream.range(0, 64).filter(each -> locks.owner(each) == HOST).findFirst().orElseThrow();
        locks.lockUninterruptiblyAt(lock).close();
        explain("lock and unlock", () -> locks.lockUninterruptiblyAt(lock).close());
    }

    @Test
    void aGuardedWriteThatDoesNotFitIntoTheRequestOfItsExchangeIsAnotherRoundTrip() {
        long word = world.participant().heap().allocate(HOST, 4 * MOST_WRITTEN);
        assertThatEachWaitIsARoundTrip(_ -> {
            world.participant().endpoint().fabric().writeWord(HOST, word, 0);
            assertThat(explain("an exchange that takes place", () -> writeTwice(word))).isEqualTo(2);
            assertThat(explain("one that does not", () -> writeTwice(word))).isEqualTo(1);
        });
    }

    /** Guards two writes, of which only one fits into a request. */
    private void writeTwice(long word) {
        Batch batch = world.participant().endpoint().fabric().newBatch(2 * MOST_WRITTEN);
        batch.guard(batch.compareAndExchange(HOST, word, 0, 1));
        batch.write(HOST, word + MOST_WRITTEN, 0, MOST_WRITTEN);
        batch.write(HOST, word + 2 * MOST_WRITTEN, MOST_WRITTEN, MOST_WRITTEN);
        batch.complete();
    }

    private boolean isRemote(Runnable action) {
        return world.explain(action).ranks().contains(HOST);
    }
}
