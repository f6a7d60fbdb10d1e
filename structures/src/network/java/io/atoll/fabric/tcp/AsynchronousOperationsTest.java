package io.atoll.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.atoll.World;
import io.atoll.completion.Completions;
import io.atoll.fabric.shm.SharedMemory;
import io.atoll.failure.RankUnreachableException;
import io.atoll.map.AsyncLongLongMap;
import io.atoll.map.AsyncMap;
import io.atoll.map.DistributedMap;
import io.atoll.map.LongLongMap;
import io.atoll.queue.AsyncCircularQueue;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Asynchronous operations over TCP, where a rank leaves or a queue is full. */
@Timeout(60)
@Tag("network")
class AsynchronousOperationsTest {

    private static final int RANKS = 3;
    private static final int MOST = 64;
    private static final int KEYS = 1_000;

    @TempDir
    private Path folder;

    private final List<World> worlds = new ArrayList<>();

    @BeforeEach
    void join() {
        for (int rank = 0; rank < RANKS; rank++) {
            worlds.add(World.named("async-tcp")
                    .size(RANKS)
                    .rank(rank)
                    .segment(16 << 20)
                    .fabric(new Tcp(new SharedMemory(folder, false)).withoutSharedMemory())
                    .operationTimeout(Duration.ofSeconds(5))
                    .open());
        }
    }

    @AfterEach
    void leave() {
        worlds.forEach(World::close);
    }

    private static long[] keysOf(LongLongMap map, int owner) {
        return LongStream.range(0, 100_000).filter(key -> map.owner(key) == owner).limit(KEYS).toArray();
    }

    @Test
    void aRankThatLeavesFailsWhatIsUnderWayToItAndNothingElse() throws Exception {
        LongLongMap map = worlds.getFirst().longMap("map").fixedCapacity(100_000).open();
        long[] leaving = keysOf(map, 1);
        long[] staying = keysOf(map, 2);
        var failure = new AtomicReference<Throwable>();
        List<CompletableFuture<Long>> stayed = new ArrayList<>();
        try (Completions completions = new Completions(MOST)) {
            AsyncLongLongMap async = map.async(completions);
            Thread closing = Thread.ofPlatform().unstarted(worlds.get(1)::close);
            for (int step = 0; failure.get() == null; step++) {
                async.addAndGet(leaving[step % KEYS], 1).exceptionally(thrown -> {
                    failure.compareAndSet(null, thrown);
                    return 0L;
                });
                if (stayed.size() < 10 * KEYS) {
                    stayed.add(async.addAndGet(staying[step % KEYS], 1).toCompletableFuture());
                }
                if (step == KEYS) {
                    closing.start();
                }
            }
            completions.join();
            closing.join();
            assertThat(completions.underWay()).isZero();
        }
        assertThat(failure.get()).isInstanceOf(RankUnreachableException.class);
        assertThat(stayed).allSatisfy(future -> assertThat(future).isCompleted());
        long sum = LongStream.of(staying).map(key -> map.getOrDefault(key, 0)).sum();
        assertThat(sum).isEqualTo(stayed.size());
    }

