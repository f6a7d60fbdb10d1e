package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.AllocatedBytes;
import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.codec.FixedHash;
import io.atoll.completion.Completions;
import io.atoll.fabric.FabricType;
import io.atoll.fabric.trace.Delay;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Asynchronous operations on a map of longs over a simulated network, and over shared memory. */
@Timeout(60)
class AsyncLongLongMapTest {

    private static final int RANKS = 2;
    private static final int MOST = 64;
    private static final int OPERATIONS = 5_000;
    private static final int SUBMISSIONS = 2_000;
    private static final long MOST_BYTES = 1_000; // of the heap, for an operation
    private static final Duration ROUND_TRIP = Duration.ofNanos(50_000);

    @TempDir
    Path folder;

    private final List<World> worlds = new ArrayList<>();

    private LongLongMap open(Duration roundTrip, long capacity) {
        FabricType memory = Fabrics.sharedMemory(folder, false);
        for (int rank = 0; rank < RANKS; rank++) {
            worlds.add(World.named("async")
                    .keySeed(FixedHash.SEED)
                    .size(RANKS)
                    .rank(rank)
                    .segment(16 << 20)
                    .fabric(roundTrip.isZero() ? memory : Fabrics.delayed(memory, Delay.of(roundTrip)))
                    .open());
        }
        return worlds.getFirst().longMap("map").capacity(capacity).open();
    }

    @AfterEach
    void leave() {
        worlds.forEach(World::close);
    }

    private static <T> T result(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }

    private void doesWhatTheMapDoes(LongLongMap map) {
        Map<Long, Long> model = new HashMap<>();
        var random = new SplittableRandom(7);
        try (Completions completions = new Completions(MOST)) {
            AsyncLongLongMap async = map.async(completions);
            for (int step = 0; step < 3_000; step++) {
                long key = random.nextInt(300);
                long value = random.nextInt(100);
                switch (random.nextInt(7)) {
                    case 0 -> assertThat(result(async.getOrDefault(key, -1))).isEqualTo(model.getOrDefault(key, -1L));
                    case 1 -> assertThat(result(async.put(key, value))).isEqualTo(model.put(key, value) == null);
                    case 2 -> assertThat(result(async.putIfAbsent(key, value)))
                            .isEqualTo(model.putIfAbsent(key, value) == null);
                    case 3 -> assertThat(result(async.addAndGet(key, value)))
                            .isEqualTo(model.merge(key, value, Long::sum));
                    case 4 -> assertThat(result(async.getAndRemove(key, -1))).isEqualTo(orMinusOne(model.remove(key)));
                    case 5 -> assertThat(result(async.getAndPut(key, value, -1)))
                            .isEqualTo(orMinusOne(model.put(key, value)));
                    default -> {
                        long expected = random.nextInt(3) == 0 ? value : model.getOrDefault(key, value);
                        assertThat(result(async.replace(key, expected, value + 1)))
                                .isEqualTo(model.replace(key, expected, value + 1));
                        assertThat(result(async.containsKey(key))).isEqualTo(model.containsKey(key));
                    }
                }
            }
        }
        model.forEach((key, value) -> assertThat(map.getOrDefault(key, -1)).isEqualTo(value));
    }

    private static long orMinusOne(Long value) {
        return value == null ? -1 : value;
    }

    @Test
    void eachOperationDoesWhatTheMapDoes() {
        doesWhatTheMapDoes(open(Duration.ofNanos(1), 16));
    }

    @Test
    void onSharedMemoryAnOperationIsDoneWhenItsCallReturns() {
        LongLongMap map = open(Duration.ZERO, 1_000);
        try (Completions completions = new Completions(MOST)) {
            AsyncLongLongMap async = map.async(completions);
            for (long key = 1_000; key < 1_100; key++) {
                assertThat(async.addAndGet(key, 3).toCompletableFuture()).isCompletedWithValue(3L);
                assertThat(completions.underWay()).isZero();
            }
        }
        doesWhatTheMapDoes(map);
    }

