package io.atoll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.collective.Broadcast;
import io.atoll.collective.Exchange;
import io.atoll.linked.LinkedQueue;
import io.atoll.linked.LinkedStack;
import io.atoll.lock.LockTable;
import io.atoll.map.LongLongMap;
import io.atoll.promise.BrokenPromiseException;
import io.atoll.promise.Promise;
import io.atoll.queue.CircularQueue;
import io.atoll.queue.FastQueue;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A process may open a name as often as it likes. All the objects that it gets are the same structure. */
@Timeout(60)
class ObjectsOfOneNameTest {

    private static final int RANKS = 2;

    @TempDir
    Path folder;

    private final List<World> worlds = new ArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @BeforeEach
    void join() {
        for (int rank = 0; rank < RANKS; rank++) {
            worlds.add(World.named("twice")
                    .size(RANKS)
                    .rank(rank)
                    .segment(4 << 20)
                    .operationTimeout(Duration.ofSeconds(10))
                    .fabric(Fabrics.sharedMemory(folder, false))
                    .open());
        }
    }

    @AfterEach
    void leave() {
        threads.shutdownNow();
        worlds.forEach(World::close);
    }

    private static void await(List<Future<Void>> all) throws Exception {
        for (Future<Void> each : all) {
            each.get(50, TimeUnit.SECONDS);
        }
    }

    // --- broadcasts ---

    private static Broadcast window(World world) {
        return world.collectives().broadcast("window").bytes(64).open();
    }

    /** Each object sends to a place of its own. After its flush the receiver has what that object sent last. */
    private static Void sendOften(Broadcast sender, long place, Broadcast receiver) {
        for (long number = 1; number <= 1_000; number++) {
            sender.write(place, MemorySegment.ofArray(new long[]{number}));
            sender.send(place, Long.BYTES);
            sender.flush();
            MemorySegment found = MemorySegment.ofArray(new long[1]);
            receiver.read(place, found);
            assertThat(found.get(ValueLayout.JAVA_LONG, 0)).as("place %s", place).isEqualTo(number);
        }
        return null;
    }

    @Test
    void whatTwoObjectsOfAWindowSendAtTheSameTimeArrives() throws Exception {
        Broadcast receiver = window(worlds.get(1));
        List<Future<Void>> senders = new ArrayList<>();
        for (long place = 0; place < 64; place += 16) {
            Broadcast sender = window(worlds.getFirst());
            long own = place;
            senders.add(threads.submit(() -> sendOften(sender, own, receiver)));
        }
        await(senders);
        assertThat(receiver.received(0)).isEqualTo(4_000);
    }

    @Test
    void eachObjectOfAWindowIsToldWhatHasArrived() throws Exception {
        Broadcast one = window(worlds.get(1));
        Broadcast other = window(worlds.get(1));
        Broadcast sender = window(worlds.getFirst());
        sender.send(0, Long.BYTES);
        sender.flush();
        assertThat(one.awaitNext(0)).isEqualTo(1);
        assertThat(other.awaitNext(0)).isEqualTo(1);
    }

    // --- exchanges ---

    @Test
    void anExchangeCountsItsBarriersWhateverObjectsPassThem() throws Exception {
        List<Exchange> objects = new ArrayList<>();
        List<Supplier<Exchange>> opening = new ArrayList<>();
        for (World world : worlds) {
            opening.add(() -> world.collectives().exchange("together").open());
            objects.add(opening.getLast().get());
        }
        List<Future<Void>> members = new ArrayList<>();
        for (int rank = 0; rank < RANKS; rank++) {
            Exchange kept = objects.get(rank);
            Supplier<Exchange> another = opening.get(rank);
            long own = rank + 1;
            boolean alternates = rank == 0;
            Callable<Void> member = () -> {
                for (int round = 0; round < 50; round++) {
                    long[] values = {own};
                    (alternates && round % 2 == 1 ? another.get() : kept).allReduce(values, Long::sum);
                    assertThat(values).containsExactly(3);
                }
                return null;
            };
            members.add(threads.submit(member));
        }
        await(members);
    }

    // --- locks ---

    @Test
    void aThreadHoldsALockThroughEveryObjectOfItsTable() throws Exception {
        LockTable one = worlds.getFirst().lockTable("locks").open();
        LockTable other = worlds.getFirst().lockTable("locks").open();
        for (long index = 0; index < RANKS; index++) {
            Lock first = one.asLockAt(index, true);
            Lock second = other.asLockAt(index, true);
            first.lock();
            second.lock();
            first.unlock();
            assertThat(threads.submit(() -> second.tryLock()).get(10, TimeUnit.SECONDS)).isFalse();
            second.unlock();
            assertThat(threads.submit(() -> {
                boolean taken = first.tryLock();
                second.unlock();
                return taken;
            }).get(10, TimeUnit.SECONDS)).isTrue();
        }
    }

