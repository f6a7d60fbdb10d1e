package io.atoll.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.codec.Codecs;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.SimRank;
import io.atoll.fabric.sim.Simulation;
import io.atoll.heap.HeapUsage;
import io.atoll.world.Handle;
import io.atoll.world.Participant;
import io.atoll.world.Participants;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A rank that dies while it moves a queue, at any step, loses no element and no memory. */
@Tag("simulation")
class FastRingDeathTest {

    private static final int STEPS = 250;
    private static final int RANKS = 2;
    private static final int MOVER = 1;
    private static final int MOVES = 3;
    private static final long SEGMENT_BYTES = 192 << 10;
    private static final long BLOCK = SEGMENT_BYTES - (8 << 10);
    private static final List<Long> ELEMENTS = List.of(1L, 2L, 3L, 4L, 5L);

    /** The mover dies at one step. */
    private static final class Trial {

        private final Simulation simulation;
        private final int step;
        private boolean isPushed;

        private Trial(int step) {
            this.step = step;
            this.simulation = new Simulation(step, SimOptions.ranks(RANKS)
                    .segmentBytes(SEGMENT_BYTES)
                    .guarantees(SimOptions.EVERY_FABRIC.get(step % SimOptions.EVERY_FABRIC.size()))
                    .killAt(MOVER, step));
        }

        private Participant participant(SimRank rank) {
            return Participants.of(rank, Duration.ofSeconds(1));
        }

        private static FastQueue<Long> open(Participant self) {
            var rings = new FastRings("queue", self, 0, BLOCK, Long.BYTES, 2 * ELEMENTS.size());
            return new FastQueue<>("queue", Codecs.forType(Long.class), new Handle<>(() -> rings));
        }

        /** The mover dies, comes back, takes back what it has left, and goes on. Returns how often it has died. */
        private int run() {
            Simulation.Program program = rank -> {
                if (rank.rank() == MOVER) {
                    move(rank);
                }
            };
            simulation.onDeath(program).run(program);
            check();
            return simulation.incarnation(MOVER) - 1;
        }

        private void move(SimRank rank) {
            Participant self = participant(rank);
            for (int segment = 0; segment < RANKS; segment++) {
                self.recover(segment);
            }
            FastQueue<Long> queue = open(self);
            if (!isPushed) {
                queue.popEncoded(MemorySegment.ofArray(new long[2 * ELEMENTS.size()]));
                assertThat(queue.push(ELEMENTS)).isTrue();
                rank.endpoint().flush(queue.host());
                isPushed = true;
            }
            for (int move = 0; move < MOVES; move++) {
                queue.migrate(move % RANKS);
            }
        }

        private void check() {
            Participant self = participant(simulation.rank(MOVER));
            List<Long> popped = new ArrayList<>(open(self).pop(2 * ELEMENTS.size()));
            assertThat(popped).as("step=%d", step).containsExactlyElementsOf(ELEMENTS);
            long owned = 0;
            for (int rank = 0; rank < RANKS; rank++) {
                HeapUsage usage = self.heap().usage(rank);
                assertThat(usage.pendingRuns()).as("step=%d rank=%d: runs that are pending", step, rank).isZero();
                owned += usage.ownedRuns();
            }
            assertThat(owned).as("step=%d: runs, of which the last ring has one", step).isOne();
        }
    }

    @Test
    void nothingIsLostWhereverTheMoverDies() {
        int deaths = 0;
        for (int step = 1; step <= STEPS; step++) {
            deaths += new Trial(step).run();
        }
        assertThat(deaths).isGreaterThan(STEPS / 2);
    }
}