    @Test
    void eachOfThousandsOfAdditionsTakesEffectOnce() {
        LongLongMap map = open(ROUND_TRIP, 1_000);
        var callbacks = new AtomicInteger();
        try (Completions completions = new Completions(MOST)) {
            AsyncLongLongMap async = map.async(completions);
            for (int step = 0; step < 20_000; step++) {
                async.addAndGet(step % 100, 1).thenAccept(sum -> callbacks.incrementAndGet());
                assertThat(completions.underWay()).isLessThanOrEqualTo(MOST);
            }
            completions.join();
        }
        assertThat(callbacks).hasValue(20_000);
        for (long key = 0; key < 100; key++) {
            assertThat(map.getOrDefault(key, 0)).isEqualTo(200);
        }
    }

    @Test
    void aMapThatGrowsMeanwhileLosesNothing() {
        LongLongMap map = open(Duration.ofNanos(1_000), 16);
        try (Completions completions = new Completions(MOST)) {
            AsyncLongLongMap async = map.async(completions);
            List<CompletableFuture<Boolean>> stages = IntStream.range(0, 20_000)
                    .mapToObj(key -> async.putIfAbsent(key, key).toCompletableFuture())
                    .toList();
            assertThat(stages).allMatch(CompletableFuture::join);
        }
        assertThat(map.size()).isEqualTo(20_000);
        assertThat(worlds.get(1).longMap("map").capacity(16).open().getOrDefault(19_999, 0)).isEqualTo(19_999);
    }

    @Test
    void aStageCompletesThoughNobodyPolls() throws Exception {
        LongLongMap map = open(ROUND_TRIP, 1_000);
        try (Completions completions = new Completions(MOST)) {
            AsyncLongLongMap async = map.async(completions);
            var arrived = new CompletableFuture<Long>();
            long key = keyOf(map, 1);
            async.addAndGet(key, 5).thenAccept(arrived::complete);
            assertThat(arrived.get(30, TimeUnit.SECONDS)).isEqualTo(5);
            var all = CompletableFuture.allOf(async.put(key, 1).toCompletableFuture(),
                    async.put(key + 1, 1).toCompletableFuture());
            all.get(30, TimeUnit.SECONDS);
        }
    }

    /** The key 0 is left out: a look at it may take another round. */
    private static long keyOf(LongLongMap map, int owner) {
        long key = 1;
        while (map.owner(key) != owner) {
            key++;
        }
        return key;
    }

    @Test
    void aCallbackMaySubmitTheNextOperationAndWaitForOne() {
        LongLongMap map = open(Duration.ofNanos(1_000), 1_000);
        try (Completions completions = new Completions(2)) {
            AsyncLongLongMap async = map.async(completions);
            long key = keyOf(map, 1);
            assertThat(result(chain(async, key, 5_000))).isEqualTo(5_001);
            CompletionStage<Long> waiting = async.addAndGet(key, 1)
                    .thenApply(sum -> sum + result(async.addAndGet(key, 1)));
            assertThat(result(waiting)).isEqualTo(5_002 + 5_003);
        }
    }

    private static CompletionStage<Long> chain(AsyncLongLongMap async, long key, int left) {
        CompletionStage<Long> stage = async.addAndGet(key, 1);
        return left == 0 ? stage : stage.thenCompose(sum -> chain(async, key, left - 1));
    }

    @Test
    void callbacksThatSubmitFurtherOperationsDoNotNest() {
        LongLongMap map = open(Duration.ofNanos(1_000), 1_000);
        long key = keyOf(map, 1);
        var deepest = new AtomicInteger();
        try (Completions completions = new Completions(4)) {
            var next = new Runnable() {
                private final AsyncLongLongMap async = map.async(completions);
                private final AtomicInteger left = new AtomicInteger(SUBMISSIONS);

                @Override
                public void run() {
                    deepest.accumulateAndGet(StackWalker.getInstance().walk(frames -> (int) frames.count()), Math::max);
                    // Two for one: more than the bound are submitted while callbacks run.
                    for (int next = 0; next < 2 && left.getAndDecrement() > 0; next++) {
                        async.addAndGet(key, 1).thenRun(this);
                    }
                }
            };
            next.run();
            completions.join();
        }
        assertThat(map.getOrDefault(key, 0)).isEqualTo(SUBMISSIONS);
        assertThat(deepest.get()).isLessThan(300);
    }

