package io.atoll.world;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.atoll.fabric.Endpoint;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import io.atoll.fabric.trace.Journal;
import io.atoll.fabric.trace.RecordingFabric;
import io.atoll.failure.ConfigurationMismatchException;
import io.atoll.failure.RankUnreachableException;
import io.atoll.failure.SegmentFullException;
import io.atoll.heap.Heap;
import io.atoll.heap.HeapArea;
import io.atoll.memory.SegmentHeader;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the directory costs, verb by verb, and what it keeps of names and configurations. */
@Tag("simulation")
class DirectoryTest {

    private static final long SEGMENT_BYTES = 4 << 20;
    private static final long BLOCK_BYTES = 8192;

    /** After a directory at the beginning. */
    private static final HeapArea HEAP = new HeapArea(Directory.AREA_BYTES, SEGMENT_BYTES);

    private final Simulation simulation = simulation(SimOptions.NETWORK_CARD);
    private final Participant self = participant(new RecordingFabric(simulation.fabric(0)));
    private final Directory directory = self.directory();

    private static Simulation simulation(Guarantees guarantees) {
        var simulation = new Simulation(1,
                SimOptions.ranks(2).segmentBytes(SEGMENT_BYTES).guarantees(guarantees).unmapped());
        for (int rank = 0; rank < 2; rank++) {
            simulation.fabric(0).writeWord(rank, SegmentHeader.bornWord(), 1);
        }
        return simulation;
    }

    private static Participant participant(RecordingFabric fabric) {
        return Participants.amongTheLiving(fabric);
    }

    private static String text(Journal journal) {
        return journal.entries()
                .stream()
                .map(verb -> verb.kind() + "" + verb.bytes() + "@" + verb.rank())
                .collect(Collectors.joining(" "));
    }

    private static void open(Directory directory, String name) {
        directory.open(name, "block", _ -> BLOCK_BYTES);
    }

    /** Returns the text of a later look at the states of a rank's last table. */
    private static String look(int rank) {
        return ("R8@" + rank + " ").repeat(Directory.ENTRIES);
    }

    @Test
    void openingWhatOthersHaveCreatedTakesTwoRoundTripsForAllRanksAndStructures() {
        List<String> names = List.of("orders", "jobs", "seen");
        names.forEach(name -> open(directory, name));
        RecordingFabric fabric = new RecordingFabric(simulation.fabric(1));
        Directory recorded = participant(fabric).directory();
        Journal journal = fabric.record(() -> names.forEach(name -> open(recorded, name)));
        assertThat(text(journal))
                .isEqualTo("R8@0 R8@1 " + look(0) + look(1) + "R640@0 R640@0 R640@0 R640@1 R640@1 R640@1");
        assertThat(journal.roundTrips()).isEqualTo(2);
        assertThat(fabric.record(() -> open(recorded, "orders")).entries()).isEmpty();
    }

    @Test
    void whatIsCreatedLaterIsLearnedOfInTwoRoundTrips() {
        open(directory, "orders");
        RecordingFabric fabric = new RecordingFabric(simulation.fabric(1));
        Directory recorded = participant(fabric).directory();
        open(recorded, "orders");
        open(directory, "jobs");
        open(directory, "seen");
        Journal journal = fabric.record(() -> open(recorded, "jobs"));
        assertThat(text(journal)).isEqualTo(look(0) + look(1) + "R640@0 R640@0 R640@1 R640@1");
        assertThat(journal.roundTrips()).isEqualTo(2);
        assertThat(fabric.record(() -> open(recorded, "seen")).entries()).isEmpty();
    }

    @Test
    void onTheOwnMemoryOpeningTakesNoVerb() {
        Simulation shared = simulation(SimOptions.SHARED_MEMORY);
        open(participant(new RecordingFabric(shared.fabric(1))).directory(), "orders");
        RecordingFabric fabric = new RecordingFabric(shared.fabric(0));
        Directory recorded = participant(fabric).directory();
        assertThat(text(fabric.record(() -> open(recorded, "orders")))).isEqualTo("R8@1 " + look(1) + "R640@1");
    }

    @Test
    void creatingTakesFourReadsFourAtomicsAndTwoWritesMoreAtEachRank() {
        RecordingFabric fabric = new RecordingFabric(simulation(SimOptions.SHARED_MEMORY).fabric(0));
        Directory recorded = participant(fabric).directory();
        open(recorded, "first");
        Journal journal = fabric.record(() -> open(recorded, "orders"));
        assertThat(text(journal)).isEqualTo(
                look(1) + "R640@1 R8@1 A8@1 R8@1 R4096@1 A8@1 A8@1 W632@1 W8@1 R8@1 A8@1");
    }

