package io.atoll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.atoll.failure.SegmentFullException;
import io.atoll.heap.Heap;
import io.atoll.world.NamedStructure;
import java.nio.file.Path;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Structures that are opened with settings for which no segment has room. */
class TooLargeTest {

    private static final int LARGE = 1 << 24;
    private static final int SMALL = 100;

    @TempDir
    Path folder;

    private static Named<BiConsumer<World, Integer>> of(String kind, BiConsumer<World, Integer> opening) {
        return Named.of(kind, opening);
    }

    static Stream<Named<BiConsumer<World, Integer>>> openings() {
        return Stream.of(
                of("map", (world, size) -> world.map("it", Long.class, Long.class).capacity(size).open()),
                of("map of texts", (world, size) -> world.map("it", Long.class, String.class).capacity(size).open()),
                of("fixed map", (world, size) -> world.map("it", Long.class, Long.class).fixedCapacity(size).open()),
                of("long map", (world, size) -> world.longMap("it").capacity(size).open()),
                of("queue", (world, size) -> world.queue("it", Long.class).capacity(size).open()),
                of("long queue", (world, size) -> world.longQueue("it").capacity(size).open()),
                of("fast queue", (world, size) -> world.fastQueue("it", Long.class).capacity(size).open()),
                of("array", (world, size) -> world.array("it", Long.class).length(size).open()),
                of("long array", (world, size) -> world.longArray("it").length(size).open()),
                of("distributed array", (world, size) -> world.distributedArray("it", Long.class).length(size).open()),
                of("filter", (world, size) -> world.longFilter("it").expectedElements(size).open()),
                of("locks", (world, size) -> world.lockTable("it").locks(size).open()));
    }

    @ParameterizedTest
    @MethodSource("openings")
    void whatFitsIntoNoSegmentIsRefusedAndCanBeOpenedSmaller(BiConsumer<World, Integer> opening) {
        try (World world = World.named("large").fabric(Fabrics.sharedMemory(folder, false)).segment(4 << 20).open()) {
            world.longMap("other").capacity(1).open().put(1, 1); // what maps share is there
            Heap heap = world.participant().heap();
            long free = heap.usage(0).freeBytes();
            assertThatExceptionOfType(SegmentFullException.class).isThrownBy(() -> opening.accept(world, LARGE));
            assertThat(heap.usage(0).freeBytes()).isEqualTo(free);
            assertThat(world.structures()).extracting(NamedStructure::name).doesNotContain("it");
            opening.accept(world, SMALL);
            assertThat(world.structures()).extracting(NamedStructure::name).contains("it");
        }
    }
}
