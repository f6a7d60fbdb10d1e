package io.atoll.heap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.ForwardingBatch;
import io.atoll.fabric.ForwardingFabric;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.Guarantees.AtomicDomain;
import io.atoll.fabric.Verb;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import io.atoll.fabric.trace.RecordingFabric;
import io.atoll.failure.RankUnreachableException;
import io.atoll.failure.SegmentFullException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Objects that are allocated together in the segment of another rank. */
class BulkClaimTest {

    private static final int TARGET = 1;
    private static final int SLABS = 64;
    private static final int PER_SLAB = 227; // objects of 64 bytes in 16 KiB: groups of 64, 64, 64 and 35

    private static final HeapArea AREA = new HeapArea(4096, 4096 + (SLABS + 1) * (16 << 10), 16 << 10);

    private static final Guarantees GUARDING = new Guarantees(AtomicDomain.FABRIC_ONLY, 8, true, true, true);
    private static final Guarantees CARD = new Guarantees(AtomicDomain.FABRIC_ONLY, 64, true, false, false);

    private final Simulation simulation = simulation(GUARDING);
    private final RecordingFabric fabric = new RecordingFabric(simulation.fabric(0));
    private final Heap heap = heap(fabric);
    private final Heap peer = heap(simulation.fabric(2));

    private static Simulation simulation(Guarantees guarantees) {
        return new Simulation(1,
                SimOptions.ranks(3).segmentBytes(2 << 20).guarantees(guarantees).unmapped());
    }

    private static Heap heap(Fabric fabric) {
        return new Heap(new Endpoint(fabric), AREA, 1);
    }

    private static long[] sizes(int count, long bytes) {
        return LongStream.generate(() -> bytes).limit(count).toArray();
    }

    private static long[] allocate(Heap heap, long[] bytes) {
        long[] offsets = new long[bytes.length];
        heap.allocate(TARGET, bytes, offsets);
        return offsets;
    }

    private int roundTrips(Runnable action) {
        return fabric.record(action).roundTrips();
    }

    private static void assertDisjoint(long[] offsets, long[] bytes) {
        int[] order = IntStream.range(0, offsets.length)
                .boxed()
                .sorted((one, other) -> Long.compare(offsets[one], offsets[other]))
                .mapToInt(index -> index)
                .toArray();
        for (int at = 1; at < order.length; at++) {
            assertThat(offsets[order[at]]).isGreaterThanOrEqualTo(offsets[order[at - 1]] + bytes[order[at - 1]]);
        }
    }

    @Test
    void freshSlabsOfSeveralSizesTakeTwoRoundTrips() {
        long[] bytes = LongStream.range(0, 600).map(number -> 8 + number % 5 * 100).toArray();
        assertThat(roundTrips(() -> assertDisjoint(allocate(heap, bytes), bytes))).isEqualTo(2);
        assertThat(heap.usage(TARGET).objects()).isEqualTo(600);
        assertThat(heap.usage(TARGET).pendingBytes()).isZero();
    }

    @Test
    void whereGuardsTakeARoundTripItIsOneMore() {
        var card = new RecordingFabric(simulation(CARD).fabric(0));
        Heap byCard = heap(card);
        assertThat(card.record(() -> allocate(byCard, sizes(600, 56))).roundTrips()).isEqualTo(3);
    }

    @Test
    void cachedObjectsTakeNone() {
        allocate(heap, sizes(10, 56));
        assertThat(roundTrips(() -> allocate(heap, sizes(PER_SLAB - 10, 56)))).isZero();
    }

    @Test
    void groupsOfHeldSlabsAreClaimedTogether() {
        long[] first = allocate(heap, sizes(2 * PER_SLAB, 56));
        peer.free(TARGET, first);
        assertThat(
                roundTrips(() -> assertThat(allocate(heap, sizes(2 * PER_SLAB, 56))).containsExactlyInAnyOrder(first)))
                .isEqualTo(2);
    }

    @Test
    void slabsThatOthersHaveGivenUpAreAdoptedByOneRoundTripMore() {
        long[] first = allocate(peer, sizes(2 * PER_SLAB, 56));
        peer.releaseStock(TARGET);
        long[] freed = LongStream.of(first).filter(offset -> offset != first[0]).limit(PER_SLAB - 1).toArray();
        heap.free(TARGET, freed);
        assertThat(roundTrips(() -> assertThat(allocate(heap, sizes(freed.length, 56)))
                .containsExactlyInAnyOrder(freed))).isEqualTo(3);
    }

    @Test
    void freeRunsAreReusedAndTheirObjectsAreThereAgain() {
        long[] first = allocate(peer, sizes(3 * PER_SLAB, 56));
        Arrays.stream(first).forEach(object -> simulation.endpoint(2).writeWord(TARGET, object, -1));
        peer.free(TARGET, first);
        peer.releaseStock(TARGET);
        assertThat(roundTrips(() -> assertThat(allocate(heap, sizes(3 * PER_SLAB, 56)))
                .containsExactlyInAnyOrder(first))).isEqualTo(2);
        assertThat(heap.usage(TARGET).objects()).isEqualTo(3 * PER_SLAB);
    }