    @Test
    void anOperationTakesABoundedPartOfTheHeap() {
        LongLongMap map = open(Duration.ofNanos(1), 1_000);
        long key = keyOf(map, 1);
        map.put(key, 0);
        try (Completions completions = new Completions(MOST)) {
            AsyncLongLongMap async = map.async(completions);
            long bytes = AllocatedBytes.of(() -> {
                for (int step = 0; step < OPERATIONS; step++) {
                    async.addAndGet(key, 1);
                }
                completions.join();
            });
            assertThat(bytes / OPERATIONS).isBetween(1L, MOST_BYTES);
        }
    }

    @Test
    void twoThreadsMayShareCompletions() throws Exception {
        LongLongMap map = open(Duration.ofNanos(10_000), 1_000);
        try (Completions completions = new Completions(8)) {
            AsyncLongLongMap async = map.async(completions);
            List<Long> last = Worlds.atOnce(3, thread -> () -> {
                for (int step = 0; step < 1_000; step++) {
                    async.addAndGet(step % 10, 1);
                }
                completions.join();
                return result(async.getOrDefault(thread, 0));
            });
            assertThat(last).hasSize(3);
        }
        for (long key = 0; key < 10; key++) {
            assertThat(map.getOrDefault(key, 0)).isEqualTo(300);
        }
    }

    @Test
    void aSumOutOfRangeFailsItsStageAlone() {
        LongLongMap map = open(ROUND_TRIP, 1_000);
        long key = keyOf(map, 1);
        map.put(key, LongLongMap.LARGEST_VALUE);
        try (Completions completions = new Completions(MOST)) {
            AsyncLongLongMap async = map.async(completions);
            CompletionStage<Long> tooMuch = async.addAndGet(key, 1);
            CompletionStage<Long> fine = async.addAndGet(key, -1);
            assertThatThrownBy(() -> result(tooMuch)).isInstanceOf(CompletionException.class)
                    .hasCauseInstanceOf(ArithmeticException.class);
            assertThat(result(fine)).isEqualTo(LongLongMap.LARGEST_VALUE - 1);
            assertThatThrownBy(() -> async.put(key, Long.MAX_VALUE)).isInstanceOf(IllegalArgumentException.class);
            assertThat(completions.underWay()).isZero();
        }
    }

    @Test
    void whoWaitsForATimeWaitsNoLonger() {
        LongLongMap map = open(ROUND_TRIP, 1_000);
        long key = keyOf(map, 1);
        var other = new CompletableFuture<Long>();
        try (Completions completions = new Completions(MOST)) {
            CompletableFuture<Long> future = map.async(completions)
                    .getOrDefault(key, 7)
                    .thenCompose(found -> other)
                    .toCompletableFuture();
            assertThatThrownBy(() -> future.get(1, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
            other.complete(8L);
            assertThat(future.join()).isEqualTo(8);
        }
    }

    @Test
    void closedCompletionsRefuseOperations() {
        LongLongMap map = open(ROUND_TRIP, 1_000);
        Completions completions = new Completions(MOST);
        AsyncLongLongMap async = map.async(completions);
        CompletableFuture<Boolean> before = async.put(keyOf(map, 1), 1).toCompletableFuture();
        completions.close();
        assertThat(before).isCompletedWithValue(true);
        assertThatThrownBy(() -> async.put(1, 1)).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
    }

    @Test
    void whatIsUnderWayWhenTheWorldIsClosedEnds() {
        LongLongMap map = open(Duration.ofMillis(20), 1_000);
        try (Completions completions = new Completions(MOST)) {
            AsyncLongLongMap async = map.async(completions);
            List<CompletableFuture<Long>> stages = IntStream.range(0, MOST)
                    .mapToObj(key -> async.addAndGet(key, 1).toCompletableFuture())
                    .toList();
            worlds.getFirst().close();
            completions.join();
            assertThat(stages).allMatch(CompletableFuture::isDone);
            assertThat(stages).anyMatch(CompletableFuture::isCompletedExceptionally);
            assertThat(completions.underWay()).isZero();
        }
    }
}
