package io.atoll.array;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.codec.Codecs;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import io.atoll.fabric.trace.RecordingFabric;
import io.atoll.failure.RankUnreachableException;
import io.atoll.failure.SegmentFullException;
import io.atoll.map.DistributedMap;
import io.atoll.memory.GlobalPointer;
import io.atoll.world.Participants;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

@Tag("simulation")
class PointerTest {

    static final List<Guarantees> EVERY_FABRIC = SimOptions.EVERY_FABRIC;

    record Cell(double value, int row, byte kind) {}

    @TempDir
    Path folder;

    private List<World> worlds;

    @BeforeEach
    void join() {
        worlds = IntStream.range(0, 2)
                .mapToObj(rank -> World.named("pointer")
                        .size(2)
                        .rank(rank)
                        .segment(1 << 20)
                        .fabric(Fabrics.sharedMemory(folder, false))
                        .open())
                .toList();
    }

    @AfterEach
    void leave() {
        worlds.forEach(World::close);
    }

    @Test
    void whatOneRankWritesThroughAPointerAnotherReadsThroughItsAddress() {
        Pointer<Cell> pointer = worlds.get(0).allocate(1, Cell.class, 3);
        pointer.write(new Cell(1.5, -7, (byte) 3));
        pointer.write(2, new Cell(2.5, 8, (byte) 4));
        pointer.flush();
        DistributedMap<Long, GlobalPointer> known = worlds.get(0)
                .map("known", Long.class, GlobalPointer.class)
                .capacity(10)
                .open();
        known.put(1L, pointer.address());

        GlobalPointer told = worlds.get(1).map("known", Long.class, GlobalPointer.class).capacity(10).open().get(1L);
        Pointer<Cell> other = worlds.get(1).pointer(told, Cell.class);
        assertThat(other.read()).isEqualTo(new Cell(1.5, -7, (byte) 3));
        assertThat(other.read(2)).isEqualTo(new Cell(2.5, 8, (byte) 4));
        assertThat(other).isEqualTo(pointer).hasSameHashCodeAs(pointer);
        assertThat(other).hasToString("Cell(value:double,row:int,kind:byte) at 1+" + told.offset());
    }

    @Test
    void pointersAreReckonedWithInElements() {
        Pointer<Cell> first = worlds.getFirst().allocate(0, Cell.class, 10);
        Pointer<Cell> seventh = first.plus(7);
        assertThat(seventh.address().offset() - first.address().offset()).isEqualTo(7 * 16);
        assertThat(seventh.plus(-7)).isEqualTo(first);
        assertThat(first.distanceTo(seventh)).isEqualTo(7);
        assertThat(seventh.distanceTo(first)).isEqualTo(-7);
        seventh.write(new Cell(1, 2, (byte) 3));
        assertThat(first.read(7)).isEqualTo(seventh.read()).isEqualTo(seventh.plus(1).read(-1));
    }

    @Test
    void pointersAreComparedByRankAndPlace() {
        Pointer<Long> near = worlds.getFirst().allocate(0, Long.class, 2);
        Pointer<Long> far = worlds.getFirst().allocate(1, Long.class, 2);
        assertThat(near).isLessThan(near.plus(1)).isLessThan(far).isNotEqualTo(far);
        assertThat(near).isNotEqualTo(worlds.getFirst().pointer(near.address(), Double.class));
        assertThatIllegalArgumentException().isThrownBy(() -> near.distanceTo(far));
    }

    @Test
    void theOwnerSeesItsElementsWhereTheyLie() {
        Pointer<Long> far = worlds.get(0).allocate(1, Long.class, 100);
        far.write(10, MemorySegment.ofArray(new long[]{1, 2, 3}), 8, 2);
        far.flush();
        Pointer<Long> near = worlds.get(1).pointer(far.address(), Long.class);
        assertThat(near.isLocal()).isTrue();
        assertThat(near.local(100).byteSize()).isEqualTo(800);
        assertThat(near.plus(10).local(2).toArray(ValueLayout.JAVA_LONG)).containsExactly(2, 3);
        near.local(100).setAtIndex(ValueLayout.JAVA_LONG, 50, 77);
        long[] read = new long[2];
        far.read(50, MemorySegment.ofArray(read), 8, 1);
        assertThat(read).containsExactly(0, 77);
        assertThat(far.isLocal()).isFalse();
        assertThatIllegalStateException().isThrownBy(() -> far.local(1)).withMessageEndingWith("owner=1 rank=0");
    }

