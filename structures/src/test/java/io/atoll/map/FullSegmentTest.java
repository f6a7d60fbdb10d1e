package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.World;
import io.atoll.epoch.EpochSnapshot;
import io.atoll.epoch.Token;
import io.atoll.failure.SegmentFullException;
import io.atoll.heap.Heap;
import io.atoll.heap.HeapUsage;
import io.atoll.linked.LinkedQueue;
import io.atoll.linked.LinkedStack;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** In segments without room for anything, everything can be given back: nothing fails, and nothing is lost. */
class FullSegmentTest {

    private static final int RANKS = 2;
    private static final int KEYS = 10_000;
    private static final int VALUE_BYTES = 40;

    @TempDir
    Path folder;

    private Worlds worlds;
    private World world;
    private Heap heap;
    private final List<List<Long>> fillers = new ArrayList<>();

    @BeforeEach
    void join() {
        worlds = new Worlds(folder, RANKS);
        world = worlds.rank(0);
        heap = world.participant().heap();
    }

    @AfterEach
    void leave() {
        worlds.close();
    }

    /** Takes all that is left in both segments, in ever smaller objects. */
    private void fill() {
        for (int rank = 0; rank < RANKS; rank++) {
            List<Long> objects = new ArrayList<>();
            for (long bytes = 1 << 20; bytes >= 32; bytes /= 2) {
                while (takes(rank, bytes, objects)) {
                    // Repeats until there is no room for another object of that size.
                }
            }
            fillers.add(objects);
        }
    }

    private boolean takes(int rank, long bytes, List<Long> objects) {
        try {
            return objects.add(heap.allocate(rank, bytes));
        } catch (SegmentFullException full) {
            return false;
        }
    }

    private void giveBackWhatFills() {
        for (int rank = 0; rank < RANKS; rank++) {
            for (long object : fillers.get(rank)) {
                heap.free(rank, object);
            }
        }
    }

    private long live() {
        long live = 0;
        for (int rank = 0; rank < RANKS; rank++) {
            HeapUsage usage = heap.usage(rank);
            live += usage.objects() + usage.ownedRuns();
        }
        return live;
    }

    private void checkEverythingIsBack(long before) {
        world.epochs().clear();
        giveBackWhatFills();
        assertThat(live()).as("objects and runs in use").isEqualTo(before);
        assertThat(world.epochs().snapshot().ranks().getFirst().lost()).isZero();
        assertThat(world.epochs().snapshot().ranks().getFirst().limbo()).isEmpty();
    }

    private DistributedMap<Long, byte[]> mapWithItsBlocks() {
        DistributedMap<Long, byte[]> map = world.map("values", Long.class, byte[].class).capacity(2 * KEYS).open();
        for (long key = 0; key < 100; key++) {
            map.put(key, new byte[VALUE_BYTES]);
            map.getAndRemove(key);
        }
        world.epochs().clear();
        return map;
    }

    private void removeAllFromAFullMap(DistributedMap<Long, byte[]> map) {
        for (long key = 0; key < KEYS; key++) {
            map.put(key, new byte[VALUE_BYTES]);
        }
        fill();
        assertThatThrownBy(() -> map.put(-1L, new byte[100_000])).isInstanceOf(SegmentFullException.class);
        for (long key = 0; key < KEYS; key++) {
            assertThat(map.getAndRemove(key)).as("key=%d", key).hasSize(VALUE_BYTES);
        }
        assertThat(map.isEmpty()).isTrue();
    }

    @Test
    void whatIsRemovedFromAMapIsFreed() {
        DistributedMap<Long, byte[]> map = mapWithItsBlocks();
        long before = live();
        removeAllFromAFullMap(map);
        checkEverythingIsBack(before);
    }

    @Test
    void soIsWhatIsRemovedWhileSomebodyIsPinnedAllTheTime() {
        DistributedMap<Long, byte[]> map = mapWithItsBlocks();
        long before = live();
        try (Token reader = worlds.rank(1).epochs().register()) {
            reader.pin();
            removeAllFromAFullMap(map);
            assertThat(world.epochs().snapshot().ranks().getFirst().limbo())
                    .as("what waits for the reader")
                    .satisfies(lists -> assertThat(lists.stream().mapToLong(EpochSnapshot.Limbo::objects).sum())
                            .isEqualTo(KEYS));
            reader.unpin();
        }
        checkEverythingIsBack(before);
    }

    @Test
    void whatIsPoppedIsFreed() {
        LinkedQueue<Long> queue = world.linkedQueue("queue", Long.class).open();
        LinkedStack<Long> stack = world.stack("stack", Long.class).host(1).open();
        queue.push(0L);
        stack.push(0L);
        queue.pop();
        stack.pop();
        world.epochs().clear();
        long before = live();
        for (long value = 0; value < KEYS; value++) {
            queue.push(value);
            stack.push(value);
        }
        fill();
        for (long value = 0; value < KEYS; value++) {
            assertThat(Objects.requireNonNull(queue.pop())).isEqualTo(value);
            assertThat(Objects.requireNonNull(stack.pop())).isEqualTo(KEYS - 1 - value);
        }
        checkEverythingIsBack(before);
    }

    @Test
    void whatADeadRankHadRetiredWithoutABagIsFreedByItsNextIncarnation() {
        DistributedMap<Long, byte[]> map = mapWithItsBlocks();
        long before = live();
        removeAllFromAFullMap(map);
        giveBackWhatFills();
        world.epochs().close();
        world.close();
        world = worlds.restart(0);
        heap = world.participant().heap();
        world.epochs().clear();
        assertThat(live()).as("objects and runs in use").isLessThanOrEqualTo(before);
        assertThat(world.epochs().snapshot().ranks().getFirst().lost()).isZero();
    }
}
