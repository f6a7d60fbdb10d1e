package io.atoll;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.array.Array;
import io.atoll.array.DistributedArray;
import io.atoll.epoch.EpochManager;
import io.atoll.epoch.EpochSettings;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import io.atoll.fabric.trace.Journal;
import io.atoll.fabric.trace.RecordingFabric;
import io.atoll.filter.BloomFilter;
import io.atoll.filter.LongBloomFilter;
import io.atoll.linked.LinkedQueue;
import io.atoll.linked.LinkedStack;
import io.atoll.lock.LockTable;
import io.atoll.map.CostWorld;
import io.atoll.map.DistributedMap;
import io.atoll.map.LongLongMap;
import io.atoll.memory.SegmentHeader;
import io.atoll.queue.CircularQueue;
import io.atoll.queue.FastQueue;
import io.atoll.queue.LongCircularQueue;
import io.atoll.world.Participant;
import io.atoll.world.Participants;
import io.atoll.world.StructureBuilder;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Counts the round trips of a process that opens structures that others have created. */
class OpeningCostTest {

    private static final int HOST = 0;
    private static final int OPENER = 1;

    /** Ten structures, as an application has them. Begins to open them for a rank. */
    private static List<StructureBuilder<?, ?>> ten(Participant self) {
        var epochs = new EpochManager(() -> self, EpochSettings.DEFAULT);
        return List.of(
                DistributedMap.builder("users", Long.class, Long.class, () -> self, epochs).capacity(1_000),
                DistributedMap.builder("names", String.class, String.class, () -> self, epochs).capacity(1_000),
                LongLongMap.builder("hits", () -> self, epochs).capacity(1_000),
                BloomFilter.builder("seen", String.class, () -> self).expectedElements(1_000),
                LongBloomFilter.builder("seen numbers", () -> self).expectedElements(1_000),
                FastQueue.builder("jobs", Long.class, () -> self).capacity(8).host(HOST),
                LinkedStack.builder("free", Long.class, () -> self, epochs).host(HOST),
                Array.builder("levels", Long.class, () -> self).length(8).host(HOST),
                DistributedArray.builder("pages", Long.class, () -> self).length(8),
                LockTable.builder("locks", () -> self).locks(8));
    }

    private static void open(List<StructureBuilder<?, ?>> structures) {
        structures.forEach(StructureBuilder::open);
    }

    /** Returns the verbs of a process that opens what another one has created. */
    private static Journal opening(int ranks, Guarantees guarantees) {
        var simulation = new Simulation(1,
                SimOptions.ranks(ranks).segmentBytes(8 << 20).guarantees(guarantees).unmapped());
        Participant host = Participants.amongTheLiving(simulation.fabric(HOST));
        for (int rank = 0; rank < ranks; rank++) {
            host.endpoint().writeWord(rank, SegmentHeader.bornWord(), 1); // as a process does that has joined
        }
        open(ten(host));
        var fabric = new RecordingFabric(simulation.fabric(OPENER));
        Participant opener = Participants.amongTheLiving(fabric);
        return fabric.record(() -> open(ten(opener)));
    }

    /** Queues of whose words a process knows nothing before it uses them. */
    private static List<StructureBuilder<?, ?>> queues(Participant self) {
        var epochs = new EpochManager(() -> self, EpochSettings.DEFAULT);
        return List.of(CircularQueue.builder("ring", Long.class, () -> self).capacity(8).host(HOST),
                LongCircularQueue.builder("ring of numbers", () -> self).capacity(8).host(HOST),
                LinkedQueue.builder("list", Long.class, () -> self, epochs).host(HOST));
    }

    @Test
    void queuesThatAreKnownAreOpenedWithoutAVerb() {
        var simulation = new Simulation(1, SimOptions.ranks(CostWorld.RANKS).segmentBytes(8 << 20).unmapped());
        Participant host = Participants.amongTheLiving(simulation.fabric(HOST));
        for (int rank = 0; rank < CostWorld.RANKS; rank++) {
            host.endpoint().writeWord(rank, SegmentHeader.bornWord(), 1); // as a process does that has joined
        }
        open(ten(host));
        open(queues(host));
        var fabric = new RecordingFabric(simulation.fabric(OPENER));
        Participant opener = Participants.amongTheLiving(fabric);
        open(ten(opener));
        assertThat(fabric.record(() -> open(queues(opener))).entries()).isEmpty();
    }

    @Test
    void tenStructuresAreOpenedInTheRoundTripsOfThePage() throws IOException {
        assertThat(CostPage.read()).containsEntry("ten structures that are there: to open them all",
                CostPage.counted(guarantees -> opening(CostWorld.RANKS, guarantees)
                        .roundTrips()));
    }

    /** The entries of all ranks take more than the buffer of a batch. */
    @Test
    void theyTakeOneRoundTripMoreInAWorldOfEightRanks() {
        assertThat(opening(8, CostWorld.GUARDING).roundTrips()).isEqualTo(4);
    }
}