    @Test
    void exchangesOfOneWordLoseNothing() throws Exception {
        Pointer<Integer> pointer = worlds.get(0).allocate(1, Integer.class, 1);
        pointer.write(0);
        pointer.flush();
        try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
            List<Future<?>> both = worlds.stream()
                    .<Future<?>>map(world -> threads
                            .submit(() -> count(world.pointer(pointer.address(), Integer.class), 1_000)))
                    .toList();
            for (Future<?> one : both) {
                one.get();
            }
        }
        assertThat(pointer.read()).isEqualTo(2_000);
    }

    private static void count(Pointer<Integer> pointer, int times) {
        for (int done = 0; done < times;) {
            int present = pointer.read();
            done += pointer.compareAndExchange(present, present + 1) == present ? 1 : 0;
        }
    }

    @Test
    void whatIsFreedIsHandedOutAgain() {
        World world = worlds.getFirst();
        long before = world.participant().heap().usage(1).objectBytes();
        for (int count = 0; count < 100_000; count++) {
            world.allocate(1, Cell.class, 40).free();
        }
        assertThat(world.participant().heap().usage(1).objectBytes()).isEqualTo(before);
        Pointer<Cell> pointer = world.allocate(1, Cell.class, 40);
        pointer.free();
        assertThatIllegalArgumentException().isThrownBy(pointer::free);
    }

    @Test
    void whatMakesNoSenseIsRefused() {
        World world = worlds.getFirst();
        assertThatIllegalArgumentException().isThrownBy(() -> world.pointer(GlobalPointer.NULL, Long.class))
                .withMessage("no element lies there: size=2 rank=0 offset=0");
        assertThatIllegalArgumentException().isThrownBy(() -> world.pointer(new GlobalPointer(2, 64), Long.class))
                .withMessageEndingWith("size=2 rank=2 offset=64");
        assertThatIllegalArgumentException().isThrownBy(() -> world.pointer(new GlobalPointer(0, 65), Long.class));
        assertThatIllegalArgumentException().isThrownBy(() -> world.allocate(2, Long.class, 1))
                .withMessageEndingWith("size=2 rank=2");
        assertThatIllegalArgumentException().isThrownBy(() -> world.allocate(0, Long.class, 0))
                .withMessageEndingWith("count=0");
        assertThatExceptionOfType(SegmentFullException.class).isThrownBy(() -> world.allocate(0, Long.class, 1 << 20));
        Pointer<Long> last = world.pointer(new GlobalPointer(1, (1 << 20) - 8), Long.class);
        assertThat(last.read()).isZero();
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> last.read(1));
        Pointer<Cell> cells = world.allocate(0, Cell.class, 1);
        Cell cell = new Cell(0, 0, (byte) 0);
        assertThatIllegalArgumentException().isThrownBy(() -> cells.compareAndExchange(cell, cell))
                .withMessageEndingWith("bytes=16");
    }

    @Test
    void aRankThatIsGoneCannotBeReached() {
        Pointer<Long> pointer = worlds.get(0).allocate(1, Long.class, 1);
        worlds.get(1).close();
        await()
                .untilAsserted(() -> assertThatExceptionOfType(RankUnreachableException.class)
                        .isThrownBy(pointer::read));
    }

    // --- costs ---

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void aReadIsAReadAndAWriteAWriteAndTheOwnMemoryCostsNothingWhereTheCpuMayUseIt(Guarantees guarantees) {
        var options = SimOptions.ranks(2).segmentBytes(1 << 20).guarantees(guarantees).unmapped();
        var fabric = new RecordingFabric(new Simulation(1, options).fabric(0));
        var self = Participants.amongTheLiving(fabric);
        Pointer<Cell> cells = Pointer.allocate(self, 1, Codecs.forType(Cell.class), 10);
        Cell cell = new Cell(1, 2, (byte) 3);
        assertThat(cost(fabric, () -> cells.write(3, cell))).isEqualTo("W16");
        assertThat(cost(fabric, () -> assertThat(cells.plus(3).read()).isEqualTo(cell))).isEqualTo("R16");
        assertThat(cost(fabric, () -> cells.write(0, MemorySegment.ofArray(new long[6]), 0, 3))).isEqualTo("W48");
        assertThat(cost(fabric, () -> cells.read(0, MemorySegment.ofArray(new long[6]), 0, 3))).isEqualTo("R48");
        assertThat(cost(fabric, () -> cells.distanceTo(cells.plus(1)))).isEmpty();

        Pointer<Long> words = Pointer.allocate(self, 1, Codecs.forType(Long.class), 1);
        words.write(1L);
        assertThat(fabric.record(() -> assertThat(words.compareAndExchange(1L, 2L)).isEqualTo(1)).atomics()).isOne();

        Pointer<Long> own = Pointer.allocate(self, 0, Codecs.forType(Long.class), 1);
        assertThat(cost(fabric, () -> own.write(1L))).isEqualTo(guarantees.coherentWithCpu() ? "" : "W8");
        assertThat(cost(fabric, own::read)).isEqualTo(guarantees.coherentWithCpu() ? "" : "R8");
        assertThat(cost(fabric, () -> own.local(1))).isEmpty();
    }

    private static String cost(RecordingFabric fabric, Runnable operation) {
        return fabric.record(operation)
                .entries()
                .stream()
                .map(entry -> "" + entry.kind() + entry.bytes())
                .collect(Collectors.joining(" "));
    }
}
