package io.atoll.heap;

import static io.atoll.heap.TwoRanks.SLABS;
import static io.atoll.heap.TwoRanks.SLAB_BYTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.fabric.Endpoint;
import io.atoll.fabric.Fabric;
import io.atoll.failure.SegmentFullException;
import io.atoll.memory.GlobalPointer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HeapObjectTest {

    private static final int PER_SLAB = 56; // objects of 64 bytes

    private TwoRanks ranks;
    private Heap heap;
    private Heap peer;

    @BeforeEach
    void open(@TempDir Path folder) {
        ranks = new TwoRanks(folder);
        heap = ranks.heap(0);
        peer = ranks.heap(1);
    }

    @AfterEach
    void close() {
        ranks.close();
    }

    private static List<Long> fill(Heap heap, int target, long bytes) {
        List<Long> objects = new ArrayList<>();
        try {
            while (true) {
                objects.add(heap.allocate(target, bytes));
            }
        } catch (SegmentFullException full) {
            return objects;
        }
    }

    @Test
    void everyObjectIsHandedOutOnceAndNoneOverlaps() {
        List<Long> objects = fill(heap, 1, 100);

        assertThat(objects).doesNotHaveDuplicates().hasSizeGreaterThan(SLABS * 29);
        List<Long> sorted = objects.stream().sorted().toList();
        for (int at = 1; at < sorted.size(); at++) {
            assertThat(sorted.get(at) - sorted.get(at - 1)).isGreaterThanOrEqualTo(128);
        }
        assertThat(sorted).allMatch(offset -> offset % 64 == 0);
        assertThat(heap.usage(1).objects()).isEqualTo(objects.size());
    }

    @Test
    void ranksHandOutOfSlabsOfTheirOwn() {
        long mine = heap.allocate(1, 56);
        long others = peer.allocate(1, 56);

        assertThat(ranks.area.slabAt(mine)).isNotEqualTo(ranks.area.slabAt(others));
    }

    @Test
    void usageCountsWhatIsHandedOutAndNotTheSlabCache() {
        long object = heap.allocate(1, 57);
        heap.allocate(1, 56);

        HeapUsage usage = peer.usage(1);

        assertThat(usage.objectSlabs()).isEqualTo(2);
        assertThat(usage.objectSlabBytes()).isEqualTo(2 * SLAB_BYTES);
        assertThat(usage.objects()).isEqualTo(2);
        assertThat(usage.objectBytes()).isEqualTo(128 + 64);
        assertThat(usage.freeBytes()).isEqualTo((SLABS - 2) * SLAB_BYTES);
        peer.free(1, object);
        assertThat(peer.usage(1).objects()).isOne();
    }

    @Test
    void freedObjectsAreHandedOutAgainBeforeANewSlabIsTaken() {
        Set<Long> freed = new HashSet<>();
        for (int i = 0; i < PER_SLAB; i++) {
            freed.add(heap.allocate(1, 56));
        }
        freed.forEach(offset -> peer.free(1, offset));

        Set<Long> again = new HashSet<>();
        for (int i = 0; i < PER_SLAB; i++) {
            again.add(heap.allocate(1, 56));
        }

        assertThat(again).isEqualTo(freed);
        assertThat(heap.usage(1).objectSlabs()).isOne();
    }

    @Test
    void aSlabThatWasGivenUpIsAdoptedByWhoeverNeedsItsObjects() {
        List<Long> objects = new ArrayList<>();
        for (int i = 0; i < 3 * PER_SLAB + 1; i++) {
            objects.add(heap.allocate(1, 56));
        }
        heap.free(1, objects.get(PER_SLAB));

        assertThat(peer.allocate(1, 56)).isEqualTo(objects.get(PER_SLAB));
        assertThat(peer.usage(1).objectSlabs()).isEqualTo(4);
    }

    @Test
    void aFullHeapRefusesAndServesAgainAfterAFree() {
        List<Long> objects = fill(heap, 1, 56);

        assertThat(objects).hasSize(SLABS * PER_SLAB);
        assertThatThrownBy(() -> peer.allocate(1, 56)).isInstanceOfSatisfying(SegmentFullException.class, full -> {
            assertThat(full.rank()).isOne();
            assertThat(full.askedBytes()).isEqualTo(64);
            assertThat(full.freeBytes()).isZero();
        });
        peer.free(1, objects.get(1_000));
        assertThat(peer.allocate(1, 56)).isEqualTo(objects.get(1_000));
        assertThatThrownBy(() -> peer.allocate(1, 56)).isInstanceOf(SegmentFullException.class);
    }

    @Test
    void slabsWhoseObjectsAreAllFreeServeAnyPurposeWhenTheHeapIsFull() {
        List<Long> objects = fill(heap, 1, 56);
        objects.forEach(offset -> peer.free(1, offset));

        List<Long> others = fill(peer, 1, 1000);
        assertThat(others).hasSize(SLABS * 3);
        assertThatThrownBy(() -> heap.reserve(1, 1)).isInstanceOf(SegmentFullException.class);
        heap.free(1, new long[]{others.get(0), others.get(1), others.get(2)});
        heap.commit(1, heap.reserve(1, 1));
        assertThat(heap.usage(1).ownedRuns()).isOne();
    }

    @Test
    void aFreedObjectThatWasNeverAnnouncedIsFoundBeforeTheHeapCountsAsFull() {
        List<Long> objects = fill(heap, 1, 56);
        SizeClass sizeClass = ranks.area.sizeClass(0);
        // Left by a rank that dies between freeing an object and making its slab findable.
        ranks.endpoint(0).writeWord(1, ranks.area.slabOffset(5) + sizeClass.freeOffset(0), 1L << 3);

        assertThat(peer.allocate(1, 56)).isEqualTo(ranks.area.slabOffset(5) + sizeClass.objectOffset(3))
                .isIn(objects);
        assertThatThrownBy(() -> peer.allocate(1, 56)).isInstanceOf(SegmentFullException.class);
    }

    @Test
    void aCacheThatIsReleasedServesOthersAndEmptySlabsBecomeRunsAgain() {
        long kept = heap.allocate(1, 56);
        heap.free(1, heap.allocate(1, 640));
        heap.releaseStock(1);

        assertThat(ranks.area.slabAt(peer.allocate(1, 56))).isEqualTo(ranks.area.slabAt(kept));
        HeapUsage usage = heap.usage(1);
        assertThat(usage.objectSlabs()).isOne();
        assertThat(usage.objects()).isEqualTo(2);
        assertThat(usage.freeBytes()).isEqualTo((SLABS - 1) * SLAB_BYTES);
    }

    @Test
    void theCacheOfADeadIncarnationIsTakenBackAndItsLiveObjectsStay() {
        List<Long> live = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            live.add(heap.allocate(1, 56));
        }
        heap.free(1, live.removeLast());

        assertThat(peer.reclaimStock(1, 0, 1)).isEqualTo((PER_SLAB - 10) * 64);
        assertThat(peer.reclaimStock(1, 0, 1)).isZero();

        assertThat(peer.usage(1).objects()).isEqualTo(9);
        Set<Long> again = new HashSet<>();
        for (int i = 0; i < PER_SLAB - 9; i++) {
            again.add(peer.allocate(1, 56));
        }
        assertThat(again).doesNotContainAnyElementsOf(live);
        assertThat(peer.usage(1).objectSlabs()).isOne();
    }

    @Test
    void aCacheThatWasClaimedFromFreedObjectsIsTakenBackToo() {
        List<Long> objects = new ArrayList<>();
        for (int i = 0; i < PER_SLAB; i++) {
            objects.add(heap.allocate(1, 56));
        }
        for (int i = 0; i < PER_SLAB; i += 2) {
            heap.free(1, objects.get(i));
        }
        heap.allocate(1, 56);

        assertThat(peer.reclaimStock(1, 0, 1)).isEqualTo((PER_SLAB / 2 - 1) * 64);
        assertThat(peer.usage(1).objects()).isEqualTo(PER_SLAB / 2 + 1);
    }

    @Test
    void whatAThreadIsAboutToMarkIsNotTakenForTheCacheOfALaterHolder() {
        Endpoint endpoint = ranks.endpoint(0);
        Heap slow = new Heap(endpoint, ranks.area, 1);
        endpoint.replaceFabric(WithholdingMarks::new);
        long unmarked = slow.allocate(1, 56);
        endpoint.replaceFabric(withholding -> ((WithholdingMarks) withholding).faithful());
        List<Long> others = new ArrayList<>();
        for (int i = 0; i < PER_SLAB; i++) {
            others.add(slow.allocate(1, 56)); // the last of a new slab
        }
        heap.free(1, others.getFirst());
        assertThat(peer.allocate(1, 56)).isEqualTo(others.getFirst());

        heap.reclaimStock(1, 1, 1);

        assertThat(heap.usage(1).objects()).isEqualTo(PER_SLAB + 1);
        for (int i = 0; i < PER_SLAB; i++) {
            assertThat(heap.allocate(1, 56)).isNotEqualTo(unmarked);
        }
    }

    /** Shows what every other thread sees while a thread stands still before it marks the object that it took. */
    private static final class WithholdingMarks extends MutatedFabric {

        WithholdingMarks(Fabric faithful) {
            super(faithful);
        }

        @Override
        public void writeWord(int rank, long offset, long value) {
            assertThat(value).isEqualTo(SizeClass.HANDED_OUT);
        }
    }

    @Test
    void nothingIsTakenBackFromTheLiving() {
        heap.allocate(1, 56);

        assertThat(peer.reclaimStock(1, 0, 0)).isZero();
        assertThatThrownBy(() -> peer.reclaimStock(1, 1, 1)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith("rank=1 incarnation=1");
        assertThatThrownBy(() -> peer.reclaimPending(1, 1, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThat(ranks.heap(1, 2).reclaimStock(1, 1, 1)).isZero();
    }

    @Test
    void aRankWhoseSlabWasTakenBackAsIfItWereDeadSaysSo() {
        heap.allocate(1, 56);
        peer.reclaimStock(1, 0, 1);

        assertThatThrownBy(() -> heap.releaseStock(1)).isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("rank=1")
                .hasMessageEndingWith("holder=0 incarnation=1");
    }

    @Test
    void whatIsTooLargeToShareASlabHasARunOfItsOwn() {
        assertThat(ranks.area.largestObjectBytes()).isEqualTo(1024);
        long object = heap.allocate(1, 1017);

        assertThat(heap.usage(1).ownedRuns()).isOne();
        peer.free(1, object);
        assertThat(heap.usage(1).freeBytes()).isEqualTo(SLABS * SLAB_BYTES);
    }

    @Test
    void whatIsNoObjectOrFreeAlreadyIsRefused() {
        long object = heap.allocate(1, 120);

        assertThatThrownBy(() -> peer.free(1, object + 64)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith("rank=1 offset=" + (object + 64));
        assertThatThrownBy(() -> peer.free(1, ranks.area.slabOffset(ranks.area.slabAt(object))))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> peer.free(1, object + SLAB_BYTES)).isInstanceOf(IllegalArgumentException.class);
        peer.free(1, object);
        assertThatThrownBy(() -> heap.free(1, object)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith("rank=1 offset=" + object);
        assertThatThrownBy(() -> heap.free(GlobalPointer.NULL)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> heap.allocate(1, 0)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith("bytes=0");
    }

    @Test
    void aCheckedHeapRefusesWhatIsInTheCacheAgain() {
        List<Long> objects = new ArrayList<>();
        for (int i = 0; i < PER_SLAB; i++) {
            objects.add(heap.allocate(1, 56));
        }
        objects.forEach(offset -> heap.free(1, offset));
        long handedOut = heap.allocate(1, 56);
        long inStock = objects.stream().filter(offset -> offset != handedOut).findFirst().orElseThrow();
        Heap checked = new Heap(ranks.endpoint(1), ranks.area, 1, true);

        assertThatThrownBy(() -> checked.free(1, inStock)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith("rank=1 offset=" + inStock);
        assertThatThrownBy(() -> checked.free(1, new long[]{inStock})).isInstanceOf(IllegalArgumentException.class);
        checked.free(1, handedOut);
        checked.free(1, checked.allocate(1, 56));
        assertThat(heap.usage(1).objects()).isZero();
    }

    @Test
    void manyObjectsAreFreedTogether() {
        List<Long> objects = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            objects.add(heap.allocate(1, i % 3 == 0 ? 56 : 200));
        }
        objects.add(heap.allocate(1, 2 * SLAB_BYTES - Heap.LINK_BYTES));
        Collections.shuffle(objects);

        peer.free(1, objects.stream().mapToLong(Long::longValue).toArray());

        HeapUsage usage = heap.usage(1);
        assertThat(usage.objects()).isZero();
        assertThat(usage.ownedRuns()).isZero();
        int slabs = usage.objectSlabs();
        for (int i = 0; i < 300; i++) {
            heap.allocate(1, i % 3 == 0 ? 56 : 200);
        }
        assertThat(heap.usage(1).objectSlabs()).isEqualTo(slabs);
    }

    @Test
    void nothingIsFreedTogetherIfOneOfThemMayNotBe() {
        long first = heap.allocate(1, 56);
        long second = heap.allocate(1, 56);
        long free = heap.allocate(1, 56);
        heap.free(1, free);

        assertThatThrownBy(() -> peer.free(1, new long[]{first, second, free}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith("rank=1 offset=" + free);
        assertThatThrownBy(() -> peer.free(1, new long[]{first, second, first}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith("rank=1 offset=" + first);
        assertThatThrownBy(() -> peer.free(1, new long[]{first, second + 8}))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> peer.free(1, new long[]{first, 8})).isInstanceOf(IllegalArgumentException.class);
        assertThat(heap.usage(1).objects()).isEqualTo(2);
        peer.free(1, new long[]{first, second});
        assertThat(heap.usage(1).objects()).isZero();
    }

    @Test
    void pointersServeAsWellAsOffsets() {
        GlobalPointer pointer = heap.allocatePointer(1, 56);

        assertThat(pointer.rank()).isOne();
        peer.free(pointer);
        assertThat(heap.usage(1).objects()).isZero();
    }

    @Test
    void threadsOfBothRanksNeverHoldTheSameObject() throws Exception {
        List<Callable<Void>> threads = new ArrayList<>();
        for (int thread = 0; thread < 4; thread++) {
            long stamp = thread + 1;
            Heap mine = thread % 2 == 0 ? heap : peer;
            Endpoint endpoint = ranks.endpoint(thread % 2);
            threads.add(() -> {
                List<Long> held = new ArrayList<>();
                for (int round = 0; round < 50_000; round++) {
                    if (held.size() < 400 && ThreadLocalRandom.current().nextInt(3) > 0) {
                        long object = mine.allocate(0, 56);
                        endpoint.writeWord(0, object, stamp);
                        held.add(object);
                    } else if (!held.isEmpty()) {
                        long object = held.remove(ThreadLocalRandom.current().nextInt(held.size()));
                        assertThat(endpoint.readWord(0, object)).isEqualTo(stamp);
                        mine.free(0, object);
                    }
                }
                mine.free(0, held.stream().mapToLong(Long::longValue).toArray());
                return null;
            });
        }
        try (var executor = Executors.newFixedThreadPool(threads.size())) {
            for (var result : executor.invokeAll(threads)) {
                result.get();
            }
        }
        assertThat(heap.usage(0).objects()).isZero();
        heap.releaseStock(0);
        peer.releaseStock(0);
        assertThat(fill(heap, 0, 56)).doesNotHaveDuplicates().hasSize(SLABS * PER_SLAB);
    }
}