    /** Each round changes every key, with many under way. Keys of one home meet, and the map grows. */
    @Test
    void changesThatTheOwnerFindsAreThoseOfTheMap() {
        DistributedMap<Long, Long> map = worlds.getFirst().map("entries", Long.class, Long.class).capacity(16).open();
        List<Long> keys = LongStream.range(0, KEYS).boxed().toList();
        try (Completions completions = new Completions(MOST)) {
            AsyncMap<Long, Long> async = map.async(completions);
            assertThat(ofEach(keys, key -> async.putIfAbsent(key, key))).containsOnly(true);
            assertThat(ofEach(keys, key -> async.putIfAbsent(key, 0L))).containsOnly(false);
            assertThat(ofEach(keys, key -> async.getAndPut(key, key + 1))).isEqualTo(keys);
            assertThat(ofEach(keys, key -> async.put(key, key + 2))).containsOnly(false);
            assertThat(ofEach(keys, key -> async.getAndReplace(key, key + 3)))
                    .isEqualTo(keys.stream().map(key -> key + 2).toList());
            assertThat(ofEach(keys, key -> async.getAndPutIfAbsent(key, 0L)))
                    .isEqualTo(keys.stream().map(key -> key + 3).toList());
            assertThat(ofEach(keys, async::remove)).containsOnly(true);
            assertThat(ofEach(keys, async::getAndRemove)).containsOnlyNulls();
            assertThat(ofEach(keys, key -> async.getAndPut(key, key))).containsOnlyNulls();
            assertThat(ofEach(keys, async::getAndRemove)).isEqualTo(keys);
        }
        assertThat(map.isEmpty()).isTrue();
    }

    private static <T> List<T> ofEach(List<Long> keys, Function<Long, CompletionStage<T>> operation) {
        List<CompletableFuture<T>> stages = keys.stream()
                .map(key -> operation.apply(key).toCompletableFuture())
                .toList();
        return stages.stream().map(CompletableFuture::join).collect(Collectors.toList());
    }

    @Test
    void aRankThatLeavesFailsPutsThatAreUnderWayToItAndLeavesNothingReserved() {
        DistributedMap<Long, Long> map = worlds.getFirst().map("left", Long.class, Long.class).capacity(KEYS).open();
        List<Long> keys = LongStream.range(0, KEYS).boxed().toList();
        try (Completions completions = new Completions(MOST)) {
            AsyncMap<Long, Long> async = map.async(completions);
            List<CompletableFuture<Boolean>> stages = new ArrayList<>();
            for (Long key : keys) {
                if (key == KEYS / 2) {
                    worlds.get(1).close();
                }
                stages.add(async.put(key, key).toCompletableFuture());
            }
            completions.join();
            for (Long key : keys) {
                CompletableFuture<Boolean> stage = stages.get(key.intValue());
                if (stage.isCompletedExceptionally()) {
                    assertThat(map.owner(key)).isEqualTo(1);
                    assertThat(stage.exceptionNow()).isInstanceOf(RankUnreachableException.class);
                } else if (map.owner(key) != 1) {
                    assertThat(map.put(key, -key)).isFalse();
                }
            }
            assertThat(stages).anyMatch(CompletableFuture::isCompletedExceptionally);
        }
    }

    @Test
    void theFailureIsThatOfTheSynchronousOperation() {
        LongLongMap map = worlds.getFirst().longMap("map").fixedCapacity(1_000).open();
        long key = keysOf(map, 1)[0];
        map.put(key, 1);
        worlds.get(1).close();
        Throwable expected = catchThrowable(() -> map.getOrDefault(key, 0));
        try (Completions completions = new Completions(MOST)) {
            CompletableFuture<Long> future = map.async(completions).getOrDefault(key, 0).toCompletableFuture();
            assertThat(catchThrowable(future::join)).hasCauseInstanceOf(expected.getClass());
            assertThat(future.exceptionNow()).hasMessageContaining("structure=map");
        }
    }

    @Test
    void ofPushesThatFindNoRoomForAllSomePush() {
        AsyncCircularQueue<Long> queue;
        try (Completions completions = new Completions(MOST)) {
            queue = worlds.getFirst().longQueue("queue").capacity(10).host(1).open().async(completions);
            AsyncCircularQueue<Long> pushing = queue;
            List<Boolean> pushed = IntStream.range(0, 30)
                    .mapToObj(number -> pushing.push((long) number).toCompletableFuture())
                    .toList()
                    .stream()
                    .map(CompletableFuture::join)
                    .toList();
            assertThat(pushed).filteredOn(isPushed -> isPushed)
                    .hasSize((int) worlds.getFirst().longQueue("queue").capacity(10).host(1).open().capacity());
        }
    }
}
