package io.atoll.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.CostPage;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import io.atoll.fabric.trace.Journal;
import io.atoll.fabric.trace.RecordingFabric;
import io.atoll.world.Participants;
import java.io.IOException;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

class SpinCostTest {

    static final List<Guarantees> EVERY_FABRIC = SimOptions.EVERY_FABRIC;

    private record Cost(Journal acquiring, Journal releasing) {}

    private static final long SEGMENT_BYTES = 192 << 10;
    private static final long TABLE = SEGMENT_BYTES - (8 << 10);
    private static final long LINE = SEGMENT_BYTES - (16 << 10);

    private static Cost cost(Guarantees guarantees, int owner) {
        var simulation = new Simulation(1, SimOptions.ranks(2).segmentBytes(SEGMENT_BYTES).guarantees(guarantees));
        var fabric = new RecordingFabric(simulation.fabric(0));
        var self = Participants.of(fabric, simulation::isFenced);
        var lock = new SpinLock(
                QueueLocks.descriptors(self, TABLE, 4),
                BackgroundTasks.unthreaded(fabric.clock()));
        Hold[] hold = new Hold[1];
        Journal acquiring = fabric.record(() -> hold[0] = lock.acquire(0, owner, LINE, WaitLimit.UNBOUNDED));
        Journal releasing = fabric.record(() -> assertThat(hold[0].release()).isTrue());
        return new Cost(acquiring, releasing);
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void anAtomicAndAReadLockAndAWriteAndAnAtomicUnlockForTheOwnerToo(Guarantees guarantees) {
        for (int owner = 0; owner < 2; owner++) {
            Cost cost = cost(guarantees, owner);
            assertThat(kinds(cost.acquiring())).isEqualTo("A R");
            assertThat(cost.acquiring().roundTrips()).isOne();
            assertThat(kinds(cost.releasing())).isEqualTo("W A");
            assertThat(cost.releasing().roundTrips()).isOne();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void theRoundTripsAreThoseOfThePage(int owner) throws IOException {
        assertThat(CostPage.read()).containsEntry("the same of a spin lock, by any thread",
                CostPage.counted(guarantees -> cost(guarantees, owner).acquiring().roundTrips(),
                        guarantees -> cost(guarantees, owner).releasing().roundTrips()));
    }

    private static String kinds(Journal journal) {
        return journal.entries().stream().map(entry -> entry.kind().name()).collect(Collectors.joining(" "));
    }
}
