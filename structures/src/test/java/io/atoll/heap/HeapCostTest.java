package io.atoll.heap;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.Endpoint;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.Guarantees.AtomicDomain;
import io.atoll.fabric.trace.Journal;
import io.atoll.fabric.trace.RecordingFabric;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Counts what the Javadoc promises. */
class HeapCostTest {

    private static final Guarantees WITHOUT_FETCH_OR = new Guarantees(AtomicDomain.FABRIC_ONLY, 64, true, false, false);

    private static final int PER_SLAB = 56; // objects of 64 bytes

    private TwoRanks ranks;
    private RecordingFabric fabric;
    private Heap heap;

    @BeforeEach
    void open(@TempDir Path folder) {
        ranks = new TwoRanks(folder);
        heap = heap(ranks.endpoint(0).guarantees());
    }

    private Heap heap(Guarantees declared) {
        Endpoint endpoint = ranks.endpoint(0);
        fabric = new RecordingFabric(endpoint.fabric(), declared);
        endpoint.replaceFabric(unrecorded -> fabric);
        return new Heap(endpoint, ranks.area, 1);
    }

    @AfterEach
    void close() {
        ranks.close();
    }

    private void assertCost(Journal journal, int reads, int writes, int atomics, int roundTrips) {
        assertThat(List.of(journal.reads(), journal.writes(), journal.atomics(), journal.roundTrips()))
                .as("R, W, A and round trips of: %s", journal)
                .containsExactly(reads, writes, atomics, roundTrips);
    }

    @Test
    void aFreshRunTakesTwoReadsAndTwoAtomics() {
        heap.reserve(1, 10_000);

        assertCost(fabric.record(() -> heap.reserve(1, 10_000)), 2, 0, 2, 4);
    }

    @Test
    void theFirstRunNeedNotAdvanceTheHint() {
        assertCost(fabric.record(() -> heap.reserve(1, 10_000)), 2, 0, 1, 3);
    }

    @Test
    void aReusedRunIsWrittenAndFlushedAsWell() {
        heap.free(1, heap.reserve(1, 40_000));

        assertCost(fabric.record(() -> heap.reserve(1, 40_000)), 2, 2, 1, 4);
    }

    @Test
    void committingTakesAReadAndAnAtomicAndFreeingOneAtomicMore() {
        long run = heap.reserve(1, 1);

        assertCost(fabric.record(() -> heap.commit(1, run)), 1, 0, 1, 2);
        assertCost(fabric.record(() -> heap.free(1, run)), 1, 0, 2, 3);
    }

    @Test
    void anObjectInTheCacheTakesAWriteAndNoRoundTrip() {
        heap.allocate(1, 56);

        assertCost(fabric.record(() -> heap.allocate(1, 56)), 0, 1, 0, 0);
    }

    @Test
    void theFirstObjectOfASlabTakesFourReadsAndFourAtomics() {
        heap.reserve(1, 1);

        assertCost(fabric.record(() -> heap.allocate(1, 56)), 4, 1, 4, 8);
    }

    @Test
    void freeObjectsOfAGroupAreClaimedByAReadAWriteAndAnAtomic() {
        List<Long> objects = new ArrayList<>();
        for (int i = 0; i < PER_SLAB; i++) {
            objects.add(heap.allocate(1, 56));
        }
        objects.forEach(offset -> heap.free(1, offset));

        assertCost(fabric.record(() -> heap.allocate(1, 56)), 1, 2, 1, 2);
        assertCost(fabric.record(() -> heap.allocate(1, 56)), 0, 1, 0, 0);
    }

    @Test
    void anObjectIsFreedByAReadAndAnAtomic() {
        long first = heap.allocate(1, 56);
        long second = heap.allocate(1, 56);

        assertCost(fabric.record(() -> heap.free(1, first)), 1, 0, 2, 3);
        assertCost(fabric.record(() -> heap.free(1, second)), 1, 0, 1, 2);
    }

    @Test
    void anObjectIsFreedByTwoReadsAndAnAtomicWithoutFetchOr() {
        heap = heap(WITHOUT_FETCH_OR);
        long first = heap.allocate(1, 56);
        long second = heap.allocate(1, 56);

        heap.free(1, first);
        assertCost(fabric.record(() -> heap.free(1, second)), 2, 0, 1, 3);
    }

    @Test
    void objectsThatAreFreedTogetherTakeThreeRoundTrips() {
        long[] objects = new long[50];
        for (int at = 0; at < objects.length; at++) {
            objects[at] = heap.allocate(1, 56);
        }
        heap.free(1, heap.allocate(1, 56));

        assertCost(fabric.record(() -> heap.free(1, objects)), 2, 0, 1, 3);
    }

    @Test
    void theOwnMemoryTakesNoVerb() {
        assertThat(fabric.record(() -> heap.free(0, heap.allocate(0, 56))).entries()).isEmpty();
    }
}
