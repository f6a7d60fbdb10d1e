package io.atoll.array;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import io.atoll.fabric.trace.RecordingFabric;
import io.atoll.world.Participants;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests hosted and distributed arrays over real shared memory, and counts what the Javadoc promises, verb by verb. */
@Tag("simulation")
class ArrayTest {

    static final List<Guarantees> EVERY_FABRIC = SimOptions.EVERY_FABRIC;

    record Cell(double value, int row, byte kind) {}

    @TempDir
    Path folder;

    private List<World> worlds;

    @BeforeEach
    void join() {
        worlds = IntStream.range(0, 3)
                .mapToObj(rank -> World.named("array")
                        .size(3)
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

    private static MemorySegment longs(long... elements) {
        return MemorySegment.ofArray(elements);
    }

    @Test
    void whatOneRankWritesAllOthersRead() {
        List<Array<Cell>> arrays = worlds.stream()
                .map(world -> world.array("cells", Cell.class).length(4).host(1).open())
                .toList();
        assertThat(arrays.get(0).get(3)).as("zeroed").isEqualTo(new Cell(0, 0, (byte) 0));
        arrays.get(0).set(3, new Cell(1.5, -7, (byte) 3));
        arrays.get(0).flush();
        assertThat(arrays).allSatisfy(array -> assertThat(array.get(3)).isEqualTo(new Cell(1.5, -7, (byte) 3)));
        assertThat(arrays.get(2).length()).isEqualTo(4);
        assertThat(arrays.get(2).host()).isEqualTo(1);
    }

    @Test
    void elementsOfEveryTypeOfTheIssueAreKept() {
        World world = worlds.getFirst();
        Array<Integer> ints = world.array("ints", Integer.class).length(2).open();
        Array<Double> doubles = world.array("doubles", Double.class).length(2).open();
        Array<Byte> bytes = world.array("bytes", Byte.class).length(2).open();
        ints.set(1, Integer.MIN_VALUE);
        doubles.set(1, -0.0);
        bytes.set(1, (byte) -1);
        assertThat(ints.get(1)).isEqualTo(Integer.MIN_VALUE);
        assertThat(doubles.get(1)).isEqualTo(-0.0);
        assertThat(bytes.get(1)).isEqualTo((byte) -1);
        assertThat(ints.get(0)).isZero();
    }

    @Test
    void manyElementsAreReadAndWrittenAtOnceAndTheHostSeesThemWhereTheyLie() {
        Array<Long> far = worlds.get(0).array("longs", Long.class).length(1_000).host(2).open();
        Array<Long> near = worlds.get(2).array("longs", Long.class).length(1_000).host(2).open();
        far.write(10, MemorySegment.ofArray(LongStream.range(0, 900).toArray()));
        far.flush();
        assertThat(near.local().byteSize()).isEqualTo(8_000);
        assertThat(near.local().getAtIndex(ValueLayout.JAVA_LONG, 909)).isEqualTo(899);
        near.local().setAtIndex(ValueLayout.JAVA_LONG, 910, 77);
        long[] some = new long[3];
        far.read(908, MemorySegment.ofArray(some));
        assertThat(some).containsExactly(898, 899, 77);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 10, 11, 12})
    void aDistributedArrayIsOneArrayWhateverItsLength(int length) {
        List<DistributedArray<Long>> arrays = worlds.stream()
                .map(world -> world.distributedArray("longs" + length, Long.class).length(length).open())
                .toList();
        for (int from = 0; from < length; from++) {
            for (int count = 0; count <= length - from; count++) {
                long[] written = LongStream.range(100L * from, 100L * from + count).toArray();
                arrays.get(count % 3).write(from, MemorySegment.ofArray(written));
                arrays.get(count % 3).flush();
                long[] read = new long[count];
                arrays.get(from % 3).read(from, MemorySegment.ofArray(read));
                assertThat(read).isEqualTo(written);
            }
        }
        for (long index = 0; index < length; index++) {
            arrays.get(0).set(index, index);
        }
        arrays.get(0).flush();
        long local = 0;
        for (DistributedArray<Long> array : arrays) {
            for (long at = 0; at < array.local().byteSize() / Long.BYTES; at++, local++) {
                assertThat(array.firstLocal() + at).isEqualTo(local);
                assertThat(array.local().getAtIndex(ValueLayout.JAVA_LONG, at)).isEqualTo(local);
                assertThat(arrays.get(1).get(local)).isEqualTo(local);
            }
        }
        assertThat(local).isEqualTo(length);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 10, 11, 12})
    void anArrayOfLongsIsOneOfBoxedLongs(int length) {
        List<LongArray> arrays = worlds.stream().map(world -> world.longArray("longs").length(length).open()).toList();
        DistributedArray<Long> boxed = worlds.get(1).distributedArray("longs", Long.class).length(length).open();
        for (int from = 0; from < length; from++) {
            for (int count = 0; count <= length - from; count++) {
                long[] written = LongStream.range(100L * from, 100L * from + count).toArray();
                arrays.get(count % 3).write(from, written);
                arrays.get(count % 3).flush();
                long[] read = new long[count];
                arrays.get(from % 3).read(from, read);
                assertThat(read).isEqualTo(written);
            }
        }
        for (long index = 0; index < length; index++) {
            arrays.get(0).set(index, index);
            assertThat(boxed.get(index)).isEqualTo(index).isEqualTo(arrays.get(2).get(index));
            assertThat(arrays.get(1).getAndAdd(index, 5)).isEqualTo(index);
            assertThat(arrays.get(2).compareAndExchange(index, index, 0)).isEqualTo(index + 5);
            assertThat(arrays.get(2).compareAndExchange(index, index + 5, 7)).isEqualTo(index + 5);
            assertThat(arrays.get(0).get(index)).isEqualTo(7);
            assertThat(arrays.get(0).owner(index)).isEqualTo(boxed.owner(index));
        }
    }

