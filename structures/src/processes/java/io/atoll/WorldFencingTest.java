package io.atoll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.atoll.array.Array;
import io.atoll.array.Pointer;
import io.atoll.epoch.EpochSettings;
import io.atoll.epoch.Token;
import io.atoll.fabric.Batch;
import io.atoll.fabric.trace.Journal;
import io.atoll.failure.FencedException;
import io.atoll.failure.JoinRefusedException.Reason;
import io.atoll.filter.LongBloomFilter;
import io.atoll.lock.Acquisition;
import io.atoll.lock.LockAlgorithm;
import io.atoll.lock.LockTable;
import io.atoll.map.LongLongMap;
import io.atoll.memory.GlobalPointer;
import io.atoll.memory.LocalMemory;
import io.atoll.process.ChildProcess;
import io.atoll.promise.Promise;
import io.atoll.queue.FastQueue;
import io.atoll.queue.LongCircularQueue;
import io.atoll.world.Membership;
import io.atoll.world.Peers.PeerStatus;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** If the other processes must take a process for gone, it stops and says so. */
@Timeout(120)
@Tag("processes")
class WorldFencingTest {

    private static final Duration SOON = Duration.ofSeconds(10);

    @TempDir
    Path folder;

    private final List<World> worlds = new ArrayList<>();

    @AfterEach
    void leave() {
        worlds.forEach(World::close);
    }

    private World open(int rank, Membership membership) {
        return open(builder(rank, membership));
    }

    private WorldBuilder builder(int rank, Membership membership) {
        return World.named("fenced")
                .size(2)
                .rank(rank)
                .segment(4 << 20)
                .membership(membership)
                .fabric(Fabrics.sharedMemory(folder, false));
    }

    private World open(WorldBuilder builder) {
        World world = builder.open();
        worlds.add(world);
        return world;
    }

    private static void assertFenced(Reason reason, ThrowingCallable operation) {
        assertThatExceptionOfType(FencedException.class).isThrownBy(operation)
                .satisfies(fenced -> assertThat(fenced.refusal().reason()).isEqualTo(reason))
                .withMessageStartingWith("this process takes part no more, start it anew: ")
                .withMessageContaining(" reason=[")
                .withMessageContaining("rank=0");
    }

    @Test
    void aProcessThatItsMembershipRefusesStopsUsingItsStructuresAndSaysSo() {
        RefusingMembership membership = new RefusingMembership();
        World world = open(0, membership);
        World other = open(1, Membership.ofOneHost());
        LongLongMap map = world.longMap("hits").capacity(1000).open();
        LongBloomFilter filter = world.longFilter("seen").expectedElements(1000).open();
        List<Runnable> unused = Stream.of(EveryStructure.values())
                .map(structure -> structure.operation(world, "unused " + structure))
                .toList();
        map.put(7, 8);
        assertThat(world.refusal()).isEmpty();
        assertThat(world.inspection().refusal()).isEmpty();

        membership.refuse();
        await().atMost(SOON).until(() -> world.refusal().isPresent());
        assertThat(world.refusal()).contains(RefusingMembership.TAKEN);
        assertThat(world.inspection().refusal()).contains(RefusingMembership.TAKEN);
        for (long key = 0; key < 64; key++) {
            long any = key;
            assertFenced(Reason.RANK_TAKEN, () -> map.getOrDefault(any, 0));
            assertFenced(Reason.RANK_TAKEN, () -> map.addAndGet(any, 1));
            assertFenced(Reason.RANK_TAKEN, () -> filter.mightContain(any));
        }
        unused.forEach(operation -> assertFenced(Reason.RANK_TAKEN, operation::run));
        assertFenced(Reason.RANK_TAKEN, () -> world.longMap("new").open());
        assertFenced(Reason.RANK_TAKEN, world::structures);
        assertFenced(Reason.RANK_TAKEN, world::barrier);
        assertFenced(Reason.RANK_TAKEN, () -> world.allReduce(new long[1], Long::sum));
        assertFenced(Reason.RANK_TAKEN, () -> world.participant().heap().allocate(1, 64));
        assertFenced(Reason.RANK_TAKEN, () -> world.participant().endpoint().flush());

        assertThat(world.inspection().heapUsage(0)).isEmpty();
        assertThat(world.inspection().structures(1)).isEmpty();
        assertThat(world.inspection().segmentBytes()).isEqualTo(4 << 20);
        assertThat(world.inspection().guarantees()).isNotNull();

        World next = open(0, Membership.ofOneHost());
        assertThat(next.incarnation()).isEqualTo(2);
        assertThat(other.longMap("hits").capacity(1000).open().getOrDefault(7, -1)).isEqualTo(8);
    }

