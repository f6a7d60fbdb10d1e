package io.atoll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.atoll.failure.MissingRanksException;
import io.atoll.filter.LongBloomFilter;
import io.atoll.map.DistributedMap;
import io.atoll.map.LongLongMap;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** A world is closed, or a thread is interrupted, in the middle of any operation. */
@Isolated
class WorldClosingTest {

    private static final Duration SOON = Duration.ofSeconds(10);

    /** Wide enough to be copied in one piece. */
    record Wide(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j, long k, long l, long m,
            long n, long o, long p, long q, long r, long s, long t, long u, long v, long w, long x, long y, long z,
            long aa, long bb, long cc, long dd, long ee, long ff) {

        static Wide of(long value) {
            return new Wide(value, value, value, value, value, value, value, value, value, value, value, value, value,
                    value, value, value, value, value, value, value, value, value, value, value, value, value, value,
                    value, value, value, value, value);
        }
    }

    @TempDir
    Path folder;

    private final List<World> worlds = new ArrayList<>();

    @AfterEach
    void leave() {
        worlds.forEach(World::close);
    }

    private WorldBuilder world(int rank) {
        return World.named("closing")
                .size(2)
                .rank(rank)
                .segment(8 << 20)
                .fabric(Fabrics.sharedMemory(folder, false));
    }

    private World open(int rank) {
        World world = world(rank).open();
        worlds.add(world);
        return world;
    }

    private List<String> files() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    /** An operation that a thread repeats until it fails. */
    private interface Step {
        void take(long number) throws Exception;
    }

    private static CompletableFuture<Throwable> untilFailure(AtomicLong steps, Step step) {
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        Thread.ofPlatform().daemon().start(() -> {
            try {
                for (long number = 0;; number++) {
                    step.take(number);
                    steps.incrementAndGet();
                }
            } catch (Throwable thrown) {
                failure.complete(thrown);
            }
        });
        return failure;
    }

    private List<CompletableFuture<Throwable>> work(World world, AtomicLong steps) {
        LongLongMap counts = world.longMap("counts").capacity(2000).open();
        DistributedMap<Long, Wide> wide = world.map("wide", Long.class, Wide.class).capacity(2000).open();
        LongBloomFilter filter = world.longFilter("seen").expectedElements(100_000).open();
        return List.of(untilFailure(steps, number -> counts.addAndGet(number % 1000, 1)),
                untilFailure(steps, number -> wide.put(number % 1000, Wide.of(number))),
                untilFailure(steps, number -> wide.get(number % 1000)),
                untilFailure(steps, filter::add),
                untilFailure(steps, number -> {
                    var heap = world.participant().heap();
                    heap.free((int) number % 2, heap.allocate((int) number % 2, 64));
                }),
                untilFailure(steps, _ -> world.structures()),
                untilFailure(steps, _ -> world.barrier()));
    }

    @Test
    void anErrorWhileSomethingIsClosedKeepsNothingElseOpen() throws Exception {
        World world = open(0);
        open(1);
        AtomicLong closed = new AtomicLong();
        for (int number = 0; number < 4; number++) {
            AutoCloseable used = () -> {
                closed.incrementAndGet();
                throw new NoClassDefFoundError("Could not initialize class Repair");
            };
            world.participant().shared("used " + number, () -> used);
        }
        assertThatExceptionOfType(NoClassDefFoundError.class).isThrownBy(world::close);
        assertThat(closed).hasValue(4);
        worlds.getLast().close();
        assertThat(files()).isEmpty();
    }

    @Test
    void threadsThatWorkWhileTheirWorldIsClosedAreToldSo() throws Exception {
        World other = open(1);
        for (int round = 0; round < 8; round++) {
            World world = open(0);
            await().atMost(SOON).until(() -> other.peers().missing().isEmpty());
            AtomicLong steps = new AtomicLong();
            List<CompletableFuture<Throwable>> failures = work(world, steps);
            long begun = steps.get();
            await().atMost(SOON).pollInterval(Duration.ofMillis(1)).until(() -> steps.get() > begun + 1000);
            world.close();
            for (CompletableFuture<Throwable> failure : failures) {
                assertThat(failure.get(SOON.toSeconds(), TimeUnit.SECONDS)).isInstanceOf(IllegalStateException.class)
                        .message()
                        .matches(
                                "this process has left its world: .*(rank=0|settings=.*)|this process has given the "
                                        + "memory back,"
                                        + " by leaving its world: bytes=8388608");
            }
            await().atMost(SOON).until(() -> !other.peers().missing().isEmpty());
        }
    }

    @Test
    void whatIsUsedAfterTheEndSaysSo() {
        World world = open(0);
        open(1);
        LongLongMap map = world.longMap("hits").fixedCapacity(100).open();
        LongLongMap lazy = world.longMap("lazy").fixedCapacity(100).openLazily();
        world.close();
        world.close();
        List<Step> uses = List.of(number -> map.getOrDefault(number, 0), number -> map.put(number, 1),
                number -> lazy.getOrDefault(number, 0), _ -> world.structures(), _ -> world.barrier(),
                _ -> world.longMap("new").open());
        for (Step use : uses) {
            for (long number = 0; number < 16; number++) {
                long any = number;
                assertThatIllegalStateException().isThrownBy(() -> use.take(any))
                        .withMessageMatching("this process has left its world: .*rank=0");
            }
        }
        assertThatCode(world.peers()::lookSoon).doesNotThrowAnyException();
    }

