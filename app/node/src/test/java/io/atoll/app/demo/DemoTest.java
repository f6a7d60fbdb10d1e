package io.atoll.app.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.heap.HeapUsage;
import io.atoll.lock.LockTotals;
import io.atoll.world.NamedStructure;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("processes")
class DemoTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration AT_ONCE = Duration.ofMillis(1);
    private static final int SEGMENT_BYTES = 4 << 20;
    private static final long A_MIB = 1 << 20;

    @TempDir
    Path folder;

    private World open(int rank, int size) {
        return World.named("demo")
                .size(size)
                .rank(rank)
                .segment(SEGMENT_BYTES)
                .fabric(Fabrics.sharedMemory(folder, true))
                .open();
    }

    private static Demo started(World world) {
        Demo demo = new Demo(world, AT_ONCE, AT_ONCE);
        demo.start();
        return demo;
    }

    private static Stream<String> kinds(World world) {
        return world.inspection().structures(world.rank()).orElse(List.of()).stream().map(NamedStructure::kind);
    }

    private static double figure(World world, String structure, String name) {
        return world.inspection()
                .figures(0, rank -> world.inspection()
                        .structures(rank)
                        .flatMap(all -> all.stream().filter(listed -> listed.name().equals(structure)).findFirst()))
                .getOrDefault(name, 0.0);
    }

    private static LockTotals locks(World world) {
        return world.inspection()
                .structures(world.rank())
                .orElse(List.of())
                .stream()
                .filter(listed -> listed.name().equals("demo-accounts"))
                .findFirst()
                .flatMap(world.inspection()::lockTotals)
                .orElseThrow();
    }

    private static long usedBytes(World world) {
        HeapUsage usage = world.inspection().heapUsage(world.rank()).orElseThrow();
        return usage.totalBytes() - usage.freeBytes();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void everyKindOfStructureIsUsedByEveryRank(int size) {
        List<World> worlds = new ArrayList<>();
        List<Demo> demos = new ArrayList<>();
        try {
            for (int rank = 0; rank < size; rank++) {
                worlds.add(open(rank, size));
                demos.add(started(worlds.getLast()));
            }
            for (World world : worlds) {
                await().atMost(PATIENCE)
                        .untilAsserted(
                                () -> assertThat(kinds(world)).contains("long-map", "map", "bloom-filter", "queue",
                                        "linked-queue", "linked-stack", "lock-table"));
                await().atMost(PATIENCE).until(() -> locks(world).acquisitions() > 10);
                await().atMost(PATIENCE)
                        .until(() -> world.epochs().isOpen()
                                && world.epochs().snapshot().ranks().get(world.rank()).freed() > 100);
            }
            World first = worlds.getFirst();
            await().atMost(PATIENCE).until(() -> figure(first, "demo-visits", "entries") > 100);
            await().atMost(PATIENCE).until(() -> figure(first, "demo-orders", "entries") > 100);
            await().atMost(PATIENCE).until(() -> figure(first, "demo-seen", "elements") > 100);
            assertThat(first.structures()).extracting(NamedStructure::name)
                    .filteredOn(name -> !name.equals("epochs"))
                    .allMatch(name -> name.startsWith("demo-"));
        } finally {
            demos.forEach(Demo::stop);
            worlds.forEach(World::close);
        }
    }

    @Test
    void ranksWaitForEachOthersLocks() {
        try (World zero = open(0, 2); World one = open(1, 2)) {
            Demo atZero = started(zero);
            Demo atOne = started(one);
            await().atMost(PATIENCE).until(() -> locks(zero).waits() > 0 && locks(one).waits() > 0);
            atZero.stop();
            atOne.stop();
        }
    }

    private static void repeat(World world, int steps) {
        RandomGenerator random = RandomGenerator.of("L64X128MixRandom");
        Collection<Load> loads = Demo.loads(world, Duration.ZERO).values();
        for (int step = 0; step < steps; step++) {
            for (Load load : loads) {
                try {
                    load.step(random);
                } catch (InterruptedException nobodyDoes) {
                    throw new AssertionError(nobodyDoes);
                }
            }
        }
    }

    /** Between the rounds the nodes seem to be restarted: the loads lose what they remember. */
    @Test
    void memoryStaysBoundedOverManyRounds() {
        try (World zero = open(0, 2); World one = open(1, 2)) {
            for (int round = 0; round < 6; round++) {
                CompletableFuture<Void> other = CompletableFuture.runAsync(() -> repeat(one, 500));
                repeat(zero, 500);
                other.join();
                assertThat(usedBytes(zero)).as("round " + round).isLessThan(A_MIB);
                assertThat(usedBytes(one)).as("round " + round).isLessThan(A_MIB);
            }
        }
    }

    @Test
    void itEndsInOrderAndTheWorldIsLeftWhole() {
        World zero = open(0, 1);
        Demo demo = started(zero);
        await().atMost(PATIENCE).until(() -> demo.isAlive() && zero.structures().size() > 5);

        demo.stop();

        assertThat(demo.isRunning()).isFalse();
        assertThat(Thread.getAllStackTraces().keySet()).extracting(Thread::getName)
                .noneMatch(name -> name.startsWith("demo-"));
        assertThat(locks(zero).holding()).isZero();
        zero.close();
    }

    @Test
    void itWaitsWhileARankIsGoneAndGoesOnWhenItIsBack() {
        try (World zero = open(0, 2)) {
            Demo demo = started(zero);
            World one = open(1, 2);
            await().atMost(PATIENCE).until(demo::isAlive);
            one.close();
            await().atMost(PATIENCE).until(() -> !demo.isAlive());
            assertThat(demo.isRunning()).isTrue();
            try (World again = open(1, 2)) {
                Demo other = started(again);
                await().atMost(PATIENCE).until(demo::isAlive);
                long before = locks(zero).acquisitions();
                await().atMost(PATIENCE).until(() -> locks(zero).acquisitions() > before);
                other.stop();
                demo.stop();
            }
        }
    }
}
