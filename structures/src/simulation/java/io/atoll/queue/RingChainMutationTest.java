package io.atoll.queue;

import static io.atoll.fabric.sim.SimOptions.WEAKEST;
import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.queue.QueueWorld.Rings;
import io.atoll.queue.QueueWorld.Use;
import io.atoll.world.Participant;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Each mistake in {@link RingChain} is found by the seeds that {@link RingChainSimulationTest} passes. */
@Tag("simulation")
class RingChainMutationTest {

    private static void assertIsFound(SimOptions options, Rings rings) {
        int seed = Seeds.untilFailure(RingChainSimulationTest.SEEDS, number -> {
            try {
                QueueWorld.trial(options.maximumSteps(20_000), QueueWorld.WIDE, rings, Use.MOVE_TOO).run(number);
            } catch (AssertionError found) {
                if (!found.getMessage()
                        .matches("(?s)(not linearizable|torn|somebody waits for ever|.*does not go on).*")) {
                    throw new IllegalStateException("another failure than the mistake's", found);
                }
                throw found;
            }
        });
        assertThat(seed).isPositive();
    }

    private static final Rings DRAWS_FROM_A_CLOSED_RING = (participant, block, announcements, drawn,
            popped) -> new TicketRing("queue", participant, block, announcements, drawn, popped) {

                @Override
                long draw(long known, int count) {
                    long witness = tail.compareAndExchange(known, known + count);
                    while (witness != known && witness < 0 && hasRoom(RingBlock.ticket(witness), count)) {
                        // A ticket behind the mark.
                        if (tail.compareAndExchange(witness, witness + count) == witness) {
                            return RingBlock.ticket(witness);
                        }
                        witness = tail.read();
                    }
                    return witness == known ? known : super.draw(RingBlock.ticket(witness), count);
                }
            };

    @Test
    void aTicketDrawnFromARingThatIsClosedIsFound() {
        assertIsFound(QueueWorld.pausing(WEAKEST), DRAWS_FROM_A_CLOSED_RING);
    }

    private static final Rings LEAVES_EARLY = (participant, block, announcements, drawn,
            popped) -> new TicketRing("queue", participant, block, announcements, drawn, popped) {

                @Override
                boolean isAtEnd(long ticket, long end) {
                    return ticket == end || RingBlock.isMarked(tail.last());
                }
            };

    @Test
    void aPopperWhoGoesOnBeforeTheRingIsDrainedIsFound() {
        assertIsFound(QueueWorld.pausing(WEAKEST), LEAVES_EARLY);
    }

    /** Links a ring and does not close the one before: pushers stay. */
    private record NeverCloses() implements Rings {

        @Override
        public TicketRing open(Participant participant, RingBlock block, Announcements announcements, long drawn,
                long popped) {
            return QueueWorld.RIGHT.open(participant, block, announcements, drawn, popped);
        }

        @Override
        public RingChain chain(Participant participant, RingBlock first, long oldestWord, Announcements announcements,
                RingChain.Rings rings, List<RingBlock> freed) {
            return new QueueWorld.WatchedChain(participant, first, oldestWord, announcements, rings, freed) {

                @Override
                long close(TicketRing ring) {
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
