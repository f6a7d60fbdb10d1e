package io.atoll.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The behaviour of a queue of phases, over real shared memory. */
class FastQueueTest {

    record Edge(int from, int to) {}

    @TempDir
    Path folder;

    private SharedRanks ranks;

    @BeforeEach
    void join() {
        ranks = new SharedRanks(folder, 3);
    }

    @AfterEach
    void leave() {
        ranks.close();
    }

    private List<FastQueue<Long>> queues(long capacity) {
        return ranks.each(world -> world.fastQueue("longs", Long.class).capacity(capacity).host(1).open());
    }

    private static MemorySegment longs(long... elements) {
        return MemorySegment.ofArray(elements);
    }

    private static List<Long> local(FastQueue<Long> queue) {
        return queue.local()
                .stream()
                .flatMap(piece -> LongStream.of(piece.toArray(ValueLayout.JAVA_LONG)).boxed())
                .toList();
    }

    @Test
    void elementsComeOutInTheOrderInWhichTheyWerePushed() {
        List<FastQueue<Edge>> queues = ranks.each(world -> world.fastQueue("edges", Edge.class).capacity(5).open());
        assertThat(queues.get(2).push(new Edge(1, 2))).isTrue();
        assertThat(queues.get(1).push(List.of(new Edge(2, 3), new Edge(3, 4)))).isTrue();
        assertThat(queues.get(0).push(List.of(new Edge(4, 5), new Edge(5, 6), new Edge(6, 7)))).isFalse();
        assertThat(queues.get(0).size()).isEqualTo(3);
        assertThat(queues.get(0).pop()).isEqualTo(new Edge(1, 2));
        assertThat(queues.get(1).pop(5)).containsExactly(new Edge(2, 3), new Edge(3, 4));
        assertThat(queues.get(2).pop(5)).isEmpty();
        assertThat(queues.get(2).pop()).isNull();
        assertThat(queues.get(2).push(List.of())).isTrue();
    }

    @Test
    void severalElementsGoAroundTheEndOfTheRing() {
        List<FastQueue<Long>> queues = queues(5);
        for (long round = 0; round < 50; round++) {
            long first = round * 10;
            assertThat(queues.get(0).pushEncoded(longs(first, first + 1, first + 2))).isTrue();
            assertThat(queues.get(2).push(first + 3)).isTrue();
            assertThat(queues.get(2).pushEncoded(longs(0, 0))).isFalse();
            assertThat(local(queues.get(1))).containsExactly(first, first + 1, first + 2, first + 3);
            long[] popped = new long[3];
            assertThat(queues.get(1).popEncoded(MemorySegment.ofArray(popped))).isEqualTo(3);
            assertThat(popped).containsExactly(first, first + 1, first + 2);
            assertThat(queues.get(1).localPop()).isEqualTo(first + 3);
            assertThat(queues.get(1).localPop()).isNull();
            assertThat(local(queues.get(1))).isEmpty();
        }
    }

    @Test
    void theHostSortsWhatAllHavePushedWhereItLies() throws Exception {
        long each = 30_000;
        List<FastQueue<Long>> queues = queues(3 * each);
        List<Callable<Long>> programs = IntStream.range(0, 3).mapToObj(rank -> (Callable<Long>) () -> {
            long pushed = 0;
            for (long first = rank; first < 3 * each; first += 300) {
                long start = first;
                pushed += queues.get(rank)
                        .pushEncoded(MemorySegment.ofArray(LongStream.range(0, 100).map(i -> start + 3 * i).toArray()))
                                ? 100
                                : 0;
            }
            ranks.worlds.get(rank).barrier();
            return pushed;
        }).toList();
        assertThat(SharedRanks.atOnce(programs)).containsOnly(each);
        assertThat(queues.get(1).local()).hasSize(1);
        assertThat(local(queues.get(1)).stream().sorted().toList())
                .isEqualTo(LongStream.range(0, 3 * each).boxed().toList());
    }