    @Test
    void aHostedArrayOfLongsLiesInOneSegment() {
        LongArray longs = worlds.get(0).longArray("hosted").length(100).host(2).open();
        Array<Long> boxed = worlds.get(2).array("hosted", Long.class).length(100).host(2).open();
        longs.write(10, new long[]{1, 2, 3});
        longs.flush();
        assertThat(boxed.local().getAtIndex(ValueLayout.JAVA_LONG, 12)).isEqualTo(3);
        assertThat(longs.owner(99)).isEqualTo(2);
        assertThatThrownBy(() -> longs.get(100)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> longs.read(99, new long[2])).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void whatMakesNoSenseIsRefused() {
        World world = worlds.getFirst();
        Array<Long> array = world.array("longs", Long.class).length(4).host(1).open();
        DistributedArray<Long> distributed = world.distributedArray("parts", Long.class).length(4).open();
        assertThatThrownBy(() -> array.get(4)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> array.set(-1, 1L)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> array.write(2, longs(1, 2, 3))).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> distributed.get(4)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> distributed.read(3, longs(1, 2))).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> array.read(0, MemorySegment.ofArray(new byte[9])))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith("elementBytes=8 bytes=9");
        assertThatThrownBy(array::local).isInstanceOf(IllegalStateException.class)
                .hasMessageEndingWith("owner=1 rank=0");
        assertThatThrownBy(() -> world.array("none", Long.class).length(0).open())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith("length=0");
        assertThatThrownBy(() -> world.array("none", Long.class).host(3).open())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith("host=3");
    }

    // --- costs ---

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void anElementIsAReadOrAWriteAndSoAreAllOfOneRank(Guarantees guarantees) {
        var options = SimOptions.ranks(2).segmentBytes(1 << 20).guarantees(guarantees).unmapped();
        var fabric = new RecordingFabric(new Simulation(1, options).fabric(0));
        var self = Participants.amongTheLiving(fabric);
        Array<Long> array = Array.builder("array", Long.class, () -> self).length(10).host(1).open();
        assertThat(cost(fabric, () -> array.set(1, 7L))).isEqualTo("W8");
        assertThat(cost(fabric, () -> assertThat(array.get(1)).isEqualTo(7))).isEqualTo("R8");
        assertThat(cost(fabric, () -> array.write(0, longs(1, 2, 3)))).isEqualTo("W24");
        assertThat(cost(fabric, () -> array.read(0, longs(0, 0)))).isEqualTo("R16");
        DistributedArray<Long> parts = DistributedArray.builder("parts", Long.class, () -> self).length(10).open();
        assertThat(cost(fabric, () -> parts.set(9, 7L))).isEqualTo("W8");
        boolean ownIsLocal = guarantees.coherentWithCpu();
        LongArray longs = LongArray.builder("longs", () -> self).length(10).open();
        assertThat(cost(fabric, () -> longs.set(9, 7))).isEqualTo("W8");
        assertThat(cost(fabric, () -> assertThat(longs.get(9)).isEqualTo(7))).isEqualTo("R8");
        assertThat(fabric.record(() -> longs.getAndAdd(9, 1)).atomics()).isOne();
        assertThat(fabric.record(() -> longs.compareAndExchange(9, 8, 1)).atomics()).isOne();
        assertThat(cost(fabric, () -> longs.write(3, new long[3]))).isEqualTo(ownIsLocal ? "W8" : "W16 W8");
        assertThat(cost(fabric, () -> parts.write(3, longs(1, 2, 3)))).isEqualTo(ownIsLocal ? "W8" : "W16 W8");
        assertThat(cost(fabric, () -> parts.read(3, longs(0, 0, 0)))).isEqualTo(ownIsLocal ? "R8" : "R16 R8");
        assertThat(cost(fabric, parts::local)).isEmpty();
    }

    private static String cost(RecordingFabric fabric, Runnable operation) {
        return fabric.record(operation)
                .entries()
                .stream()
                .map(entry -> "" + entry.kind() + entry.bytes())
                .collect(Collectors.joining(" "));
    }
}
