package io.atoll.promise;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.fabric.Endpoint;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import io.atoll.fabric.trace.RecordingFabric;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Broken promises are found on every fabric, whatever the order of steps. */
@Tag("simulation")
class PromiseWatchTest {

    static final List<Guarantees> EVERY_FABRIC = SimOptions.EVERY_FABRIC;

    private static final int RANKS = 3;
    private static final long[] TABLES = {4096, 8192, 12288};

    private enum Kind implements Use {
        READ(1, 3), READ_ONLY(1, 1), WRITE(2, 3), WRITE_ALONE(4, 4);

        private final int operation;
        private final int allowed;

        Kind(int operation, int allowed) {
            this.operation = operation;
            this.allowed = allowed;
        }

        @Override
        public int operation() {
            return operation;
        }

        @Override
        public int allowed() {
            return allowed;
        }
    }

    /** A structure as users would call it. */
    private static final class Structure {

        private final PromiseWatch watch;

        Structure(Fabric fabric, LongSupplier lastBarrier) {
            watch = new PromiseWatch("things", List.of(Structure.class), Arrays.asList(Kind.values()),
                    new Endpoint(fabric),
                    lastBarrier, TABLES);
        }

        void use(Kind kind) {
            watch.enter(kind);
        }
    }

    private static SimOptions options(Guarantees guarantees) {
        return SimOptions.ranks(RANKS).guarantees(guarantees);
    }

    private final AtomicLong barriers = new AtomicLong();

    private Structure at(Simulation simulation, int rank) {
        return new Structure(simulation.fabric(rank), barriers::get);
    }

    private static void readOnly(Structure structure) {
        structure.use(Kind.READ_ONLY);
    }

    private static void write(Structure structure) {
        structure.use(Kind.WRITE);
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void aBrokenPromiseIsFoundAndBothCallSitesAreNamed(Guarantees guarantees) {
        Simulation simulation = new Simulation(1, options(guarantees));
        Structure other = at(simulation, 2);
        readOnly(other);
        assertThatExceptionOfType(BrokenPromiseException.class).isThrownBy(() -> write(at(simulation, 0)))
                .withMessageStartingWith("these two may not come between the same two barriers: structure=things")
                .withMessageEndingWith("rank=2")
                .satisfies(broken -> assertThat(broken.here()).startsWith("WRITE at ")
                        .contains("PromiseWatchTest.write(PromiseWatchTest.java:"))
                .satisfies(broken -> assertThat(broken.there()).startsWith("READ_ONLY at ")
                        .contains("PromiseWatchTest.readOnly(PromiseWatchTest.java:"));
        readOnly(other);
        readOnly(at(simulation, 1));
        assertThatThrownBy(() -> write(other)).as("by the same rank").isInstanceOf(BrokenPromiseException.class);
    }

    @Test
    void whatWasRefusedBreaksNobodysPromise() {
        Simulation simulation = new Simulation(1, options(SimOptions.NETWORK_CARD));
        readOnly(at(simulation, 2));
        assertThatThrownBy(() -> write(at(simulation, 0))).isInstanceOf(BrokenPromiseException.class);
        readOnly(at(simulation, 0));
        readOnly(at(simulation, 1));
    }

    @Test
    void whatNobodyHasRuledOutIsAllowed() {
        Simulation simulation = new Simulation(1, options(SimOptions.NETWORK_CARD));
        at(simulation, 0).use(Kind.READ);
        at(simulation, 1).use(Kind.READ_ONLY);
        at(simulation, 2).use(Kind.READ);
        barriers.incrementAndGet();
        at(simulation, 0).use(Kind.READ);
        at(simulation, 1).use(Kind.WRITE);
        barriers.incrementAndGet();
        at(simulation, 1).use(Kind.WRITE_ALONE);
        assertThatThrownBy(() -> at(simulation, 1).use(Kind.READ)).isInstanceOf(BrokenPromiseException.class);
    }

    @Test
    void aBarrierSeparates() {
        Simulation simulation = new Simulation(1, options(SimOptions.NETWORK_CARD));
        Structure reader = at(simulation, 1);
        Structure writer = at(simulation, 0);
        for (int phase = 0; phase < 3; phase++) {
            readOnly(reader);
            barriers.incrementAndGet();
            write(writer);
            assertThatThrownBy(() -> readOnly(reader)).isInstanceOf(BrokenPromiseException.class);
            barriers.incrementAndGet();
        }
    }

    @Test
    void whoIsNotTheFirstPaysNothing() {
        RecordingFabric fabric = new RecordingFabric(new Simulation(1, options(SimOptions.NETWORK_CARD)).fabric(0));
        Structure structure = new Structure(fabric, barriers::get);
        var first = fabric.record(() -> structure.use(Kind.READ));
        assertThat(first.writes()).isEqualTo(2);
        assertThat(first.reads()).isEqualTo(RANKS);
        assertThat(first.atomics()).isZero();
        assertThat(fabric.record(() -> structure.use(Kind.READ))).hasToString("no verb");
        barriers.incrementAndGet();
        assertThat(fabric.record(() -> structure.use(Kind.READ)).reads()).isEqualTo(RANKS);
    }

    private static void judge(long seed, Guarantees guarantees, boolean flushed) {
        var simulation = new Simulation(seed, options(guarantees).pauses(0.02));
        List<Integer> passed = new ArrayList<>();
        simulation.run(rank -> {
            var watch = new PromiseWatch("things", List.of(Structure.class), Arrays.asList(Kind.values()),
                    new Endpoint(rank.fabric()), () -> 7, TABLES) {
                @Override
                void flush(int target) {
                    if (flushed) {
                        super.flush(target);
                    }
                }
            };
            Kind use = rank.rank() == 0 ? Kind.WRITE : Kind.READ_ONLY;
            try {
                watch.enter(use);
                passed.add(rank.rank());
            } catch (BrokenPromiseException broken) {
                assertThat(broken.there()).contains(" at ");
            }
        });
        if (passed.contains(0)) {
            assertThat(passed).as("who may not be together").containsExactly(0);
        }
    }

    @Test
    void ofTwoThatConflictOneIsRefusedWhateverTheirSteps() {
        for (Guarantees guarantees : EVERY_FABRIC) {
            Seeds.each(1_000, seed -> judge(seed, guarantees, true));
        }
    }

    @Test
    void aMarkThatHasNotArrivedBeforeTheLookIsFound() {
        assertThat(Seeds.untilFailure(1_000, seed -> judge(seed, SimOptions.SHARED_MEMORY, false))).isPositive();
    }

    @Test
    void theTableLiesAsItIsDrawn() {
        assertThat(PromiseWatch.MARKS).isZero();
        assertThat(PromiseWatch.SITES).isEqualTo(64);
        assertThat(PromiseWatch.TABLE_BYTES).isEqualTo(64 + 8 * 256);
    }
}
