package io.atoll.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.atoll.AllocatedBytes;
import io.atoll.World;
import io.atoll.fabric.trace.Delay;
import io.atoll.failure.ConfigurationMismatchException;
import io.atoll.failure.RankUnreachableException;
import io.atoll.failure.SegmentFullException;
import io.atoll.heap.Heap;
import io.atoll.promise.Promise;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The behaviour of queues, over real shared memory. */
@Tag("slow")
class CircularQueueTest {

    private static final long NONE = -1;

    record Point(int x, double y) {}

    @TempDir
    Path folder;

    private SharedRanks ranks;

    @BeforeEach
    void join() {
        ranks = new SharedRanks(folder, 2);
    }

    @AfterEach
    void leave() {
        ranks.close();
    }

    private List<LongCircularQueue> longQueues(String name, long capacity) {
        return ranks.each(world -> world.longQueue(name).capacity(capacity).host(1).open());
    }

    private CircularQueue<Long> queue(long capacity) {
        return ranks.worlds.getFirst().queue("jobs", Long.class).capacity(capacity).open();
    }

    // --- ranks that are gone ---

    /** A handle that has not learnt of the move fails for good. It must not become a slow death of the other handle. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void pushesToAFormerHostThatIsGoneDoNotKeepOthersFromTheNewOne(boolean verbsExecuteAtOnce) {
        if (!verbsExecuteAtOnce) {
            ranks.close();
            ranks = new SharedRanks(folder, 2, Delay.of(Duration.ofNanos(1))::delayed);
        }
        World world = ranks.worlds.getFirst();
        CircularQueue<Long> stale = world.queue("moved", Long.class).capacity(64).host(1).open();
        CircularQueue<Long> fresh = world.queue("moved", Long.class).capacity(64).host(1).open();
        stale.push(1L);
        fresh.migrate(0);
        assertThat(fresh.pop()).isEqualTo(1);
        fresh.push(2L);
        assertThat(fresh.pop()).isEqualTo(2);
        ranks.worlds.getLast().close();
        await().atMost(Duration.ofSeconds(30)).until(() -> !world.peers().missing().isEmpty());

        for (int push = 0; push < 100; push++) {
            assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(() -> stale.push(3L));
        }
        assertThat(fresh.push(4L)).isTrue();
        assertThat(fresh.pop()).isEqualTo(4);
    }

    // --- one thread ---

    @Test
    void whatOneRankPushesTheOtherPopsInItsOrder() {
        List<CircularQueue<Point>> queues = ranks.each(world -> world.queue("points", Point.class).capacity(4).open());
        Point first = new Point(1, 0.5);
        Point second = new Point(2, -0.5);
        assertThat(queues.get(1).push(first)).isTrue();
        assertThat(queues.get(0).push(second)).isTrue();
        assertThat(queues.get(0).peek()).isEqualTo(first);
        assertThat(queues.get(0).pop()).isEqualTo(first);
        assertThat(queues.get(1).pop()).isEqualTo(second);
        assertThat(queues.get(1).pop()).isNull();
        assertThat(queues.get(0).peek()).isNull();
    }

    @Test
    void itDoesWhatAQueueDoesWhateverItsCapacity() {
        for (int capacity : new int[]{1, 2, 3, 7, 64}) {
            List<CircularQueue<Long>> queues = ranks
                    .each(world -> world.queue("queue" + capacity, Long.class).capacity(capacity).host(1).open());
            Queue<Long> model = new ArrayDeque<>();
            SplittableRandom random = new SplittableRandom(capacity);
            for (long step = 0; step < 3_000; step++) {
                useLike(queues.get(random.nextInt(2)), model, capacity, step * 100, random);
            }
        }
    }

    private static void useLike(CircularQueue<Long> queue, Queue<Long> model, int capacity, long element,
            SplittableRandom random) {
        int count = 1 + random.nextInt(capacity);
        switch (random.nextInt(5)) {
            case 0 -> {
                assertThat(queue.push(element)).isEqualTo(model.size() < capacity);
                if (model.size() < capacity) {
                    model.add(element);
                }
            }
            case 1 -> assertThat(queue.pop()).isEqualTo(model.poll());
            case 2 -> {
                List<Long> elements = LongStream.range(element, element + count).boxed().toList();
                assertThat(queue.push(elements)).isEqualTo(model.size() + count <= capacity);
                if (model.size() + count <= capacity) {
                    model.addAll(elements);
                }
            }
            case 3 -> {
                List<Long> expected = new ArrayList<>();
                while (expected.size() < count && !model.isEmpty()) {
                    expected.add(model.remove());
                }
                assertThat(queue.pop(count)).isEqualTo(expected);
            }
            default -> {
                assertThat(queue.size()).isEqualTo(model.size());
                assertThat(queue.remainingCapacity()).isEqualTo(capacity - model.size());
                List<Long> elements = new ArrayList<>();
                queue.forEach(elements::add);
                assertThat(elements).isEqualTo(List.copyOf(model));
            }
        }
    }

    @Test
    void aQueueOfLongsAndOneOfBoxesOfTheSameNameAreOne() {
        LongCircularQueue longs = ranks.worlds.getFirst().longQueue("jobs").capacity(4).open();
        CircularQueue<Long> boxes = ranks.worlds.getLast().queue("jobs", Long.class).capacity(4).open();
        assertThat(longs.push(new long[]{1, 2, 3, 9}, 3)).isTrue();
        assertThat(boxes.pop()).isEqualTo(1);
        assertThat(boxes.push(4L)).isTrue();
        long[] popped = new long[4];
        assertThat(longs.pop(popped)).isEqualTo(3);
        assertThat(popped).startsWith(2, 3, 4);
        assertThat(longs.pop(popped)).isZero();
        assertThat(longs.pop(NONE)).isEqualTo(NONE);
        assertThat(longs.host()).isZero();
    }

    @Test
    void anotherConfigurationIsRefused() {
        queue(4);
        assertThatThrownBy(() -> queue(5)).isInstanceOf(ConfigurationMismatchException.class)
                .hasMessageContaining("capacity=4")
                .hasMessageContaining("capacity=5");
    }

    @Test
    void whatMakesNoSenseIsRefused() {
        var world = ranks.worlds.getFirst();
        assertThatThrownBy(() -> world.queue("none", Long.class).capacity(0).open())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith("capacity=0");
        assertThatThrownBy(() -> world.longQueue("none").host(2).open()).isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith("host=2");
        CircularQueue<Long> queue = queue(4);
        assertThatThrownBy(() -> queue.pop(1025)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith("most=1025");
        assertThatThrownBy(() -> queue.resize(0)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith("capacity=0");
        assertThatThrownBy(() -> queue.migrate(2)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith("host=2");
        assertThatThrownBy(() -> queue.pop(0)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith("most=0");
        assertThatThrownBy(() -> queue.push(List.of(1L, 2L, 3L, 4L, 5L))).isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith("elements=5");
        assertThat(queue.push(List.of())).isTrue();
        assertThat(queue.size()).isZero();
    }

    // --- moves ---

    @Test
    void aQueueThatMovesKeepsItsElementsAndTheirOrder() {
        List<CircularQueue<Long>> queues = ranks.each(world -> world.queue("jobs", Long.class).capacity(3).open());
        assertThat(queues.get(0).push(List.of(1L, 2L, 3L))).isTrue();
        queues.get(1).resize(5);
        assertThat(queues.get(0).push(List.of(4L, 5L, 6L, 7L, 8L))).isTrue();
        assertThat(queues.get(0).push(9L)).isFalse();
        queues.get(0).migrate(1);
        assertThat(queues.get(1).push(9L)).isTrue();
        assertThat(queues.get(1).size()).isEqualTo(9);
        assertThat(queues.get(0).remainingCapacity()).isEqualTo(4);
        assertThat(queues.get(0).host()).isEqualTo(1);
        assertThat(queues.get(0).capacity()).isEqualTo(5);
        assertThat(figures("jobs")).containsEntry("elements", 9.0)
                .containsEntry("moves", 2.0)
                .containsEntry("host", 1.0)
                .containsEntry("capacity", 5.0);
        CircularQueue<Long> late = ranks.worlds.get(1).queue("jobs", Long.class).capacity(3).open();
        List<Long> shown = new ArrayList<>();
        late.forEach(shown::add);
        assertThat(shown).containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L);
        assertThat(late.pop(4)).containsExactly(1L, 2L, 3L);
        assertThat(late.pop(4)).containsExactly(4L, 5L, 6L, 7L);
        assertThat(queues.get(0).peek()).isEqualTo(8);
        assertThatThrownBy(() -> queues.get(0).localPop()).as("what is left at a former host")
                .isInstanceOf(IllegalStateException.class)
                .hasMessageEndingWith("host=1 rank=0");
        assertThat(late.localPop()).isEqualTo(8);
        assertThat(LongStream.range(0, 2).mapToObj(_ -> queues.get(0).pop())).containsExactly(9L, null);
        assertThat(late.localPop()).isNull();
        assertThat(late.push(10L, Promise.local())).isTrue();
        assertThat(queues.get(0).pop()).isEqualTo(10);
    }

    private Map<String, Double> figures(String name) {
        var inspection = ranks.worlds.getLast().inspection();
        return inspection.figures(0, rank -> inspection.structures(rank)
                .orElseThrow()
                .stream()
                .filter(structure -> structure.name().equals(name))
                .findFirst());
    }

    @Test
    void aQueueThatNobodyHasUsedMovesAndShrinks() {
        CircularQueue<Long> queue = queue(4);
        queue.resize(1);
        queue.resize(2);
        assertThat(queue.push(1L)).isTrue();
        assertThat(queue.push(2L)).isTrue();
        assertThat(queue.push(3L)).isFalse();
        assertThatThrownBy(() -> queue.push(List.of(1L, 2L, 3L))).isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith("capacity=2 elements=3");
        assertThat(queue.pop(9)).containsExactly(1L, 2L);
    }

    @Test
    void whatMovesLeaveBehindIsFreed() {
        CircularQueue<Long> queue = queue(4);
        long slots = 10_000;
        queue.resize(slots);
        Heap heap = ranks.worlds.getFirst().participant().heap();
        long before = heap.usage(0).ownedBytes();
        for (long move = 0; move < 100; move++) {
            queue.push(move);
            queue.resize(slots);
            assertThat(queue.pop()).isEqualTo(move);
        }
        assertThat(queue.pop()).isNull();
        assertThat(heap.usage(0).ownedBytes()).isEqualTo(before);
        assertThat(heap.usage(0).objects()).as("headers").isEqualTo(101);
    }

    @Test
    void aQueueForWhichThereIsNoRoomStaysWhereItIs() {
        CircularQueue<Long> queue = queue(4);
        queue.push(1L);
        assertThatThrownBy(() -> queue.resize(10_000_000)).isInstanceOf(SegmentFullException.class);
        assertThat(queue.capacity()).isEqualTo(4);
        assertThat(queue.pop()).isEqualTo(1);
    }

    // --- many threads ---

    @Test
    void manyThreadsOfTwoRanksLoseNothingDoubleNothingAndKeepTheOrderOfEachPusher() throws Exception {
        List<LongCircularQueue> queues = longQueues("narrow", 8);
        long each = 9_000;
        List<Callable<List<Long>>> programs = new ArrayList<>();
        AtomicLong left = new AtomicLong(4 * each);
        for (int pusher = 0; pusher < 4; pusher++) {
            LongCircularQueue queue = queues.get(pusher % 2);
            long first = pusher * each;
            programs.add(() -> pushAll(queue, first, each));
        }
        for (int popper = 0; popper < 3; popper++) {
            LongCircularQueue queue = queues.get(popper % 2);
            programs.add(() -> popAll(queue, left));
        }
        List<List<Long>> popped = SharedRanks.atOnce(programs);
        List<Long> all = popped.stream().flatMap(List::stream).sorted().toList();
        assertThat(all).isEqualTo(LongStream.range(0, 4 * each).boxed().toList());
        for (List<Long> one : popped) {
            IntStream.range(0, 4)
                    .forEach(pusher -> assertThat(one.stream().filter(element -> element / each == pusher)).isSorted());
        }
    }

    @Test
    void manyThreadsOfTwoRanksLoseNothingAndDoubleNothingWhileTheQueueMoves() throws Exception {
        List<LongCircularQueue> queues = longQueues("moving", 8);
        long each = 9_000;
        AtomicLong left = new AtomicLong(2 * each);
        Callable<List<Long>> mover = () -> {
            for (int move = 0; left.get() > 0; move++) {
                queues.getFirst().migrate(move % 2);
                queues.getLast().resize(3 + move % 7);
                for (long next = left.get() - 30; left.get() > Math.max(next, 0);) {
                    Thread.yield();
                }
            }
            return List.of();
        };
        List<List<Long>> popped = SharedRanks.atOnce(List.of(mover,
                () -> pushAll(queues.getFirst(), 0, each), () -> pushAll(queues.getLast(), each, each),
                () -> popAll(queues.getFirst(), left), () -> popAll(queues.getLast(), left)));
        assertThat(popped.stream().flatMap(List::stream).sorted().toList())
                .isEqualTo(LongStream.range(0, 2 * each).boxed().toList());
        for (List<Long> one : popped) {
            assertThat(one.stream().filter(element -> element < each)).isSorted();
            assertThat(one.stream().filter(element -> element >= each)).isSorted();
        }
    }

    private static List<Long> pushAll(LongCircularQueue queue, long first, long count) throws InterruptedException {
        long[] three = new long[3];
        for (long element = first; element < first + count;) {
            three[0] = element;
            three[1] = element + 1;
            three[2] = element + 2;
            if (element + 2 < first + count && queue.push(three, 3)) {
                element += 3;
            } else {
                queue.put(element);
                element++;
            }
        }
        return List.of();
    }

    private static List<Long> popAll(LongCircularQueue queue, AtomicLong left) throws InterruptedException {
        List<Long> popped = new ArrayList<>();
        long[] some = new long[2];
        while (left.get() > 0) {
            int count = queue.pop(some);
            for (int index = 0; index < count; index++) {
                popped.add(some[index]);
            }
            long waited = count > 0 ? NONE : queue.poll(NONE, Duration.ofMillis(1));
            if (waited != NONE) {
                popped.add(waited);
                count++;
            }
            left.addAndGet(-count);
        }
        return popped;
    }

    // --- waiting ---

    @Test
    void whoTakesFromAnEmptyQueueWaitsUntilSomebodyPushes() throws Exception {
        CircularQueue<Long> queue = queue(1);
        List<Long> taken = SharedRanks.atOnce(List.of(queue::take, () -> {
            queue.put(7L);
            return 0L;
        }));
        assertThat(taken).containsExactly(7L, 0L);
    }

    @Test
    void whoPutsIntoAFullQueueWaitsUntilSomebodyPops() throws Exception {
        CircularQueue<Long> queue = queue(1);
        queue.push(1L);
        List<Long> taken = SharedRanks.atOnce(List.of(() -> {
            queue.put(2L);
            return 0L;
        }, queue::take));
        assertThat(taken).containsExactly(0L, 1L);
        assertThat(queue.pop()).isEqualTo(2);
    }

    @Test
    void waitsEndWhenTheTimeIsOver() throws InterruptedException {
        CircularQueue<Long> queue = queue(1);
        assertThat(queue.poll(Duration.ofMillis(5))).isNull();
        assertThat(queue.offer(1L, Duration.ZERO)).isTrue();
        assertThat(queue.offer(2L, Duration.ofMillis(5))).isFalse();
        assertThat(queue.poll(Duration.ZERO)).isEqualTo(1);
    }

    @Test
    void whoWaitsTakesLittleOfTheProcessor() throws InterruptedException {
        CircularQueue<Long> queue = queue(1);
        queue.poll(Duration.ofMillis(50));
        var threads = ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadCpuTime();
        assertThat(queue.poll(Duration.ofSeconds(1))).isNull();
        assertThat(Duration.ofNanos(threads.getCurrentThreadCpuTime() - before)).isLessThan(Duration.ofMillis(200));
    }

    @Test
    void whoWaitsCanBeInterrupted() {
        CircularQueue<Long> queue = queue(1);
        AtomicReference<Throwable> end = new AtomicReference<>();
        Thread waiting = Thread.ofPlatform().start(() -> {
            try {
                queue.take();
            } catch (InterruptedException interrupted) {
                end.set(interrupted);
            }
        });
        await().until(() -> waiting.getState() == Thread.State.TIMED_WAITING);
        waiting.interrupt();
        await().until(() -> end.get() instanceof InterruptedException);
        assertThat(queue.push(1L)).isTrue();
    }

    // --- the Java heap ---

    @Test
    void operationsOnLongsAllocateNothing() {
        List<LongCircularQueue> queues = longQueues("longs", 1_000);
        long[] several = new long[100];
        assertThat(List.of(
                AllocatedBytes.of(() -> pushAndPop(queues.get(0), several)),
                AllocatedBytes.of(() -> pushAndPop(queues.get(1), several)))).containsOnly(0L);
    }

    private static void pushAndPop(LongCircularQueue queue, long[] several) {
        for (long element = 0; element < 2_000; element++) {
            queue.push(element);
            queue.pop(NONE);
        }
        queue.push(several, several.length);
        queue.pop(several);
    }
}
