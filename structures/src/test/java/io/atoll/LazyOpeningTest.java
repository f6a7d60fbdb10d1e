package io.atoll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.atoll.failure.ConfigurationMismatchException;
import io.atoll.failure.MissingRanksException;
import io.atoll.linked.LinkedQueue;
import io.atoll.linked.LinkedStack;
import io.atoll.map.DistributedMap;
import io.atoll.map.LongLongMap;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LazyOpeningTest {

    private static final Duration SOON = Duration.ofSeconds(30);
    private static final Duration JOIN_TIMEOUT = Duration.ofMillis(200);

    @TempDir
    Path folder;

    private final List<World> worlds = new ArrayList<>();

    @AfterEach
    void leave() {
        worlds.forEach(World::close);
    }

    private World open(int size, int rank, Duration joinTimeout) {
        World world = World.named("lazy")
                .size(size)
                .rank(rank)
                .segment(8 << 20)
                .joinTimeout(joinTimeout)
                .fabric(Fabrics.sharedMemory(folder, false))
                .open();
        worlds.add(world);
        return world;
    }

    @ParameterizedTest
    @EnumSource
    void aHandleContactsNobodyUntilItsFirstUse(EveryStructure structure) {
        World world = open(1, 0, JOIN_TIMEOUT);
        Runnable operation = structure.operation(world, "lazy");
        assertThat(world.structures()).isEmpty();

        operation.run();
        // Some structures use the epochs of the world.
        assertThat(world.structures()).extracting("name").contains("lazy").isSubsetOf("lazy", "epochs");
    }

    /** The memory reclamation of structures is opened together with them, while all ranks are there. */
    @Test
    void whatIsOpenNeedsOnlyTheRanksThatAnOperationGoesTo() {
        World world = open(3, 0, SOON);
        open(3, 1, SOON);
        World last = open(3, 2, SOON);
        await().atMost(SOON).until(() -> world.peers().missing().isEmpty());
        LongLongMap hits = world.longMap("hits").open();
        DistributedMap<Long, String> names = world.map("names", Long.class, String.class).open();
        LinkedQueue<Long> jobs = world.linkedQueue("jobs", Long.class).host(1).open();
        LinkedStack<Long> undone = world.stack("undone", Long.class).host(0).open();

        last.close();
        await().atMost(SOON).until(() -> !world.peers().missing().isEmpty());
        long key = LongStream.range(0, 100).filter(each -> hits.owner(each) == 1).findFirst().orElseThrow();
        assertThat(hits.addAndGet(key, 1)).isOne();
        long other = LongStream.range(0, 100).filter(each -> names.owner(each) == 1).findFirst().orElseThrow();
        names.put(other, "first");
        // After enough rounds the replaced values are handed over to be freed.
        for (int round = 0; round < 1_000; round++) {
            names.put(other, "round " + round);
        }
        assertThat(names.get(other)).isEqualTo("round 999");
        jobs.push(7L);
        assertThat(jobs.pop()).isEqualTo(7L);
        undone.push(8L);
        assertThat(undone.pop()).isEqualTo(8L);
        assertThat(world.epochs().tryReclaim()).isNotNegative();
    }

    @ParameterizedTest
    @EnumSource
    void theFirstUseWaitsForTheJoinTimeoutAndNamesTheMissingRanks(EveryStructure structure) {
        Runnable operation = structure.operation(open(3, 1, JOIN_TIMEOUT), "lazy");
        long start = System.nanoTime();
        assertThatExceptionOfType(MissingRanksException.class).isThrownBy(operation::run)
                .satisfies(missing -> assertThat(missing.missingRanks()).containsExactly(0, 2));
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(JOIN_TIMEOUT);
    }

    @Test
    void aHandleThatFailedWorksOnceTheMissingRanksHaveCome() {
        LongLongMap hits = open(2, 0, JOIN_TIMEOUT).longMap("hits").openLazily();
        assertThatExceptionOfType(MissingRanksException.class).isThrownBy(() -> hits.addAndGet(7, 1));
        World second = open(2, 1, Duration.ofSeconds(10));
        assertThat(second.longMap("hits").open().addAndGet(7, 1)).isEqualTo(1);
        assertThat(hits.addAndGet(7, 1)).isEqualTo(2);
    }

    @Test
    void aUseThatWaitsGoesOnWhenTheLastRankComes() throws Exception {
        LongLongMap hits = open(2, 0, Duration.ofSeconds(30)).longMap("hits").openLazily();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<Long> sum = threads.submit(() -> hits.addAndGet(7, 1));
            open(2, 1, Duration.ofSeconds(30));
            assertThat(sum.get()).isEqualTo(1);
        }
    }

    @Test
    void threadsThatOpenOneHandleAtOnceShareOneStructure() throws Exception {
        World world = open(2, 0, Duration.ofSeconds(30));
        World other = open(2, 1, Duration.ofSeconds(30));
        for (int round = 0; round < 50; round++) {
            String name = "hits" + round;
            LongLongMap mine = world.longMap(name).capacity(100).openLazily();
            LongLongMap theirs = other.longMap(name).capacity(100).openLazily();
            Callable<Long> here = () -> mine.addAndGet(7, 1);
            Callable<Long> there = () -> theirs.addAndGet(7, 1);
            List<Long> sums = new ArrayList<>();
            try (ExecutorService threads = Executors.newCachedThreadPool()) {
                for (Future<Long> sum : threads.invokeAll(List.of(here, there, here, there))) {
                    sums.add(sum.get());
                }
            }
            assertThat(sums).containsExactlyInAnyOrder(1L, 2L, 3L, 4L);
        }
    }

    @Test
    void whatAnotherRankHasOpenedDifferentlyIsRefusedOnFirstUse() {
        World world = open(1, 0, JOIN_TIMEOUT);
        world.longMap("hits").capacity(100).open();
        LongLongMap hits = world.longMap("hits").capacity(200).openLazily();
        assertThatExceptionOfType(ConfigurationMismatchException.class).isThrownBy(() -> hits.getOrDefault(7, -1))
                .withMessageContaining("capacity=200");
    }

    @Test
    void whatCanBeSeenToBeWrongIsRefusedBeforeTheFirstUse() {
        World world = open(3, 1, JOIN_TIMEOUT);
        Stream<Runnable> mistakes = Stream.of(
                () -> world.longMap("hits").capacity(0).openLazily(),
                () -> world.map("orders", Long.class, Long.class).capacity(-1).openLazily(),
                () -> world.filter("seen", String.class).falsePositiveRate(1).openLazily(),
                () -> world.longFilter("ids").expectedElements(0).openLazily());
        mistakes.forEach(mistake -> assertThatIllegalArgumentException().isThrownBy(mistake::run));
    }

    @Test
    void aHandleKeepsWhatItsBuilderWasToldWhenItWasMade() {
        World world = open(1, 0, JOIN_TIMEOUT);
        LongLongMap.Builder builder = world.longMap("hits").capacity(100);
        LongLongMap hits = builder.openLazily();
        builder.capacity(1_000_000);
        hits.addAndGet(7, 1);
        assertThat(world.structures()).filteredOn("name", "hits")
                .singleElement()
                .satisfies(structure -> assertThat(structure.configuration()).endsWith("capacity=100"));
    }
}
