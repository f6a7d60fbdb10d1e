package io.atoll.collective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.atoll.CostPage;
import io.atoll.CostPage.RoundTrips;
import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.collective.CollectiveLog.Late;
import io.atoll.fabric.trace.Journal;
import io.atoll.failure.ConfigurationMismatchException;
import io.atoll.failure.RankUnreachableException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests exchanges over real shared memory, with all ranks in this process. */
@Timeout(60)
class ExchangeTest {

    private static final int RANKS = 3;

    /** The program of a rank. */
    private interface Program<T> {
        T run(World world) throws Exception;
    }

    @TempDir
    Path folder;

    private final List<World> worlds = new ArrayList<>();

    @BeforeEach
    void join() {
        for (int rank = 0; rank < RANKS; rank++) {
            worlds.add(World.named("exchange")
                    .size(RANKS)
                    .rank(rank)
                    .segment(2 << 20)
                    .fabric(Fabrics.sharedMemory(folder, false))
                    .open());
        }
    }

    @AfterEach
    void leave() {
        worlds.forEach(World::close);
    }

    private <T> List<T> atOnce(Program<T> program) throws Exception {
        try (ExecutorService executor = Executors.newCachedThreadPool()) {
            List<T> results = new ArrayList<>();
            for (Future<T> future : executor
                    .invokeAll(worlds.stream().<Callable<T>>map(world -> () -> program.run(world)).toList())) {
                results.add(future.get());
            }
            return results;
        }
    }

    @Test
    void doublesAreCombinedInTheOrderOfPositionsWhateverTheAlgorithm() throws Exception {
        for (Reduction reduction : Reduction.values()) {
            assertThat(atOnce(world -> {
                double[] values = IntStream.range(0, 10_000).mapToDouble(at -> 0.1 * world.rank() + at).toArray();
                world.collectives()
                        .exchange("sums " + reduction)
                        .reduction(reduction)
                        .open()
                        .allReduce(values, Double::sum);
                return values[9_999];
            })).containsOnly(9_999.0 + (0.1 + 9_999) + (0.1 * 2 + 9_999));
        }
    }

    @Test
    void whoHasTheSameColourOrHostIsATeam() throws Exception {
        assertThat(atOnce(world -> {
            Exchange all = world.collectives().exchange("all").open();
            assertThat(all.splitByHost()).isEqualTo(Team.all(RANKS));
            return all.split(world.rank() % 2);
        })).containsExactly(Team.of(0, 2), Team.of(1), Team.of(0, 2));
    }

    @Test
    void anExchangeOpenedTwiceCountsAsOne() throws Exception {
        atOnce(world -> {
            world.collectives().exchange("twice").open().barrier();
            world.collectives().exchange("twice").open().barrier();
            return true;
        });
    }

    @Test
    void aBarrierTakesAWriteForEachBitAndAGatheringReadOfEachOther() throws Exception {
        assertThat(atOnce(world -> {
            Exchange exchange = world.collectives().exchange("cost").open();
            exchange.barrier();
            Journal barrier = world.explain(() -> quietly(exchange::barrier));
            Journal gathering = world.explain(() -> quietly(() -> exchange.allGather(
                    MemorySegment.ofArray(new long[2]), MemorySegment.ofArray(new long[6]))));
            return List.of(barrier.writes(), barrier.reads(), barrier.roundTrips(), gathering.writes(),
                    gathering.reads(), gathering.roundTrips());
        })).containsOnly(List.of(2, 0, 2, 2, 2, 3));
        assertThat(CostPage.read()).containsEntry("barrier / reduction for all of p ranks",
                new RoundTrips("ceil(log2 p) / 1 more", "ceil(log2 p) / 1 more"));
    }

    /** An action that may be interrupted. */
    private interface Act {
        void run() throws InterruptedException;
    }

    private static void quietly(Act act) {
        try {
            act.run();
        } catch (InterruptedException impossible) {
            throw new AssertionError(impossible);
        }
    }

    @Test
    void fewBytesAreReducedDirectlyAndManyInShares() {
        LogGP costs = new LogGP(1_000, 100, 100, 1, 0);
        assertThat(Reduction.fastest(costs, 8, 8)).isEqualTo(Reduction.DIRECT);
        assertThat(Reduction.fastest(costs, 8, 16 << 10)).isEqualTo(Reduction.SHARED);
        assertThat(Reduction.fastest(costs, 2, 1 << 20)).isEqualTo(Reduction.DIRECT);
    }