    // --- queues and stacks ---

    @Test
    void aCircularQueueMovesUnderAllItsObjects() {
        CircularQueue<Long> one = worlds.getFirst().queue("jobs", Long.class).capacity(8).open();
        CircularQueue<Long> other = worlds.getFirst().queue("jobs", Long.class).capacity(8).open();
        long pushed = 0;
        long popped = 0;
        for (int move = 0; move < 6; move++) {
            for (int each = 0; each < 5; each++) {
                assertThat((each % 2 == 0 ? one : other).push(++pushed)).isTrue();
            }
            if (move % 2 == 0) {
                one.migrate(1 - one.host());
            } else {
                other.resize(other.capacity() * 2);
            }
            for (int each = 0; each < 4; each++) {
                assertThat((each % 2 == 0 ? other : one).pop()).isEqualTo(++popped);
            }
        }
        assertThat(one.size()).isEqualTo(pushed - popped).isEqualTo(other.size());
    }

    @Test
    void aFastQueueMovesUnderAllItsObjects() throws Exception {
        FastQueue<Long> one = worlds.getFirst().fastQueue("fast", Long.class).capacity(8).open();
        FastQueue<Long> other = worlds.getFirst().fastQueue("fast", Long.class).capacity(8).open();
        long pushed = 0;
        long popped = 0;
        for (int move = 0; move < 4; move++) {
            for (int each = 0; each < 3; each++) {
                assertThat((each % 2 == 0 ? one : other).push(++pushed)).isTrue();
            }
            if (move % 2 == 0) {
                one.migrate(1 - one.host());
            } else {
                other.resize(other.capacity() * 2);
            }
            for (int each = 0; each < 2; each++) {
                assertThat((each % 2 == 0 ? other : one).pop()).isEqualTo(++popped);
            }
        }
        assertThat(other.host()).isEqualTo(one.host());
        assertThat(one.localPop()).isEqualTo(++popped);
        assertThat(other.pop()).isEqualTo(++popped);
        assertThat(other.size()).isEqualTo(pushed - popped);
    }

    @Test
    void linkedStructuresAreTheSameThroughAllTheirObjects() {
        LinkedQueue<Long> queue = worlds.getFirst().linkedQueue("linked", Long.class).open();
        LinkedQueue<Long> sameQueue = worlds.getFirst().linkedQueue("linked", Long.class).open();
        queue.push(1L);
        sameQueue.push(2L);
        assertThat(sameQueue.pop()).isEqualTo(1);
        assertThat(queue.pop()).isEqualTo(2);
        LinkedStack<Long> stack = worlds.getFirst().stack("stack", Long.class).open();
        LinkedStack<Long> sameStack = worlds.getFirst().stack("stack", Long.class).open();
        stack.push(1L);
        sameStack.push(2L);
        assertThat(stack.pop()).isEqualTo(2);
        assertThat(sameStack.pop()).isEqualTo(1);
    }

    // --- maps ---

    @Test
    void aMapThatGrowsThroughOneObjectIsFoundWholeThroughAnother() throws Exception {
        List<Future<Void>> writers = new ArrayList<>();
        long keys = 5_000;
        for (long first = 1; first <= 2; first++) {
            LongLongMap map = worlds.getFirst().longMap("numbers").capacity(64).open();
            long from = first;
            writers.add(threads.submit(() -> {
                for (long key = from; key <= keys; key += 2) {
                    map.put(key, -key);
                    map.addAndGet(0, 1);
                }
                return null;
            }));
        }
        await(writers);
        LongLongMap map = worlds.get(1).longMap("numbers").capacity(64).open();
        assertThat(map.size()).isEqualTo(keys + 1);
        assertThat(map.getOrDefault(0, 0)).isEqualTo(keys);
        for (long key = 1; key <= keys; key++) {
            assertThat(map.getOrDefault(key, 0)).isEqualTo(-key);
        }
    }

    // --- promises ---

    @Test
    void aPromiseThatOneThreadIsAloneIsWatchedOverThroughAllObjects() {
        CircularQueue<Long> one = worlds.getFirst().queue("checked", Long.class).checkedPromises().open();
        CircularQueue<Long> other = worlds.getFirst().queue("checked", Long.class).checkedPromises().open();
        one.push(1L, Promise.local());
        assertThatThrownBy(() -> CompletableFuture.runAsync(() -> other.push(3L, Promise.local()), threads).join())
                .hasCauseInstanceOf(BrokenPromiseException.class);
        other.push(2L, Promise.local());
        assertThat(one.pop(Promise.local())).isEqualTo(1);
    }
}
