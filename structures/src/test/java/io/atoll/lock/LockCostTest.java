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
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

class LockCostTest {

    static final List<Guarantees> EVERY_FABRIC = SimOptions.EVERY_FABRIC;

    private static final long SEGMENT_BYTES = 192 << 10;
    private static final long TABLE = SEGMENT_BYTES - (8 << 10);
    private static final long LINE = SEGMENT_BYTES - (16 << 10);
    private static final int HERE = 0;
    private static final int THERE = 1;

    /** One process. */
    private static final class Process {

        private final RecordingFabric fabric;
        private final ProcessLocks locks;
        private @Nullable Hold hold;

        private Process(Guarantees guarantees) {
            var simulation = new Simulation(1, SimOptions.ranks(2).segmentBytes(SEGMENT_BYTES).guarantees(guarantees));
            this.fabric = new RecordingFabric(simulation.fabric(HERE));
            var self = Participants.of(fabric, simulation::isFenced);
            var descriptors = QueueLocks.descriptors(self, TABLE, 4);
            this.locks = new ProcessLocks(descriptors,
                    QueueLocks.asymmetric(descriptors, BackgroundTasks.unthreaded(fabric.clock())));
        }

        private Journal acquiring(int owner) {
            return fabric.record(() -> {
                hold = locks.acquire(0, owner, LINE, WaitLimit.UNBOUNDED);
                assertThat(hold).isNotNull();
            });
        }

        private Journal releasing() {
            return fabric.record(() -> assertThat(Objects.requireNonNull(hold).release()).isTrue());
        }
    }

    private static String kinds(Journal journal) {
        return journal.entries().stream().map(entry -> entry.kind().name()).collect(Collectors.joining(" "));
    }

    @Test
    void anUncontendedRemoteLockTakesAnAtomicAndOneRoundTripOfWriteAndRead() {
        var process = new Process(SimOptions.NETWORK_CARD);
        Journal acquiring = process.acquiring(THERE);
        assertThat(kinds(acquiring)).isEqualTo("A W R");
        assertThat(acquiring.roundTrips()).isEqualTo(2);
        Journal releasing = process.releasing();
        assertThat(kinds(releasing)).isEqualTo("W A");
        assertThat(releasing.roundTrips()).isEqualTo(1);
    }

    /** Returns the round trips of acquiring and of releasing. */
    private static CostPage.RoundTrips roundTrips(int owner) {
        return CostPage.counted(guarantees -> new Process(guarantees).acquiring(owner).roundTrips(), guarantees -> {
            var process = new Process(guarantees);
            process.acquiring(owner);
            return process.releasing().roundTrips();
        });
    }

    @Test
    void theRoundTripsAreThoseOfThePage() throws IOException {
        assertThat(CostPage.read()).containsEntry("lock, by the owner's threads", roundTrips(HERE))
                .containsEntry("lock / unlock, by others", roundTrips(THERE))
                .containsEntry("lock / unlock", roundTrips(THERE));
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void theOwnersThreadsUseNoVerb(Guarantees guarantees) {
        var process = new Process(guarantees);
        assertThat(process.acquiring(HERE)).hasToString("no verb");
        assertThat(process.releasing()).hasToString("no verb");
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void whereALineDoesNotArriveWholeItIsReadInTwoParts(Guarantees guarantees) {
        var process = new Process(guarantees);
        assertThat(kinds(process.acquiring(THERE))).isEqualTo(guarantees.atomicReadBytes() < 64 ? "A W R R" : "A W R");
    }
}