    @Test
    void aConfigurationOfAnyLengthIsToldFromEveryOther() {
        String columns = "column:long,".repeat(100);
        directory.open("wide", "map " + columns + "last:long", _ -> 0);
        directory.open("wide", "map " + columns + "last:long", _ -> 0);
        assertThatExceptionOfType(ConfigurationMismatchException.class)
                .isThrownBy(() -> directory.open("wide", "map " + columns + "last:double", _ -> 0))
                .satisfies(mismatch -> {
                    assertThat(mismatch.existing()).startsWith("map column:long,column:long,")
                            .matches(".*\\.\\.\\. bytes=1213 hash=[0-9a-f]{32}");
                    assertThat(mismatch.asked()).matches(".*\\.\\.\\. bytes=1215 hash=[0-9a-f]{32}");
                });
        assertThat(directory.structures(1)).singleElement().satisfies(structure -> {
            assertThat(structure.kind()).isEqualTo("map");
            assertThat(structure.configuration()).hasSize(512);
        });
    }

    @Test
    void theLongestConfigurationThatFitsIsKeptAsItIs() {
        String longest = "x".repeat(512);
        assertThat(DirectoryEntry.fitting(longest)).isEqualTo(longest);
        assertThat(DirectoryEntry.fitting(longest + "x")).hasSize(512)
                .endsWith("bytes=513 hash="
                        + DirectoryEntry.fitting(longest + "x").substring(480));
    }

    @Test
    void noCharacterOfALongConfigurationIsCutInTwo() {
        for (int ascii = 0; ascii < 4; ascii++) {
            String configuration = "x".repeat(ascii) + "\uD83C\uDFDD".repeat(200);
            String fitting = DirectoryEntry.fitting(configuration);
            String beginning = fitting.substring(0, fitting.indexOf("..."));
            assertThat(configuration).startsWith(beginning);
            assertThat(beginning.substring(ascii).codePoints()).containsOnly(0x1F3DD);
            assertThat(fitting.getBytes(UTF_8).length).isBetween(509, 512);
        }
    }

