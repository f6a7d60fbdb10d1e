package io.atoll.collective;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.Endpoint;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import io.atoll.memory.Layouts;
import io.atoll.world.Participant;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Tests a window of which a member comes back with another segment. */
class RenewedWindowTest {

    private static final long SEGMENT_BYTES = 256 << 10;
    private static final long BLOCK = SEGMENT_BYTES / 2;
    private static final long PIECE_BYTES = 2 * Layouts.WORD;
    private static final int SLOTS = 2;
    private static final long BYTES = (SLOTS + 1) * PIECE_BYTES; // one piece more than there is room for

    private final Simulation simulation = new Simulation(1, SimOptions.ranks(2).segmentBytes(SEGMENT_BYTES));
    private final int[] incarnations = {1, 1};

    private Window window(Participant self) {
        long[] blocks = {BLOCK, BLOCK};
        return new Window(self, Team.all(2), new BroadcastBlock(2, BYTES, SLOTS), blocks, PIECE_BYTES);
    }

    private Participant participant(int rank) {
        return new Participant(simulation.endpoint(rank), 1, simulation::isFenced, Duration.ofSeconds(10),
                incarnations::clone);
    }

    @Test
    void whatIsUnderWayIsGivenUpBeforeAnythingIsSentToTheOtherSegment() {
        Participant self = participant(0);
        Window window = window(self);
        window.look();
        window(participant(1)).look();
        assertThat(window.begin(0, BYTES, Algorithm.BINOMIAL)).isTrue();
        assertThat(window.sendOn()).isFalse();
        assertThat(window.ongoingBroadcast()).isNotNull();

        incarnations[1] = 2;
        self.renew(new Endpoint(simulation.fabric(0)), 1);
        window.passOn();

        assertThat(window.ongoingBroadcast()).isNull();
        assertThat(window.generation().incarnations()).containsExactly(1, 2);
    }
}