    @Test
    void slabsWithNothingLeftAreGivenUpOnTheWay() {
        long[] first = allocate(heap, sizes(3 * PER_SLAB, 56));
        assertThat(roundTrips(() -> allocate(heap, sizes(3 * PER_SLAB, 56)))).isEqualTo(2);
        // They have no holder any more, so another rank gets what is freed.
        heap.free(TARGET, first);
        assertThat(allocate(peer, sizes(3 * PER_SLAB, 56))).containsExactlyInAnyOrder(first);
    }

    @Test
    void runsAreAmongThem() {
        long[] bytes = {56, 100_000, 56, 40_000};
        long[] offsets = allocate(heap, bytes);
        assertDisjoint(offsets, bytes);
        assertThat(heap.runBytes(TARGET, offsets[1])).isGreaterThanOrEqualTo(100_000);
        assertThat(heap.runBytes(TARGET, offsets[3])).isGreaterThanOrEqualTo(40_000);
    }

    @Test
    void whatThereIsRoomForIsHandedOutInAFullSegment() {
        long[] bytes = sizes(SLABS * PER_SLAB + 100, 56);
        long[] offsets = new long[bytes.length];
        assertThatThrownBy(() -> heap.allocate(TARGET, bytes, offsets)).isInstanceOf(SegmentFullException.class);
        long[] had = LongStream.of(offsets).filter(offset -> offset != 0).toArray();
        assertThat(had).hasSize(SLABS * PER_SLAB).doesNotHaveDuplicates();
        heap.free(TARGET, had);
        heap.releaseStock(TARGET);
        assertThat(heap.usage(TARGET).objects()).isZero();
        assertThat(allocate(peer, sizes(had.length, 56))).containsExactlyInAnyOrder(had);
    }

    @Test
    void aLongTableIsReadFromWhereTheHintsSay() {
        HeapArea large = new HeapArea(64 << 10, 4 << 20, 1024);
        var wide = new Simulation(1, SimOptions.ranks(2).segmentBytes(4 << 20).guarantees(GUARDING).unmapped());
        var recorded = new RecordingFabric(wide.fabric(0));
        var many = new Heap(new Endpoint(recorded), large, 1);
        int times = 0;
        for (int part = 0; part < 20; part++) {
            int taken = recorded.record(() -> allocate(many, sizes(600, 56))).roundTrips();
            times += taken > 3 ? 1 : 0;
        }
        assertThat(many.usage(TARGET).objects()).isEqualTo(20 * 600);
        assertThat(times).isLessThanOrEqualTo(2); // where the table's next window begins
    }

    /** Fails at one of the writes, or of the verbs that a batch is given. */
    private static final class FailingFabric extends ForwardingFabric {

        private final Throwable failure;
        private int left = Integer.MAX_VALUE;

        FailingFabric(Fabric wrapped, Throwable failure) {
            super(wrapped);
            this.failure = failure;
        }

        @Override
        public Batch batch() {
            return new ForwardingBatch(wrapped().batch()) {
                @Override
                protected void before(Verb verb, int target, long offset, long bytes) {
                    fail();
                }

                @Override
                protected void arrives() {
                    fail();
                }
            };
        }

        @Override
        public void write(int target, long offset, MemorySegment source, long position, long bytes) {
            fail();
            super.write(target, offset, source, position, bytes);
        }

        private void fail() {
            if (--left == 0) {
                switch (failure) {
                    case Error error -> throw error;
                    case RuntimeException other -> throw other;
                    default -> throw new AssertionError(failure);
                }
            }
        }

        @Override
        public Batch newBatch(long bufferBytes) {
            return wrapped().newBatch(bufferBytes);
        }
    }

    /** Each verb in turn fails, once. Then every object is handed out to its caller, or is free in the end. */
    private static void assertNothingIsLost(Throwable failure, boolean isKept) {
        boolean hasFailed = true;
        for (int verbs = 1; hasFailed; verbs++) {
            Simulation world = simulation(GUARDING);
            var failing = new FailingFabric(world.fabric(0), failure);
            Heap user = heap(failing);
            Heap other = heap(world.fabric(2));
            long[] first = allocate(user, sizes(3 * PER_SLAB, 56));
            other.free(TARGET, Arrays.copyOf(first, PER_SLAB));
            long[] offsets = new long[4 * PER_SLAB];
            failing.left = verbs;
            hasFailed = catchThrowable(() -> user.allocate(TARGET, sizes(4 * PER_SLAB, 56), offsets)) == failure;
            failing.left = Integer.MAX_VALUE;
            long[] had = LongStream.of(offsets).filter(offset -> offset != 0).toArray();
            assertThat(had).doesNotHaveDuplicates();
            if (isKept) {
                assertThat(
                        LongStream.concat(LongStream.of(had), LongStream.of(allocate(user, sizes(10, 56)))).toArray())
                        .doesNotHaveDuplicates();
            }
            other.reclaimPending(TARGET, 0, 1);
            other.reclaimStock(TARGET, 0, 1);
            assertThat(other.usage(TARGET).pendingBytes()).isZero();
            assertThat(other.usage(TARGET).objects()).as("verbs=%s", verbs)
                    .isEqualTo(2 * PER_SLAB + had.length + (isKept ? 10 : 0));
        }
    }

    @Test
    void anErrorLosesNothing() {
        assertNothingIsLost(new OutOfMemoryError("none is left"), true);
    }

    @Test
    void aRankThatIsOutOfReachLosesNothing() {
        assertNothingIsLost(new RankUnreachableException("it is away", "complete", TARGET, 0), false);
    }
}
