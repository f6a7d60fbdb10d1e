package io.atoll.queue;

import static io.atoll.fabric.sim.SimOptions.WEAKEST;

import io.atoll.Patch;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.queue.QueueWorld.Rings;
import io.atoll.queue.QueueWorld.Use;
import io.atoll.world.Participant;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The seeds that {@link RingChainSimulationTest} passes find each mistake in {@link RingChain} and its rings. */
@Tag("simulation")
class RingChainMutationTest {

    private static void assertIsFound(SimOptions options, Rings rings) {
        QueueMutation.assertIsFound(RingChainSimulationTest.SEEDS,
                QueueWorld.trial(options.maximumSteps(20_000), QueueWorld.WIDE, rings, Use.MOVE_TOO));
    }

    /** Ranks pause at any step. */
    private static final class Pausing implements Runnable {

        @Override
        public void run() {
            assertIsFound(QueueWorld.pausing(WEAKEST), QueueWorld.RIGHT);
        }
    }

    @Test
    void aTicketDrawnFromARingThatIsClosedIsFound() {
        new Patch(Ring.class)
                .replace("if (RingBlock.isMarked(ticket) || !hasRoom(ticket, count)) {",
                        "if (!hasRoom(RingBlock.ticket(ticket), count)) {")
                .replace("                return ticket;\n", "                return RingBlock.ticket(ticket);\n")
                .run(Pausing.class);
    }

    @Test
    void aPopperWhoGoesOnBeforeTheRingIsDrainedIsFound() {
        new Patch(Ring.class).replace("boolean atEnd = ticket == RingBlock.ticket(drawn);",
                "boolean atEnd = ticket == RingBlock.ticket(drawn) || RingBlock.isMarked(tail.last());")
                .run(Pausing.class);
    }

    /** Links a ring and does not close the one before: pushers stay. */
    private record NeverCloses() implements Rings {

        @Override
        public RingChain chain(Participant participant, RingBlock first, long oldestWord,
                PushAnnouncements pushAnnouncements,
                RingChain.Rings rings, List<RingBlock> freed) {
            return new QueueWorld.WatchedChain(participant, first, oldestWord, pushAnnouncements, rings, freed) {

                @Override
                long close(Ring ring) {
                    return ring.tail.read();
                }
            };
        }
    }

    @Test
    void aRingThatIsLeftAndNotClosedIsFound() {
        assertIsFound(QueueWorld.pausing(WEAKEST), new NeverCloses());
    }
}
