package io.atoll.queue;

import static io.atoll.fabric.sim.SimOptions.SHARED_MEMORY;
import static io.atoll.fabric.sim.SimOptions.WEAKEST;
import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.codec.Codec;
import io.atoll.fabric.Backoff;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import io.atoll.queue.QueueWorld.Rings;
import io.atoll.queue.QueueWorld.Use;
import io.atoll.world.Liveness;
import io.atoll.world.Participant;
import io.atoll.world.Reservations;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Each mistake in {@link TicketRing} is found by the seeds that {@link TicketRingSimulationTest} passes. */
@Tag("simulation")
class TicketRingMutationTest {

    /** A ring with a mistake in it. */
    static class Ring extends TicketRing {

        Ring(Participant participant, RingBlock block, Announcements announcements, long drawn, long popped) {
            super("queue", participant, block, announcements, drawn, popped);
        }

        final long addToTail(long delta) {
            return endpoint.getAndAdd(block.host, block.header + RingBlock.TAIL, delta);
        }

        final long addToHead(long delta) {
            return endpoint.getAndAdd(block.host, block.header + RingBlock.HEAD, delta);
        }
    }

    /**
     * The mistake must show by what it does to the queue's users: results that no order explains, torn elements, or
     * waits that do not end. A run that ends for another reason does not count.
     */
    private static void assertIsFound(SimOptions options, Rings rings) {
        assertIsFound(options, QueueWorld.WIDE, rings);
    }

