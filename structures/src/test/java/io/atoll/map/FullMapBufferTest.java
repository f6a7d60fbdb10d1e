package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.failure.SegmentFullException;
import io.atoll.failure.TableFullException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Buffers of maps that have no room for what is in the buffers. */
class FullMapBufferTest {

    @TempDir
    Path folder;

    @Test
    void aMapThatIsFullLosesNothingOfWhatIsStillInTheBuffer() throws Exception {
        try (Worlds worlds = new Worlds(folder, 1)) {
            DistributedMap<Long, Long> map = worlds.rank(0).map("map", Long.class, Long.class).fixedCapacity(3).open();
            int buckets = (int) map.buckets();
            List<Long> keys = LongStream.range(0, buckets + 2).boxed().toList();
            HashMapBuffer<Long, Long> buffer = map.buffer(100, 2);
            keys.forEach(key -> buffer.putIfAbsent(key, -key));
            assertThatThrownBy(buffer::flush).isInstanceOf(TableFullException.class);
            assertThatThrownBy(buffer::flush).as("still").isInstanceOf(TableFullException.class);
            assertThat(keys.subList(0, buckets)).allSatisfy(key -> assertThat(map.get(key)).isEqualTo(-key));
            keys.subList(0, 2).forEach(map::getAndRemove);
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
                        buffer.putIfAbsent(own.get(taken), -own.get(taken));
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
                    key -> assertThat(maps.getFirst().containsKey(key)).isNotEqualTo(givenUp.contains(key)));
            assertThat(maps.getFirst().size()).isEqualTo(keys.size() - givenUp.size());
        }
    }

    @Test
    void whatWasSentSinceTheFlushThatFailedIsNotGivenUpWithWhatItHasLeft() throws Exception {
        try (Worlds worlds = new Worlds(folder, 1)) {
            DistributedMap<Long, Long> map = worlds.rank(0).map("map", Long.class, Long.class).fixedCapacity(3).open();
            long buckets = map.buckets();
            HashMapBuffer<Long, Long> buffer = map.buffer(100, 2);
            LongStream.range(0, buckets + 3).forEach(key -> buffer.putIfAbsent(key, -key));
            assertThatThrownBy(buffer::flush).isInstanceOf(TableFullException.class);
            assertThat(buffer.kept()).isEqualTo(3);
            LongStream.of(0, 1).forEach(map::getAndRemove);
            LongStream.of(0, 0, 1, 1, 2).forEach(key -> buffer.putIfAbsent(key, -key));
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
            LongStream.range(0, buckets + 3).forEach(number -> buffer.putIfAbsent("key " + number, "value " + number));
            assertThatThrownBy(buffer::flush).isInstanceOf(TableFullException.class);
            Map<String, String> lost = new HashMap<>();
            buffer.giveUp(lost::put);
            assertThat(lost).hasSize(3).allSatisfy((key, value) -> {
                assertThat(value).isEqualTo(key.replace("key", "value"));
                assertThat(map.containsKey(key)).isFalse();
            });
            buffer.close();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1}) // the rank that has no room: the first that is asked, and the last
    void aBufferThatHasNoRoomLeavesItsNameToSmallerSizes(int full) throws Exception {
        try (Worlds worlds = new Worlds(folder, 2)) {
            List<DistributedMap<Long, Long>> maps = worlds.maps("map", Long.class, Long.class, 100);
            worlds.rank(0).longQueue("large").capacity(300_000).host(full).open();
            long[] free = free(worlds);
            for (int rank : new int[]{0, 1, 0}) {
                assertThatThrownBy(() -> maps.get(rank).buffer(250_000, 100)).isInstanceOf(SegmentFullException.class)
                        .hasMessageContaining("structure=map.buffer")
                        .hasMessageContaining("rank=" + full);
            }
            assertThat(free(worlds)).as("nothing is left of them").isEqualTo(free);
            Worlds.atOnce(2, rank -> () -> {
                HashMapBuffer<Long, Long> buffer = maps.get(rank).buffer(1_000, 100);
                LongStream.range(0, 50).forEach(key -> buffer.putIfAbsent(2 * key + rank, key));
                buffer.flush();
                return rank;
            });
            assertThat(maps.getFirst().size()).isEqualTo(100);
        }
    }

    private static long[] free(Worlds worlds) {
        return IntStream.range(0, worlds.size())
                .mapToLong(rank -> worlds.rank(0).participant().heap().usage(rank).freeBytes())
                .toArray();
    }
}
