package io.atoll.world.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.Endpoint;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import io.atoll.world.Participant;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What is done for those that died in the middle of something, without a wait. */
class ReservationsRepairTest {

    private static final Doing DOING = new Doing("insert into", "map");

    private final AtomicInteger repaired = new AtomicInteger();
    private final Simulation simulation = new Simulation(1, SimOptions.ranks(2).segmentBytes(192 << 10));

    private Reservations reservations(Liveness liveness) {
        return new Participant(new Endpoint(simulation.fabric(0)), 1, liveness, Duration.ofSeconds(1),
                () -> new int[]{1, 1}).reservations();
    }

    @Test
    void aRepairIsDoneAndCountedForItsStructure() {
        Reservations reservations = reservations((_, _, _) -> false);
        reservations.repair(repaired::incrementAndGet, DOING);
        assertThat(repaired).hasValue(1);
        assertThat(reservations.repairs()).isEqualTo(1);
        assertThat(reservations.repairs("map")).isEqualTo(1);
        assertThat(reservations.repairs("other")).isZero();
    }

    @Test
    void whatTheDeadHaveReservedIsRepairedAndWhatTheLivingHaveIsNot() {
        Reservations reservations = reservations((rank, incarnation, _) -> rank == 1 && incarnation <= 3);
        assertThat(reservations.isRepaired(0, 1, 3, repaired::incrementAndGet, DOING)).isTrue();
        assertThat(repaired).hasValue(1);
        assertThat(reservations.isRepaired(0, 1, 4, repaired::incrementAndGet, DOING)).isFalse();
        assertThat(repaired).hasValue(1);
    }
}