    @Test
    void aWorldCanBeClosedByAThreadThatIsInterrupted() throws IOException {
        open(1).close();
        World world = open(0);
        open(1).participant();
        worlds.getLast().close();
        Thread.currentThread().interrupt();
        world.close();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(files()).isEmpty();
    }

    /** Interrupts a thread once the action has begun. Returns what the action throws. */
    private static Throwable interrupted(Action action, Callable<Boolean> begun)
            throws Exception {
        FutureTask<Void> task = new FutureTask<>(() -> {
            action.run();
            return null;
        });
        Thread thread = Thread.ofPlatform().daemon().start(task);
        await().atMost(SOON).pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(5)).until(begun);
        thread.interrupt();
        thread.join(SOON);
        assertThat(task.state()).isEqualTo(Future.State.FAILED);
        return task.exceptionNow();
    }

    private interface Action {
        void run() throws Exception;
    }

    @Test
    void aBarrierThatWasInterruptedCanBeEnteredAgain() throws Exception {
        World world = open(0);
        World other = open(1);
        other.participant();
        for (int round = 0; round < 10; round++) {
            assertThat(interrupted(world::barrier, () -> world.waits().size() == 1))
                    .isInstanceOf(InterruptedException.class);
            assertThat(world.waits()).isEmpty();
            FutureTask<Void> there = new FutureTask<>(() -> {
                other.barrier();
                return null;
            });
            Thread.ofVirtual().start(there);
            world.barrier();
            assertThat(there).succeedsWithin(SOON);
        }
    }

    @Test
    void aReductionThatWasInterruptedCanBeRepeated() throws Exception {
        World world = open(0);
        World other = open(1);
        other.participant();
        long[] values = {1, 2};
        assertThat(interrupted(() -> world.allReduce(values, Long::sum), () -> world.waits().size() == 1))
                .isInstanceOf(InterruptedException.class);
        assertThat(values).containsExactly(1, 2);
        long[] others = {10, 20};
        FutureTask<Void> there = new FutureTask<>(() -> {
            other.allReduce(others, Long::sum);
            return null;
        });
        Thread.ofVirtual().start(there);
        world.allReduce(values, Long::sum);
        assertThat(there).succeedsWithin(SOON);
        assertThat(values).containsExactly(11, 22);
        assertThat(others).containsExactly(11, 22);
    }

    @Test
    void whoIsInterruptedWhileRanksAreMissingHasLeftAndCanJoinAgain() throws Exception {
        assertThat(interrupted(() -> world(0).join(Duration.ofMinutes(1)), () -> files().contains(
                "atoll-closing-0.segment"))).isInstanceOf(InterruptedException.class);
        assertThat(files()).isEmpty();
        open(1);
        World again = world(0).join(SOON);
        worlds.add(again);
        assertThat(again.longMap("hits").capacity(100).open().addAndGet(1, 1)).isOne();
    }

    @Test
    void whoIsInterruptedWhileItsSegmentIsMadeLeavesNothingBehind() throws Exception {
        assertThat(interrupted(() -> world(0).segment(1 << 30).join(SOON), () -> !files().isEmpty()))
                .isInstanceOf(InterruptedException.class);
        assertThat(files()).isEmpty();
    }

    @Test
    void anInterruptedThreadDoesNotOpenAWorld() throws IOException {
        Thread.currentThread().interrupt();
        assertThatIllegalStateException().isThrownBy(() -> world(0).open())
                .withMessage("interrupted while joining: world=closing");
        assertThat(Thread.interrupted()).isTrue();
        assertThat(files()).isEmpty();
    }

    @Test
    void theFirstUseOfAStructureCanBeInterruptedAndTriedAgain() throws Exception {
        World world = open(0);
        LongLongMap map = world.longMap("hits").capacity(100).openLazily();
        Thread.currentThread().interrupt();
        assertThatIllegalStateException().isThrownBy(() -> map.getOrDefault(1, 0))
                .withMessage("interrupted while ranks were missing: missing=[1]");
        assertThat(Thread.interrupted()).isTrue();
        assertThatExceptionOfType(MissingRanksException.class).isThrownBy(() -> world.peers().awaitAll(Duration.ZERO));
        open(1);
        assertThat(map.getOrDefault(1, 0)).isZero();
    }

    private static long descriptors() throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.count();
        }
    }

    private void openUseAndClose() throws InterruptedException {
        try (World world = world(0).segment(1 << 20).open(); World other = world(1).segment(1 << 20).open()) {
            world.peers().lookSoon();
            world.longMap("hits").capacity(100).open().put(1, 2);
            assertThat(other.longMap("hits").capacity(100).open().getOrDefault(1, 0)).isEqualTo(2);
        }
    }

    @Test
    void aWorldThatIsOpenedAndClosedTwoHundredTimesLeavesNoDescriptorAndNoFile() throws Exception {
        openUseAndClose();
        long before;
        do { // once more if what earlier tests left open was closed meanwhile
            before = descriptors();
            for (int cycle = 0; cycle < 200; cycle++) {
                openUseAndClose();
            }
        } while (descriptors() < before);
        assertThat(descriptors()).isEqualTo(before);
        assertThat(files()).isEmpty();
        assertThat(Files.readString(Path.of("/proc/self/maps"))).doesNotContain("atoll-closing");
    }
}