    @Test
    void intsAndBytesAreCombinedAsLongsAre() throws Exception {
        for (Reduction reduction : Reduction.values()) {
            assertThat(atOnce(world -> {
                Exchange exchange = world.collectives().exchange("narrow " + reduction).reduction(reduction).open();
                int[] ints = IntStream.range(0, 9_001).map(at -> at * (world.rank() + 1)).toArray();
                exchange.allReduce(ints, Integer::sum);
                byte[] bytes = {(byte) world.rank(), -7, (byte) (100 + world.rank())};
                exchange.allReduce(bytes, Math::max);
                byte[] ofOne = {(byte) world.rank()};
                exchange.reduce(1, ofOne, Integer::sum);
                return List.of(ints[9_000], bytes[0], bytes[1], bytes[2], ofOne[0] == 3 || world.rank() != 1);
            })).containsOnly(List.of(6 * 9_000, (byte) 2, (byte) -7, (byte) 102, true));
        }
    }

    private Callable<Boolean> barrier(int rank) {
        return () -> {
            worlds.get(rank).collectives().exchange("interrupted").open().barrier();
            return true;
        };
    }

    @Test
    void whoIsInterruptedInTheMiddleIsNamedToTheOthersAndTheNextExchangeIsOneOfAll() throws Exception {
        try (ExecutorService executor = Executors.newCachedThreadPool()) {
            Future<Boolean> waiting = executor.submit(barrier(1));
            Future<Boolean> interrupted = executor.submit(barrier(2));
            await().until(() -> !worlds.get(1).waits().isEmpty() && !worlds.get(2).waits().isEmpty());
            interrupted.cancel(true);
            assertThatThrownBy(waiting::get).cause()
                    .isInstanceOfSatisfying(RankUnreachableException.class,
                            left -> assertThat(left.rank()).isEqualTo(2));
            for (Future<Boolean> each : executor.invokeAll(List.of(barrier(0), barrier(1), barrier(2)))) {
                assertThat(each.get()).isTrue();
            }
        }
    }

    @Test
    void whatIsOpenIsNotOpenedOtherwise() {
        World world = worlds.getFirst();
        world.collectives().exchange("open").open();
        assertThatThrownBy(() -> world.collectives().exchange("open").room(64).open())
                .isInstanceOf(ConfigurationMismatchException.class);
        assertThatThrownBy(() -> worlds.get(1).collectives().exchange("open").team(Team.of(1, 0)).open())
                .isInstanceOf(ConfigurationMismatchException.class);
        assertThatThrownBy(() -> worlds.get(1).collectives().exchange("open").reduction(Reduction.SHARED).open())
                .as("members that reduce in different ways would wait for each other")
                .isInstanceOf(ConfigurationMismatchException.class);
    }

    @Test
    void whatDoesNotFitIsRefused() {
        Exchange exchange = worlds.getFirst().collectives().exchange("refused").open();
        assertThatThrownBy(() -> exchange.allGather(MemorySegment.ofArray(new long[1]),
                MemorySegment.ofArray(new long[4]))).hasMessageEndingWith("members=3 bytes=8 allBytes=32");
        assertThatThrownBy(() -> exchange.gather(7, MemorySegment.ofArray(new long[1]),
                MemorySegment.ofArray(new long[3]))).hasMessageEndingWith("rank=7");
        assertThatThrownBy(() -> worlds.getFirst().collectives().exchange("odd").room(12).open())
                .hasMessageEndingWith("roomBytes=12");
    }

    @Test
    void whoIsLateIsKnownAsLongAsItIs() throws Exception {
        atOnce(world -> world.collectives().exchange("steps").open()); // all ranks have the same generation now
        try (ExecutorService executor = Executors.newCachedThreadPool()) {
            List<Future<?>> inTime = new ArrayList<>();
            for (World world : worlds.subList(0, 2)) {
                inTime.add(executor.submit(() -> {
                    world.collectives().exchange("steps").open().barrier();
                    return null;
                }));
            }
            for (World world : worlds.subList(0, 2)) {
                await().untilAsserted(() -> assertThat(late(world)).containsExactly(2));
                Late late = world.collectives().log().running().getFirst().latecomers().look().getFirst();
                assertThat(late.since()).isPositive();
            }
            assertThat(late(worlds.get(2))).as("it has not begun").isEmpty();
            worlds.get(2).collectives().exchange("steps").open().barrier();
            for (Future<?> each : inTime) {
                each.get();
            }
        }
        worlds.forEach(world -> assertThat(late(world)).isEmpty());
    }

    private static List<Integer> late(World world) {
        return world.collectives()
                .log()
                .running()
                .stream()
                .flatMap(running -> running.latecomers().look().stream())
                .map(Late::rank)
                .toList();
    }
}