    @Test
    void aNameThatDoesNotFitIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> open(directory, "x".repeat(65)))
                .withMessage("a structure's name has 1 to 64 bytes: bytes=65 name=" + "x".repeat(65));
        assertThatIllegalArgumentException().isThrownBy(() -> open(directory, ""))
                .withMessage("a structure's name has 1 to 64 bytes: bytes=0 name=");
        open(directory, "x".repeat(64));
    }

    /** Each half of a pair becomes a question mark in the directory: the names of two structures would be one. */
    @Test
    void aNameWithHalfOfACharacterIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> open(directory, "half \uD83C"))
                .withMessage("half of a surrogate pair is in no name: name=half \uD83C");
        assertThat(directory.structures(0)).isEmpty();
        open(directory, "whole \uD83C\uDFDD");
    }

    @Test
    void thereIsNoLimitToNames() {
        int names = 3 * Directory.ENTRIES;
        List<long[]> offsets = new ArrayList<>();
        for (int structure = 0; structure < names; structure++) {
            offsets.add(directory.open("structure" + structure, "nothing", _ -> 64));
        }
        assertThat(directory.tables(0)).hasSize(4).doesNotHaveDuplicates();
        assertThat(directory.structures(0)).hasSize(names)
                .extracting(NamedStructure::name)
                .doesNotHaveDuplicates()
                .allMatch(name -> name.startsWith("structure"));
        for (int structure = 0; structure < names; structure++) {
            assertThat(directory.open("structure" + structure, "nothing", _ -> 64)).isEqualTo(offsets.get(structure));
        }
        assertThatExceptionOfType(ConfigurationMismatchException.class)
                .isThrownBy(() -> directory.open("structure" + (names - 1), "other", _ -> 64));
        assertThat(directory.repairAll(0)).isFalse();
    }

    /** Leaves slabs free that are no neighbours. */
    private void leaveSingleSlabs(int rank, int slabs) {
        List<Long> runs = new ArrayList<>();
        while (self.heap().usage(rank).freeBytes() > 0) {
            runs.add(self.heap().reserve(rank, self.heap().slabBytes()));
        }
        for (int slab = 0; slab < slabs; slab++) {
            self.heap().free(rank, runs.get(2 * slab));
        }
    }

    @Test
    void aStructureOfOneSlabIsOpenedThoughThereIsNoRoomForAWholeTable() {
        for (int structure = 0; structure < Directory.ENTRIES - 1; structure++) {
            directory.open("structure" + structure, "nothing", _ -> 64);
        }
        for (int rank = 0; rank < 2; rank++) {
            leaveSingleSlabs(rank, 12);
        }
        List<long[]> offsets = new ArrayList<>();
        for (int structure = 0; structure < 9; structure++) {
            offsets.add(directory.open("late" + structure, "nothing", _ -> 64));
        }
        assertThat(directory.tables(0)).hasSize(3);
        assertThat(directory.tableBytes(0, directory.tables(0).getLast())).isLessThan(self.heap().slabBytes());
        assertThatExceptionOfType(SegmentFullException.class)
                .isThrownBy(() -> directory.open("one more", "nothing", _ -> 8192));
        Directory other = participant(new RecordingFabric(simulation.fabric(1))).directory();
        for (int structure = 8; structure >= 0; structure--) {
            assertThat(other.open("late" + structure, "nothing", _ -> 64)).isEqualTo(offsets.get(structure));
        }
        assertThat(other.structures(1)).hasSize(Directory.ENTRIES - 1 + 9);
        assertThat(other.agreedAt(1, "seed")).isEmpty();
    }

    @Test
    void openingTakesAsManyVerbsHoweverManyNamesThereAre() {
        RecordingFabric fabric = new RecordingFabric(simulation.fabric(0));
        Directory recorded = participant(fabric).directory();
        int names = 3 * Directory.ENTRIES;
        for (int structure = 0; structure < names; structure++) {
            recorded.open("structure" + structure, "nothing", _ -> 64);
        }
        recorded.open("last", "nothing", _ -> 64);
        assertThat(fabric.record(() -> recorded.open("structure0", "nothing", _ -> 64)).entries()).isEmpty();
        Journal journal = fabric.record(() -> recorded.open("one more", "nothing", _ -> 64));
        assertThat(text(journal)).startsWith(look(0) + look(1));
        assertThat(journal.entries()).hasSizeLessThan(2 * Directory.ENTRIES + 60);
    }

    @Test
    void aDirectoryThatReachesTheNextSegmentOfARankKnowsNothingOfTheLostOne() {
        for (int structure = 0; structure < 2 * Directory.ENTRIES; structure++) {
            directory.open("structure" + structure, "block", _ -> BLOCK_BYTES, OnLoss.EMPTY);
        }
        Endpoint endpoint = self.endpoint();
        endpoint.write(1, 0, MemorySegment.ofArray(new long[(int) (SEGMENT_BYTES / Long.BYTES)]), 0, SEGMENT_BYTES);
        endpoint.flush(1);

        Directory renewed = directory.by(endpoint, self.heap(), self.reservations());
        renewed.open("structure1", "block", _ -> BLOCK_BYTES, OnLoss.EMPTY);
        assertThat(renewed.structures(1)).singleElement()
                .extracting(NamedStructure::name)
                .isEqualTo("structure1");
    }

    /**
     * Finding that a rank cannot be reached may take long, and other ranks wait for entries that are not ready yet.
     */
    @Test
    void whatCanBeReadyIsReadyBeforeWhatWasLostIsUndone() {
        List<String> steps = new ArrayList<>();
        Directory losing = new Directory(self.endpoint(), new Heap(self.endpoint(), HEAP, 1), self.liveness(),
                self.reservations(), 0, Directory.ENTRIES, 1) {
            @Override
            Creation creation(Endpoint endpoint, Heap heap, int rank, long entry, long reservation) {
                return new LosingCreation(endpoint, heap, rank, entry, reservation, steps);
            }
        };
        assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(() -> open(losing, "orders"));
        assertThat(steps).containsExactly("publish 0", "publish 1", "undo 0");
    }

    @Test
    void anUndoingThatFailsUnexpectedlyKeepsNoOtherPartFromBeingUndone() {
        boolean[] fails = {true};
        Directory failing = new Directory(self.endpoint(), new Heap(self.endpoint(), HEAP, 1), self.liveness(),
                self.reservations(), 0, Directory.ENTRIES, 1) {
            @Override
            Creation creation(Endpoint endpoint, Heap heap, int rank, long entry, long reservation) {
                return new Creation(endpoint, heap, rank, entry, reservation) {
                    @Override
                    void undo() {
                        if (rank == 0 && fails[0]) {
                            throw new IllegalStateException("injected");
                        }
                        super.undo();
                    }
                };
            }
        };
        assertThatIllegalStateException()
                .isThrownBy(() -> failing.open("orders", "large", rank -> rank == 0 ? BLOCK_BYTES : SEGMENT_BYTES))
                .withMessage("injected");
        assertThat(self.reservations().inDoubt()).isEqualTo(1);
        fails[0] = false;
        self.reservations().retryAll();
        assertThat(self.reservations().inDoubt()).isZero();
        open(failing, "orders");
    }

    /** Its connection to rank 0 breaks. */
    private static final class LosingCreation extends Creation {

        private final List<String> steps;

        LosingCreation(Endpoint endpoint, Heap heap, int rank, long entry, long reservation, List<String> steps) {
            super(endpoint, heap, rank, entry, reservation);
            this.steps = steps;
        }

        @Override
        void publish() {
            steps.add("publish " + rank);
            if (rank == 0) {
                throw new RankUnreachableException("the connection broke", "write", rank, entry);
            }
            super.publish();
        }

        @Override
        void undo() {
            steps.add("undo " + rank);
            super.undo();
        }
    }
}
