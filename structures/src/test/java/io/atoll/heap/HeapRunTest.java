package io.atoll.heap;

import static io.atoll.heap.TwoRanks.SLABS;
import static io.atoll.heap.TwoRanks.SLAB_BYTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.fabric.Endpoint;
import io.atoll.failure.RankUnreachableException;
import io.atoll.failure.SegmentFullException;
import io.atoll.memory.GlobalPointer;
import io.atoll.memory.Layouts;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class HeapRunTest {

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

    @Test
    void runsOfBothRanksDoNotOverlap() {
        long first = heap.reserve(1, 1);
        long second = peer.reserve(1, 3 * SLAB_BYTES);
        long third = heap.reserve(1, SLAB_BYTES + 1);

        assertThat(second).isEqualTo(first + SLAB_BYTES);
        assertThat(third).isEqualTo(second + 3 * SLAB_BYTES);
        assertThat(heap.reserve(0, 1)).isEqualTo(first);
        assertThat(first % 64).isZero();
    }

    @Test
    void whatFitsIsCountedInFreeRunsThatFollowEachOther() {
        assertThat(heap.freeStretches(1).runsOf(3 * SLAB_BYTES)).isEqualTo(SLABS / 3);
        long first = heap.reserve(1, SLAB_BYTES);
        long second = heap.reserve(1, 2 * SLAB_BYTES);
        heap.reserve(1, (SLABS - 4) * SLAB_BYTES);
        assertThat(heap.freeStretches(1).runsOf(SLAB_BYTES)).as("fresh slabs").isOne();
        heap.free(1, first);
        assertThat(heap.freeStretches(1).runsOf(3 * SLAB_BYTES)).isZero();
        heap.free(1, second);
        assertThat(heap.freeStretches(1).runsOf(3 * SLAB_BYTES)).isOne();
        assertThat(heap.freeStretches(1).runsOf(SLAB_BYTES + 1)).isOne();
        assertThat(heap.freeStretches(1).runsOf(SLAB_BYTES)).isEqualTo(4);
    }

    @Test
    void anEmptyHeapIsAllFree() {
        assertThat(heap.usage(1))
                .isEqualTo(new HeapUsage(SLABS * SLAB_BYTES, SLABS * SLAB_BYTES, 0, 0, 0, 0, 0, 0, 0, 0));
    }

    @Test
    void usageTellsPendingFromOwned() {
        heap.reserve(1, 5 * SLAB_BYTES);
        heap.commit(1, heap.reserve(1, 3 * SLAB_BYTES));
        peer.free(1, heap.reserve(1, 2 * SLAB_BYTES));

        HeapUsage usage = peer.usage(1);

        assertThat(usage.pendingRuns()).isOne();
        assertThat(usage.pendingBytes()).isEqualTo(5 * SLAB_BYTES);
        assertThat(usage.ownedRuns()).isOne();
        assertThat(usage.ownedBytes()).isEqualTo(3 * SLAB_BYTES);
        assertThat(usage.freeBytes()).isEqualTo((SLABS - 8) * SLAB_BYTES);
    }

    @Test
    void aFreedRunIsReusedAndZeroedBeforeFreshSlabsAreTouched() {
        long first = heap.reserve(1, 4 * SLAB_BYTES);
        long second = heap.reserve(1, SLAB_BYTES);
        Endpoint endpoint = ranks.endpoint(0);
        for (long offset = first; offset < second; offset += 8) {
            endpoint.writeWord(1, offset, -1);
        }
        heap.commit(1, first);
        peer.free(1, first);

        assertThat(peer.reserve(1, 3 * SLAB_BYTES)).isEqualTo(first);
        for (long offset = first; offset < second; offset += 8) {
            assertThat(endpoint.readWord(1, offset)).isZero();
        }
    }

    @Test
    void aFreeRunIsNotReusedForWhatWouldWasteMoreThanAQuarter() {
        long first = heap.reserve(1, 4 * SLAB_BYTES);
        heap.free(1, first);

        assertThat(heap.reserve(1, 2 * SLAB_BYTES)).isEqualTo(first + 4 * SLAB_BYTES);
        assertThat(heap.reserve(1, 5 * SLAB_BYTES)).isEqualTo(first + 6 * SLAB_BYTES);
        assertThat(heap.reserve(1, 4 * SLAB_BYTES)).isEqualTo(first);
    }

    @Test
    void reserveRefusesWhatDoesNotFitAndLeavesNothingBehind() {
        heap.reserve(1, (SLABS - 2) * SLAB_BYTES);
        HeapUsage before = heap.usage(1);

        assertThatThrownBy(() -> peer.reserve(1, 3 * SLAB_BYTES)).isInstanceOfSatisfying(SegmentFullException.class,
                full -> {
                    assertThat(full.rank()).isOne();
                    assertThat(full.askedBytes()).isEqualTo(3 * SLAB_BYTES);
                    assertThat(full.freeBytes()).isEqualTo(2 * SLAB_BYTES);
                });
        assertThatThrownBy(() -> peer.reserve(1, Long.MAX_VALUE)).isInstanceOf(SegmentFullException.class);
        assertThat(heap.usage(1)).isEqualTo(before);

        heap.reserve(1, 2 * SLAB_BYTES);
        assertThatThrownBy(() -> heap.reserve(1, 1)).isInstanceOf(SegmentFullException.class);
    }

    @Test
    void freeNeighboursAreJoinedBeforeTheHeapCountsAsFull() {
        List<Long> offsets = new ArrayList<>();
        for (int i = 0; i < SLABS - 3; i++) {
            offsets.add(heap.reserve(1, 1));
        }
        heap.free(1, offsets.get(10));
        heap.free(1, offsets.get(11));
        heap.free(1, offsets.get(20));
        heap.free(1, offsets.getLast());

        assertThat(peer.reserve(1, 4 * SLAB_BYTES)).as("with the slabs that are fresh").isEqualTo(offsets.getLast());
        assertThat(peer.reserve(1, 2 * SLAB_BYTES)).isEqualTo(offsets.get(10));
        assertThatThrownBy(() -> peer.reserve(1, 2 * SLAB_BYTES)).isInstanceOf(SegmentFullException.class);
        assertThat(peer.reserve(1, SLAB_BYTES)).isEqualTo(offsets.get(20));
        assertThat(heap.usage(1).freeBytes()).isZero();
    }

    @Test
    void aFailureForWantOfALargePieceSaysHowLargeThePiecesAre() {
        List<Long> offsets = new ArrayList<>();
        for (int i = 0; i < SLABS; i++) {
            offsets.add(heap.reserve(1, 1));
        }
        heap.free(1, offsets.get(10));
        heap.free(1, offsets.get(20));
        heap.free(1, offsets.get(21));

        assertThatThrownBy(() -> peer.reserve(1, 2 * SLAB_BYTES + 1))
                .isInstanceOf(SegmentFullException.class)
                .hasMessage("the free pieces of the segment are too small, ask for less or make it larger:"
                        + " verb=allocate rank=1 askedBytes=8193 freeBytes=12288 largestFreeBytes=8192");
        assertThatThrownBy(() -> peer.reserve(1, 3 * SLAB_BYTES + 1))
                .isInstanceOf(SegmentFullException.class)
                .hasMessage("the segment is full, make it larger:"
                        + " verb=allocate rank=1 askedBytes=12289 freeBytes=12288 largestFreeBytes=8192");
        assertThatThrownBy(() -> peer.reserve(1, SLABS * SLAB_BYTES))
                .isInstanceOfSatisfying(SegmentFullException.class,
                        full -> assertThat(peer.reserve(1, full.largestFreeBytes())).isEqualTo(offsets.get(20)));
    }

    /** As while another rank divides the only free run. */
    @Test
    void aRunThatIsFreedAtAnyMomentOfASearchIsFoundByIt() {
        for (int moment = 0;; moment++) {
            long run = peer.reserve(1, SLABS * SLAB_BYTES);
            AtomicInteger reads = new AtomicInteger(moment);
            Heap searching = new Heap(new Endpoint(new MutatedFabric(ranks.endpoint(0).fabric()) {
                @Override
                public void read(int rank, long offset, MemorySegment destination, long position, long bytes) {
                    if (reads.getAndDecrement() == 0) {
                        peer.free(1, run);
                    }
                    super.read(rank, offset, destination, position, bytes);
                }
            }), ranks.area, 1);
            try {
                searching.free(1, searching.reserve(1, 1));
            } catch (SegmentFullException full) {
                assertThat(reads).as("it is not freed before the failure").hasNonNegativeValue();
                return;
            }
        }
    }

    @Test
    void aFreeRunThatIsTooLongIsSplitBeforeTheHeapCountsAsFull() {
        long run = heap.reserve(1, SLABS * SLAB_BYTES);
        heap.free(1, run);

        assertThat(peer.reserve(1, 10 * SLAB_BYTES)).isEqualTo(run);
        assertThat(heap.usage(1).freeBytes()).isEqualTo((SLABS - 10) * SLAB_BYTES);
        assertThat(heap.allocate(1, 56)).isBetween(run + 10 * SLAB_BYTES, run + 11 * SLAB_BYTES);
        assertThat(heap.reserve(1, (SLABS - 11) * SLAB_BYTES)).isEqualTo(run + 11 * SLAB_BYTES);
        assertThatThrownBy(() -> heap.reserve(1, 1)).isInstanceOf(SegmentFullException.class);
    }

    @Test
    void aRunThatBecamePartOfAnotherIsNoLongerOneToFree() {
        long first = heap.reserve(1, SLAB_BYTES);
        long second = heap.reserve(1, (SLABS - 1) * SLAB_BYTES);
        heap.free(1, first);
        heap.free(1, second);
        heap.reserve(1, SLABS * SLAB_BYTES);

        assertThatThrownBy(() -> heap.free(1, second)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith("rank=1 offset=" + second);
    }

    @Test
    void aRunThatWasFreedInAFullHeapIsFound() {
        List<Long> offsets = new ArrayList<>();
        for (int i = 0; i < SLABS; i++) {
            offsets.add(heap.reserve(1, 1));
        }
        peer.free(1, offsets.get(20));
        peer.free(1, offsets.get(40));

        assertThat(Set.of(heap.reserve(1, 1), peer.reserve(1, 1))).containsExactlyInAnyOrder(offsets.get(20),
                offsets.get(40));
        assertThatThrownBy(() -> heap.reserve(1, 1)).isInstanceOf(SegmentFullException.class);
    }

    @Test
    void roomThatWasNeverAnnouncedIsFoundBeforeTheHeapCountsAsFull() {
        for (int i = 0; i < SLABS; i++) {
            heap.reserve(1, 1);
        }
        long silent = ranks.area.slabOffset(7);
        // Left by a rank that dies between freeing a run and announcing it.
        ranks.endpoint(0).writeWord(1, ranks.area.wordOffset(7), SlabWord.free(1));

        assertThat(heap.reserve(1, 1)).isEqualTo(silent);
    }

    @Test
    void whatADeadIncarnationLeftPendingIsTakenBack() {
        heap.reserve(1, 2 * SLAB_BYTES);
        heap.commit(1, heap.reserve(1, SLAB_BYTES));
        heap.reserve(1, 3 * SLAB_BYTES);
        peer.reserve(1, 4 * SLAB_BYTES);
        ranks.heap(0, 2).reserve(1, 5 * SLAB_BYTES);

        assertThat(peer.reclaimPending(1, 0, 1)).isEqualTo(5 * SLAB_BYTES);
        assertThat(peer.reclaimPending(1, 0, 1)).isZero();

        HeapUsage usage = peer.usage(1);
        assertThat(usage.pendingBytes()).isEqualTo(9 * SLAB_BYTES);
        assertThat(usage.ownedBytes()).isEqualTo(SLAB_BYTES);
        assertThat(peer.reclaimPending(1, 0, 2)).isEqualTo(5 * SLAB_BYTES);
    }

    @Test
    void whatADeadIncarnationAnnouncedIsCommittedIfItIsKnownAndElseTakenBack() {
        long table = heap.reserve(1, 1);
        heap.commit(1, table);
        long known = heap.reserve(1, 2 * SLAB_BYTES - Heap.ANNOUNCED_BYTES);
        heap.announce(1, known, new GlobalPointer(1, table), known);
        ranks.endpoint(0).writeWord(1, table, known);
        long unknown = heap.reserve(1, 3 * SLAB_BYTES - Heap.ANNOUNCED_BYTES);
        heap.announce(1, unknown, new GlobalPointer(1, table + 8), unknown);
        ranks.endpoint(0).writeWord(1, table + 8, known);

        assertThat(peer.usage(1).pendingRuns()).isEqualTo(2);
        assertThat(peer.reclaimPending(1, 0, 1)).isEqualTo(3 * SLAB_BYTES);
        assertThat(peer.reclaimPending(1, 0, 1)).isZero();

        assertThat(peer.usage(1).pendingRuns()).isZero();
        assertThat(peer.runBytes(1, known)).isEqualTo(2 * SLAB_BYTES);
        assertThat(peer.reserve(1, 3 * SLAB_BYTES)).isEqualTo(unknown);
    }

    /** At the run's end stands something that looks like an announcement, and the run looks known. */
    @Test
    void whatADeadIncarnationHadNotAnnouncedIsTakenBackWhateverIsWrittenThere() {
        long table = committed(1);
        long run = heap.reserve(1, SLAB_BYTES - Heap.ANNOUNCED_BYTES);
        Endpoint writer = ranks.endpoint(0);
        writer.writeWord(1, table, run);
        writer.writeWord(1, run + SLAB_BYTES - Heap.ANNOUNCED_BYTES, new GlobalPointer(1, table).toWord());
        writer.writeWord(1, run + SLAB_BYTES - Heap.ANNOUNCED_BYTES + Layouts.WORD, run);
        writer.flush(1);
        assertThat(peer.reclaimPending(1, 0, 1)).isEqualTo(SLAB_BYTES);
    }

    @Test
    void aRankSettlesNoRunThatItHasNotAnnounced() {
        heap.settle(1, heap.reserve(1, 1));
        long others = peer.reserve(1, SLAB_BYTES - Heap.ANNOUNCED_BYTES);
        peer.announce(1, others, new GlobalPointer(1, others), others);
        heap.settle(1, others);
        assertThat(heap.usage(1).pendingRuns()).isEqualTo(2);
        peer.settle(1, others);
        assertThat(heap.usage(1).pendingRuns()).isOne();
    }

    /** While the rank of the word is away, it is unknown if the run is in use. */
    @Test
    void whatADeadIncarnationAnnouncedStaysAsItIsWhileTheRankOfTheWordIsAway() {
        long table = heap.reserve(0, 1);
        long known = heap.reserve(1, SLAB_BYTES - Heap.ANNOUNCED_BYTES);
        heap.announce(1, known, new GlobalPointer(0, table), known);
        ranks.endpoint(0).writeWord(0, table, known);
        boolean[] isAway = {true};
        Heap cut = new Heap(new Endpoint(new MutatedFabric(ranks.endpoint(1).fabric()) {
            @Override
            public long readWord(int rank, long offset) {
                if (rank == 0 && isAway[0]) {
                    throw new RankUnreachableException("it is away", "readWord", rank, offset);
                }
                return super.readWord(rank, offset);
            }
        }), ranks.area, 1);
        assertThat(cut.reclaimPending(1, 0, 1)).isZero();
        assertThat(cut.usage(1).pendingRuns()).isOne();
        isAway[0] = false;
        assertThat(cut.reclaimPending(1, 0, 1)).isZero();
        assertThat(cut.runBytes(1, known)).isEqualTo(SLAB_BYTES);
    }

    @Test
    void aRunThatIsWithdrawnIsFreedUnlessItIsKnownOrAnothersByThen() {
        GlobalPointer place = new GlobalPointer(1, committed(1));
        long run = heap.reserve(1, SLAB_BYTES - Heap.ANNOUNCED_BYTES);
        heap.withdraw(1, run, place, run);
        assertThat(heap.usage(1).pendingRuns()).as("not announced").isOne();
        heap.announce(1, run, place, run);
        heap.withdraw(1, run, place, run + 1);
        heap.withdraw(1, run, new GlobalPointer(0, place.offset()), run);
        peer.withdraw(1, run, place, run);
        assertThat(heap.usage(1).pendingRuns()).as("announced with another word, or by another rank").isOne();
        ranks.endpoint(0).writeWord(1, place.offset(), run);
        heap.withdraw(1, run, place, run);
        assertThat(heap.runBytes(1, run)).as("known").isEqualTo(SLAB_BYTES);
        heap.uncommit(1, run, place, run);
        ranks.endpoint(0).writeWord(1, place.offset(), 0);
        heap.withdraw(1, run, place, run);
        assertThat(peer.reserve(1, SLAB_BYTES)).as("free").isEqualTo(run);
        heap.withdraw(1, run, place, run);
        assertThat(heap.usage(1).pendingRuns()).as("another's").isOne();
    }

    @Test
    void theWordThatMakesARunKnownMayBeInAnotherSegment() {
        long table = heap.reserve(0, 1);
        long known = heap.reserve(1, SLAB_BYTES - Heap.ANNOUNCED_BYTES);
        heap.announce(1, known, new GlobalPointer(0, table), known);
        ranks.endpoint(0).writeWord(0, table, known);

        assertThat(peer.reclaimPending(1, 0, 1)).isZero();
        assertThat(peer.runBytes(1, known)).isEqualTo(SLAB_BYTES);
    }

    @Test
    void aRunThatIsBeingGivenUpStaysUntilItsWordHasChanged() {
        long table = heap.reserve(1, 1);
        heap.commit(1, table);
        long kept = committed(2 * SLAB_BYTES - Heap.ANNOUNCED_BYTES);
        heap.uncommit(1, kept, new GlobalPointer(1, table), 0);
        long given = committed(3 * SLAB_BYTES - Heap.ANNOUNCED_BYTES);
        heap.uncommit(1, given, new GlobalPointer(1, table + 8), 0);
        ranks.endpoint(0).writeWord(1, table + 8, kept);

        assertThat(peer.reclaimPending(1, 0, 1)).isEqualTo(3 * SLAB_BYTES);
        assertThat(peer.usage(1).pendingRuns()).isZero();
        assertThat(peer.runBytes(1, kept)).isEqualTo(2 * SLAB_BYTES);
        assertThat(peer.reserve(1, 3 * SLAB_BYTES)).isEqualTo(given);
    }

    @Test
    void aRunThatADeadRankWasGivingUpIsGivenUpByAnother() {
        long table = heap.reserve(1, 1);
        heap.commit(1, table);
        long run = committed(SLAB_BYTES - Heap.ANNOUNCED_BYTES);
        heap.uncommit(1, run, new GlobalPointer(1, table), 0);
        peer.uncommit(1, run, new GlobalPointer(1, table + 8), 0);
        ranks.endpoint(0).writeWord(1, table, run);

        assertThat(peer.reclaimPending(1, 0, 1)).isZero();
        assertThat(heap.usage(1).pendingRuns()).isOne();
        heap.free(1, run);
        assertThatThrownBy(() -> heap.uncommit(1, run, new GlobalPointer(1, table), 0))
                .isInstanceOf(IllegalArgumentException.class);
    }

    /** Otherwise a rank that takes back what a dead rank has left may read what was there before. */
    @Test
    void anAnnouncementHasArrivedBeforeTheRunCountsAsAnnounced() {
        List<String> verbs = new ArrayList<>();
        Heap recorded = new Heap(new Endpoint(new MutatedFabric(ranks.endpoint(0).fabric()) {
            @Override
            public void write(int rank, long offset, MemorySegment source, long position, long bytes) {
                verbs.add("write");
                super.write(rank, offset, source, position, bytes);
            }

            @Override
            public void flush(int rank) {
                verbs.add("flush");
                super.flush(rank);
            }

            @Override
            public long compareAndExchange(int rank, long offset, long expected, long value) {
                verbs.add("exchange");
                return super.compareAndExchange(rank, offset, expected, value);
            }
        }), ranks.area, 1);
        long run = recorded.reserve(1, SLAB_BYTES - Heap.ANNOUNCED_BYTES);
        verbs.clear();
        recorded.announce(1, run, new GlobalPointer(1, run), run);
        assertThat(verbs).containsExactly("write", "flush", "exchange");
    }

    private long committed(long bytes) {
        long run = heap.reserve(1, bytes);
        heap.commit(1, run);
        return run;
    }

    @Test
    void aRetiredRunIsFreedAfterTwoEpochsAndNotWhileItIsKnown() {
        GlobalPointer place = new GlobalPointer(0, heap.reserve(0, 1));
        long run = committed(2 * SLAB_BYTES - Heap.ANNOUNCED_BYTES);
        ranks.endpoint(0).writeWord(0, place.offset(), run);
        heap.retire(1, run, place, run, 7);
        assertThat(peer.freeRetired(1, () -> 9)).as("known still").isEqualTo(new Runs.Sweep(0, 1, 2));
        ranks.endpoint(0).writeWord(0, place.offset(), 0);
        assertThat(peer.freeRetired(1, () -> 8)).as("too early").isEqualTo(new Runs.Sweep(0, 1, 1));
        assertThat(peer.usage(1).ownedBytes()).isEqualTo(2 * SLAB_BYTES);
        assertThat(peer.freeRetired(1, () -> 9)).isEqualTo(new Runs.Sweep(1, 0, Integer.MIN_VALUE));
        assertThat(peer.usage(1).ownedBytes()).isZero();
    }

    @Test
    void aRunIsRetiredOnceAndOnlyWhileItIsKnown() {
        GlobalPointer place = new GlobalPointer(1, committed(1));
        long run = committed(SLAB_BYTES - Heap.ANNOUNCED_BYTES);
        heap.retire(1, run, place, run, 7);
        assertThat(heap.freeRetired(1, () -> 100)).as("it was not known")
                .isEqualTo(new Runs.Sweep(0, 0,
                        Integer.MIN_VALUE));
        ranks.endpoint(0).writeWord(1, place.offset(), run);
        heap.retire(1, run, place, run, 7);
        peer.retire(1, run, place, run, 8);
        ranks.endpoint(0).writeWord(1, place.offset(), 0);
        assertThat(heap.freeRetired(1, () -> 9).freed()).isOne();
    }

    @Test
    void aRunThatWasRetiredBeforeEpochsWereCountedAnewIsFreedToo() {
        GlobalPointer place = new GlobalPointer(1, committed(1));
        long run = committed(SLAB_BYTES - Heap.ANNOUNCED_BYTES);
        ranks.endpoint(0).writeWord(1, place.offset(), run);
        heap.retire(1, run, place, run, 1_000);
        ranks.endpoint(0).writeWord(1, place.offset(), 0);
        assertThat(heap.freeRetired(1, () -> 3).freed()).isZero();
        assertThat(heap.freeRetired(1, () -> 5).freed()).isZero();
        assertThat(heap.freeRetired(1, () -> 6).freed()).isOne();
    }

    /** The epoch that a sweep begins with may be an old one by then: other ranks go on meanwhile. */
    @Test
    void aRunKeepsItsEpochIfASecondLookAtTheWorldsExplainsIt() {
        GlobalPointer place = new GlobalPointer(1, committed(1));
        long run = committed(SLAB_BYTES - Heap.ANNOUNCED_BYTES);
        ranks.endpoint(0).writeWord(1, place.offset(), run);
        heap.retire(1, run, place, run, 7);
        ranks.endpoint(0).writeWord(1, place.offset(), 0);
        var epochs = LongStream.of(3, 7).iterator();
        assertThat(heap.freeRetired(1, epochs::nextLong).freed()).isZero();
        assertThat(heap.freeRetired(1, () -> 8).freed()).isZero();
        assertThat(heap.freeRetired(1, () -> 9).freed()).isOne();
    }

    @Test
    void aFailureForWantOfRoomSaysWhatIsRetired() {
        GlobalPointer place = new GlobalPointer(1, committed(1));
        long run = committed((SLABS - 2) * SLAB_BYTES);
        ranks.endpoint(0).writeWord(1, place.offset(), run);
        heap.retire(1, run, place, run, 7);
        assertThatThrownBy(() -> heap.reserve(1, 2 * SLAB_BYTES))
                .isInstanceOfSatisfying(SegmentFullException.class,
                        full -> assertThat(full.limboBytes()).isEqualTo((SLABS - 2) * SLAB_BYTES));
    }

    @Test
    void committingTwiceIsCommittingOnce() {
        long run = heap.reserve(1, 1);
        heap.commit(1, run);
        peer.commit(1, run);

        assertThat(heap.usage(1).ownedRuns()).isOne();
    }

    @Test
    void freeingTwiceOrElsewhereIsRefused() {
        long run = heap.reserve(1, 3 * SLAB_BYTES);

        assertThatThrownBy(() -> heap.free(1, run + 64)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith("rank=1 offset=" + (run + 64));
        assertThatThrownBy(() -> heap.free(1, run + SLAB_BYTES)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> heap.free(1, run + 3 * SLAB_BYTES)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> heap.free(1, 64)).isInstanceOf(IllegalArgumentException.class);
        heap.free(1, run);
        assertThatThrownBy(() -> peer.free(1, run)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith("rank=1 offset=" + run);
        assertThatThrownBy(() -> heap.commit(1, run)).isInstanceOf(IllegalArgumentException.class);
        assertThat(heap.usage(1).freeBytes()).isEqualTo(SLABS * SLAB_BYTES);
    }

    @Test
    void emptyRunsAndImpossibleIncarnationsAreRefused() {
        assertThatThrownBy(() -> heap.reserve(1, 0)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith("bytes=0");
        assertThatThrownBy(() -> ranks.heap(0, 0)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith("incarnation=0");
        assertThatThrownBy(() -> ranks.heap(0, 65_536)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void threadsOfBothRanksNeverHoldTheSameRun() throws Exception {
        Set<Long> held = Collections.synchronizedSet(new HashSet<>());
        List<Callable<Void>> threads = new ArrayList<>();
        for (int thread = 0; thread < 4; thread++) {
            Heap mine = thread % 2 == 0 ? heap : peer;
            threads.add(() -> {
                for (int round = 0; round < 5_000; round++) {
                    long run = mine.reserve(0, (1 + round % 3) * SLAB_BYTES);
                    assertThat(held.add(run)).as("nobody else holds it").isTrue();
                    mine.commit(0, run);
                    held.remove(run);
                    mine.free(0, run);
                }
                return null;
            });
        }
        try (var executor = Executors.newFixedThreadPool(threads.size())) {
            for (var result : executor.invokeAll(threads)) {
                result.get();
            }
        }
        assertThat(heap.usage(0).freeBytes()).isEqualTo(SLABS * SLAB_BYTES);
    }
}