    @Test
    void manyPopEachElementOnce() throws Exception {
        long count = 50_000;
        List<FastQueue<Long>> queues = queues(count);
        assertThat(queues.getFirst().pushEncoded(MemorySegment.ofArray(LongStream.range(0, count).toArray()))).isTrue();
        ranks.worlds.getFirst().participant().endpoint().flush(1);
        List<List<Long>> popped = SharedRanks.atOnce(queues.stream().map(queue -> (Callable<List<Long>>) () -> {
            List<Long> elements = new ArrayList<>();
            for (List<Long> some = queue.pop(7); !some.isEmpty(); some = queue.pop(7)) {
                elements.addAll(some);
            }
            return elements;
        }).toList());
        assertThat(popped.stream().flatMap(List::stream).sorted().toList())
                .isEqualTo(LongStream.range(0, count).boxed().toList());
        assertThat(popped).allSatisfy(one -> assertThat(one).isSorted());
    }

    @Test
    void aQueueThatMovesTakesItsElementsAlongAndIsFoundByAll() {
        List<FastQueue<Long>> queues = queues(5);
        queues.get(0).pushEncoded(longs(0, 0, 0));
        queues.get(1).pop(3);
        queues.get(2).pushEncoded(longs(1, 2, 3, 4));
        queues.get(0).resize(7);
        assertThat(queues.get(1).local()).hasSize(1);
        assertThat(local(queues.get(1))).containsExactly(1L, 2L, 3L, 4L);
        assertThat(queues.get(2).push(List.of(5L, 6L, 7L))).isTrue();
        assertThat(queues.get(1).push(8L)).isFalse();
        queues.get(2).migrate(0);
        assertThat(queues.get(1).pop(2)).containsExactly(1L, 2L);
        assertThat(local(queues.get(0))).containsExactly(3L, 4L, 5L, 6L, 7L);
        FastQueue<Long> late = ranks.worlds.get(2).fastQueue("longs", Long.class).capacity(5).host(1).open();
        assertThat(List.of(late.size(), late.capacity(), (long) late.host())).containsExactly(5L, 7L, 0L);
        assertThatThrownBy(() -> late.resize(4)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith("elements=5 capacity=4");
        assertThat(late.pop()).isEqualTo(3);
        assertThat(queues.get(0).localPop()).isEqualTo(4);
        assertThatThrownBy(queues.get(1)::localPop).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void whatMakesNoSenseIsRefused() {
        FastQueue<Long> queue = queues(4).getFirst();
        var world = ranks.worlds.getFirst();
        assertThatThrownBy(() -> world.fastQueue("none", Long.class).capacity(0).open())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith("capacity=0");
        assertThatThrownBy(() -> world.fastQueue("none", Long.class).host(3).open())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith("host=3");
        assertThatThrownBy(() -> queue.pushEncoded(MemorySegment.ofArray(new byte[12])))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith("elementBytes=8 bytes=12");
        assertThatThrownBy(() -> queue.pop(0)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith("most=0");
        assertThatThrownBy(queue::localPop).isInstanceOf(IllegalStateException.class)
                .hasMessageEndingWith("host=1 rank=0");
        assertThatThrownBy(queue::local).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void theLayoutIsWhatOtherProcessesRelyOn() {
        assertThat(FastRing.TAIL).isZero();
        assertThat(FastRing.NEXT).isEqualTo(8);
        assertThat(FastRing.CAPACITY).isEqualTo(16);
        assertThat(FastRing.ELEMENTS).isEqualTo(24);
        assertThat(FastRing.MOVES).isEqualTo(32);
        assertThat(FastRing.HEAD).isEqualTo(64);
        assertThat(FastRing.HEADER_BYTES).isEqualTo(128);
        assertThat(FastRing.bytes(24, 10)).isEqualTo(368);
    }
}