    private static void assertIsFound(SimOptions options, Codec<Long> codec, Rings rings) {
        int seed = Seeds.untilFailure(TicketRingSimulationTest.SEEDS, number -> {
            try {
                QueueWorld.trial(options.maximumSteps(20_000), codec, rings, Use.PUSH_AND_POP).run(number);
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

    /** The mistake of BCL: a push draws a ticket first, and gives it back if the queue was full. */
    static final Rings GIVES_TICKETS_BACK = (participant, block, announcements, drawn, popped) -> new Ring(participant,
            block, announcements, drawn, popped) {

        @Override
        long draw(long known, int count) {
            long ticket = addToTail(count);
            if (hasRoom(ticket, count)) {
                return ticket;
            }
            addToTail(-count);
            return FULL;
        }
    };

    @Test
    void aTicketThatIsGivenBackIsFound() {
        assertIsFound(QueueWorld.pausing(WEAKEST), GIVES_TICKETS_BACK);
    }

    /** The mistake of BCL in a pop: it draws a ticket first, and gives it back if the queue was empty. */
    static final Rings GIVES_CLAIMS_BACK = (participant, block, announcements, drawn, popped) -> new Ring(participant,
            block, announcements, drawn, popped) {

        @Override
        int pop(Batch batch, int most, boolean onlyPops) {
            long ticket = addToHead(1);
            if (ticket >= tail.read()) {
                addToHead(-1);
                return EMPTY;
            }
            read(batch, ticket, 1, read(most), false);
            return 1;
        }
    };

    @Test
    void aClaimThatIsGivenBackIsFound() {
        assertIsFound(QueueWorld.pausing(WEAKEST), GIVES_CLAIMS_BACK);
    }

    /** Draws a ticket after a look at the remembered head. A pusher that has drawn one too many waits for room. */
    static final Rings OVERSHOOTS = (participant, block, announcements, drawn, popped) -> new Ring(participant, block,
            announcements, drawn, popped) {

        @Override
        long draw(long known, int count) {
            long ticket = addToTail(count);
            var backoff = new Backoff(endpoint.clock(), Backoff.UNBOUNDED);
            while (ticket + count - head.read() > block.capacity) {
                backoff.pause();
            }
            return ticket;
        }
    };

    @Test
    void aTicketDrawnByGetAndAddIsFound() {
        assertIsFound(QueueWorld.pausing(WEAKEST), OVERSHOOTS);
    }

    static final Rings LOOKS_AT_THE_HEAD_FIRST = (participant, block, announcements, drawn,
            popped) -> new Ring(participant, block, announcements, drawn, popped) {

                @Override
                long draw(long known, int count) {
                    long left = head.read();
                    return tail.read() + count - left > block.capacity ? FULL : super.draw(known, count);
                }
            };

    @Test
    void fullDecidedByAHeadReadBeforeTheTailIsFound() {
        assertIsFound(QueueWorld.pausing(WEAKEST), LOOKS_AT_THE_HEAD_FIRST);
    }

    static final Rings IS_EMPTY_AT_A_HOLE = (participant, block, announcements, drawn, popped) -> new Ring(participant,
            block, announcements, drawn, popped) {

        @Override
        boolean isAtEnd(long ticket, long drawn) {
            return true;
        }
    };

    @Test
    void aHoleThatIsTakenForAnEmptyQueueIsFound() {
        assertIsFound(QueueWorld.pausing(WEAKEST), IS_EMPTY_AT_A_HOLE);
    }

    static final Rings READS_IN_ANY_ORDER = (participant, block, announcements, drawn, popped) -> new Ring(participant,
            block, announcements, drawn, popped) {

        @Override
        int pop(Batch batch, int most, boolean onlyPops) {
            return super.pop(batch, most, true);
        }
    };

    @Test
    void aPayloadReadBeforeItsStampIsFound() {
        for (Guarantees guarantees : SimOptions.EVERY_FABRIC) {
            assertIsFound(QueueWorld.pausing(guarantees), READS_IN_ANY_ORDER);
        }
    }

    static final Rings WRITES_IN_ANY_ORDER = (participant, block, announcements, drawn, popped) -> new Ring(participant,
            block, announcements, drawn, popped) {

        @Override
        void write(Batch batch, long ticket, int count, boolean whole) {
            super.write(batch, ticket, count, true);
        }
    };

    @Test
    void aStampWrittenBeforeItsPayloadIsFound() {
        for (Guarantees guarantees : SimOptions.EVERY_FABRIC) {
            assertIsFound(QueueWorld.pausing(guarantees), WRITES_IN_ANY_ORDER);
        }
    }

    static final Rings CLAIMS_FIRST = (participant, block, announcements, drawn, popped) -> new Ring(participant, block,
            announcements, drawn, popped) {

        @Override
        int pop(Batch batch, int most, boolean onlyPops) {
            long ticket = head.read();
            if (tail.read() == ticket) {
                return EMPTY;
            }
            if (head.compareAndExchange(ticket, ticket + 1) != ticket) {
                return pop(batch, most, onlyPops);
            }
            var backoff = new Backoff(endpoint.clock(), Backoff.UNBOUNDED);
            do {
                backoff.pause();
                read(batch, ticket, 1, read(most), false);
            } while (Slot.ticket(batch.word(0)) < ticket);
            return 1;
        }
    };

    @Test
    void aTicketClaimedBeforeItsSlotIsReadIsFound() {
        assertIsFound(QueueWorld.pausing(WEAKEST), CLAIMS_FIRST);
    }

    static final Rings SKIPS_AT_ONCE = (participant, block, announcements, drawn, popped) -> new Ring(participant,
            block, announcements, drawn, popped) {

        @Override
        Holes holes(String queue, Participant self, Announcements known) {
            return new Holes(queue, self, block, tail, head, known) {

                @Override
                int holder(long ticket) {
                    return Reservations.NOBODY;
                }
            };
        }
    };

    @Test
    void aHoleThatIsSkippedWithoutAskingWhoHoldsItIsFound() {
        assertIsFound(QueueWorld.dying(WEAKEST), SKIPS_AT_ONCE);
    }

    /** Takes every announcement back before it draws. */
    private record AnnouncesNothing() implements Rings {

        @Override
        public TicketRing open(Participant participant, RingBlock block, Announcements announcements, long drawn,
                long popped) {
            return QueueWorld.RIGHT.open(participant, block, announcements, drawn, popped);
        }

        @Override
        public Announcements announcements(Participant participant, long[] blocks) {
            return new Announcements("queue", participant, blocks) {

                @Override
                long begin(RingBlock ring, long ticket) {
                    long announcement = super.begin(ring, ticket);
                    end(announcement);
                    return announcement;
                }
            };
        }
    }

    static final Rings ANNOUNCES_NOTHING = new AnnouncesNothing();

    @Test
    void aPushThatIsNotAnnouncedIsFound() {
        assertIsFound(QueueWorld.dying(WEAKEST), ANNOUNCES_NOTHING);
    }

    /** Treats a rank as dead before it is fenced. */
    private record DoesNotWaitForTheFence() implements Rings {

        @Override
        public TicketRing open(Participant participant, RingBlock block, Announcements announcements, long drawn,
                long popped) {
            return QueueWorld.RIGHT.open(participant, block, announcements, drawn, popped);
        }

        @Override
        public Liveness liveness(Simulation simulation) {
            return (rank, incarnation, segment) -> simulation.isDead(rank, incarnation);
        }
    }

    @Test
    void aHoleSkippedBeforeTheFenceIsFound() {
        assertIsFound(QueueWorld.dying(SHARED_MEMORY), QueueWorld.NARROW, new DoesNotWaitForTheFence());
    }
}