    @Test
    void whoWaitsWhenHisProcessIsFencedIsToldAtOnce() throws Exception {
        RefusingMembership membership = new RefusingMembership();
        World world = open(0, membership);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> missing = threads.submit(() -> world.longMap("hits").open());
            membership.refuse();
            assertFencedWithin(missing);
        }
    }

    @Test
    void aBarrierUnderWayEndsWhenItsProcessIsFenced() throws Exception {
        RefusingMembership membership = new RefusingMembership();
        World world = open(0, membership);
        open(1, Membership.ofOneHost());
        world.participant();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> barrier = threads.submit(() -> {
                world.barrier();
                return null;
            });
            await().atMost(SOON).until(() -> world.waits().size() == 1);
            membership.refuse();
            assertFencedWithin(barrier);
        }
    }

    /** All tokens are used up, either registered or lent. A waiting thread touches no memory. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whoWaitsForATokenWhenHisProcessIsFencedIsToldAtOnce(boolean registers) throws Exception {
        RefusingMembership membership = new RefusingMembership();
        EpochSettings oneToken = EpochSettings.DEFAULT.tokens(1);
        World world = open(builder(0, membership).epochs(oneToken).operationTimeout(SOON.multipliedBy(6)));
        open(builder(1, Membership.ofOneHost()).epochs(oneToken));
        Supplier<Token> one = registers ? world.epochs()::register : world.epochs()::pin;
        one.get();
        CompletableFuture<Thread> waiter = new CompletableFuture<>();
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            Future<?> waiting = threads.submit(() -> {
                waiter.complete(Thread.currentThread());
                return one.get();
            });
            await().atMost(SOON).until(() -> waiter.get().getState() == Thread.State.TIMED_WAITING);
            refuse(world, membership);
            assertFencedWithin(waiting);
        }
    }

    private static void assertFencedWithin(Future<?> waiting) {
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> waiting.get(SOON.toSeconds(), TimeUnit.SECONDS))
                .withCauseInstanceOf(FencedException.class);
    }

    private static void refuse(World world, RefusingMembership membership) {
        membership.refuse();
        await().atMost(SOON).until(() -> world.refusal().isPresent());
    }

    @ParameterizedTest
    @EnumSource
    void itsOwnLocksAreNotAcquiredAndWhoWaitsForOneIsTold(LockAlgorithm algorithm) throws Exception {
        RefusingMembership membership = new RefusingMembership();
        World world = open(0, membership);
        open(1, Membership.ofOneHost());
        LockTable table = world.lockTable("accounts").locks(8).algorithm(algorithm).open();
        Acquisition held = table.lockAt(0);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> waiting = threads.submit(() -> {
                table.lockAt(0).close();
                return null;
            });
            await().atMost(SOON).until(() -> !table.state(0).waiting().isEmpty());
            refuse(world, membership);
            assertFencedWithin(waiting);
        }
        for (long lock = 0; lock < table.locks(); lock++) {
            long any = lock;
            assertFenced(Reason.RANK_TAKEN, () -> table.lockAt(any));
            assertFenced(Reason.RANK_TAKEN, () -> table.tryLockAt(any));
        }
        assertThat(held.isHeld()).isFalse();
        held.close();
    }

    @Test
    void whatLiesInItsOwnSegmentIsNotReachedByWhatItHasUsedBefore() {
        RefusingMembership membership = new RefusingMembership();
        World world = open(0, membership);
        open(1, Membership.ofOneHost());
        LongCircularQueue here = world.longQueue("here").capacity(8).host(0).open();
        LongCircularQueue there = world.longQueue("there").capacity(8).host(1).open();
        LocalMemory own = world.participant().endpoint().fabric().local();
        Batch batch = world.participant().endpoint().fabric().newBatch(Long.BYTES);
        Token token = world.epochs().register();
        GlobalPointer object = new GlobalPointer(0, world.participant().heap().allocate(0, Long.BYTES));
        here.push(1);
        there.push(1);
        token.pin();
        refuse(world, membership);

        assertFenced(Reason.RANK_TAKEN, () -> here.push(2));
        assertFenced(Reason.RANK_TAKEN, () -> there.push(2));
        assertFenced(Reason.RANK_TAKEN, () -> here.push(2, Promise.local()));
        assertFenced(Reason.RANK_TAKEN, () -> token.retire(object));
        assertFenced(Reason.RANK_TAKEN, token::unpin);
        assertFenced(Reason.RANK_TAKEN, world.epochs()::pin);
        assertFenced(Reason.RANK_TAKEN, () -> own.setRelease(0, 1));
        for (int rank = 0; rank < world.size(); rank++) {
            int any = rank;
            assertFenced(Reason.RANK_TAKEN, () -> batch.writeWord(any, 0, 1));
        }
        assertThat(own.size()).isEqualTo(4 << 20);
    }

    @Test
    void itsElementsAreNotHandedOutWhereTheyLie() {
        RefusingMembership membership = new RefusingMembership();
        World world = open(0, membership);
        open(1, Membership.ofOneHost());
        Array<Long> array = world.array("array", Long.class).length(8).host(0).open();
        FastQueue<Long> queue = world.fastQueue("queue", Long.class).capacity(8).host(0).open();
        Pointer<Long> pointer = world.allocate(0, Long.class, 8);
        queue.push(1L);
        assertThat(queue.local()).hasSize(1);
        refuse(world, membership);

        assertFenced(Reason.RANK_TAKEN, array::local);
        assertFenced(Reason.RANK_TAKEN, queue::local);
        assertFenced(Reason.RANK_TAKEN, () -> pointer.local(8));
        assertFenced(Reason.RANK_TAKEN, () -> world.participant().endpoint().fabric().local().view(0, 64));
    }

    /** By its lock a process proves that it may still store something. */
    @Test
    void itsRankIsFreeForAnotherProcessAndWhatItHeldForTheOthers() throws Exception {
        RefusingMembership membership = new RefusingMembership();
        World world = open(0, membership);
        World other = open(1, Membership.ofOneHost());
        LockTable held = world.lockTable("accounts").locks(8).open();
        LockTable asked = other.lockTable("accounts").locks(8).open();
        long elsewhere = LongStream.range(0, held.locks())
                .filter(lock -> held.owner(lock) == 1)
                .findFirst()
                .orElseThrow();
        held.lockAt(elsewhere);
        refuse(world, membership);

        await().atMost(SOON).until(() -> other.peers().snapshot().getFirst().status() == PeerStatus.LOST);
        try (Acquisition recovered = asked.tryLockAt(elsewhere, SOON)) {
            assertThat(recovered).isNotNull();
        }
        try (ChildProcess next = ChildProcess.start(WorldProgram.class)) {
            assertThat(next.ask("open folder=" + folder + " name=fenced size=2 rank=0")).isEqualTo("incarnation=2");
            world.close();
            await().atMost(SOON).until(() -> other.peers().snapshot().getFirst().status() == PeerStatus.JOINED);
        }
    }

    @Test
    void noStoreArrivesOnceItIsFenced() throws Exception {
        RefusingMembership membership = new RefusingMembership();
        World world = open(0, membership);
        World other = open(1, Membership.ofOneHost());
        LocalMemory own = world.participant().endpoint().fabric().local();
        long word = world.participant().heap().allocate(0, Long.BYTES);
        try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
            List<Future<?>> writing = new ArrayList<>();
            for (int thread = 0; thread < 2; thread++) {
                writing.add(threads.submit(() -> {
                    while (true) {
                        own.getAndAdd(word, 1);
                    }
                }));
            }
            await().atMost(SOON).until(() -> other.participant().endpoint().readWord(0, word) > 1_000_000);
            refuse(world, membership);
            long atFence = wordInFile(word);
            for (Future<?> each : writing) {
                assertFencedWithin(each);
            }
            assertThat(wordInFile(word)).isEqualTo(atFence);
        }
    }

    /** Reads the file, since the others may have fenced the rank already and then refuse to read its memory. */
    private long wordInFile(long offset) throws IOException {
        ByteBuffer word = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder());
        try (FileChannel segment = FileChannel.open(folder.resolve("atoll-fenced-0.segment"))) {
            segment.read(word, offset);
        }
        return word.getLong(0);
    }

    @Test
    void whatIsExplainedWhileItsProcessIsFencedDoesNotUndoIt() {
        RefusingMembership membership = new RefusingMembership();
        World world = open(0, membership);
        open(1, Membership.ofOneHost());
        LongLongMap map = world.longMap("hits").capacity(1000).open();
        Journal journal = world.explain(() -> {
            membership.refuse();
            await().atMost(SOON).until(() -> world.refusal().isPresent());
        });
        assertThat(journal.entries()).isEmpty();
        assertFenced(Reason.RANK_TAKEN, () -> map.getOrDefault(1, 0));
    }

    @Test
    void aRankWhoseFilesWereRemovedStopsAndTheNextOneTakesItsPlace() throws IOException {
        World world = open(0, Membership.ofOneHost());
        World other = open(1, Membership.ofOneHost());
        LongLongMap map = world.longMap("hits").capacity(1000).open();
        other.participant();
        Files.delete(folder.resolve("atoll-fenced-0.lock"));
        Files.delete(folder.resolve("atoll-fenced-0.segment"));

        await().atMost(SOON).until(() -> world.refusal().isPresent());
        assertThat(world.refusal().orElseThrow())
                .hasMessage("this rank's files were removed, or another process has taken the rank:"
                        + " world=fenced rank=0 incarnation=1");
        assertFenced(Reason.RANK_LOST, () -> map.getOrDefault(1, 0));
        await().atMost(SOON)
                .until(() -> other.peers().snapshot().getFirst().status() == PeerStatus.LOST);

        World next = open(0, Membership.ofOneHost());
        assertThat(next.incarnation()).isEqualTo(2);
        await().atMost(SOON).until(() -> other.peers().missing().isEmpty());
        next.longMap("others").capacity(1000).open().put(1, 2);
        assertThat(other.longMap("others").capacity(1000).open().getOrDefault(1, 0)).isEqualTo(2);
        world.close();
        assertThat(other.longMap("others").capacity(1000).open().getOrDefault(1, 0)).isEqualTo(2);
    }

    /** The kernel gives a lock back when its process closes any descriptor of the file. */
    @Test
    void aRankThatLostItsLockToACarelessProgramStopsWhenAnotherProcessHasIt() throws IOException {
        World world = open(0, Membership.ofOneHost());
        open(1, Membership.ofOneHost());
        LongLongMap map = world.longMap("hits").capacity(1000).open();
        FileChannel.open(folder.resolve("atoll-fenced-0.lock"), StandardOpenOption.READ).close();
        try (ChildProcess other = ChildProcess.start(WorldProgram.class)) {
            assertThat(other.ask("open folder=" + folder + " name=fenced size=2 rank=0")).isEqualTo("incarnation=2");
            await().atMost(SOON).until(() -> world.refusal().isPresent());
            assertFenced(Reason.RANK_LOST, () -> map.getOrDefault(1, 0));
            world.close();
            assertThat(Files.exists(folder.resolve("atoll-fenced-0.segment"))).isTrue();
        }
    }

    @Test
    void afterItWasFencedAWorldCanBeClosedAndOpenedAnew() {
        RefusingMembership membership = new RefusingMembership();
        World world = open(0, membership);
        World other = open(1, Membership.ofOneHost());
        other.longMap("hits").capacity(1000).open().put(7, 8);
        membership.refuse();
        await().atMost(SOON).until(() -> world.refusal().isPresent());
        world.close();
        assertThatThrownBy(world::structures).isInstanceOf(IllegalStateException.class);

        World again = open(0, Membership.ofOneHost());
        assertThat(again.incarnation()).isEqualTo(2);
        assertThat(again.longMap("hits").capacity(1000).open().getOrDefault(7, -1)).isEqualTo(8);
    }
}
