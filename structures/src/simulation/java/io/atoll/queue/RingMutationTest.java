package io.atoll.queue;

import static io.atoll.fabric.sim.SimOptions.SHARED_MEMORY;
import static io.atoll.fabric.sim.SimOptions.TCP;
import static io.atoll.fabric.sim.SimOptions.WEAKEST;

import io.atoll.Patch;
import io.atoll.codec.Codec;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import io.atoll.queue.QueueWorld.Rings;
import io.atoll.queue.QueueWorld.Use;
import io.atoll.world.Liveness;
import io.atoll.world.Participant;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The seeds that {@link RingSimulationTest} passes find each mistake in {@link Ring} and {@link DeadTicketSkipper}. */
@Tag("simulation")
class RingMutationTest {

    private static void assertIsFound(SimOptions options, Codec<Long> codec, Rings rings, Use use) {
        QueueMutation.assertIsFound(RingSimulationTest.SEEDS,
                QueueWorld.trial(options.maximumSteps(20_000), codec, rings, use));
    }

    /** The fabrics on which ranks use the queue while a mistake is built in. They pause at any step, or die. */
    private enum Program implements Runnable {

        PAUSING(QueueWorld.pausing(WEAKEST)),

        PAUSING_IN_SHARED_MEMORY(QueueWorld.pausing(SHARED_MEMORY)),

        PAUSING_OVER_TCP(QueueWorld.pausing(TCP)),

        PAUSING_ON_EVERY_FABRIC(SimOptions.EVERY_FABRIC.stream().map(QueueWorld::pausing).toArray(SimOptions[]::new)),

        DYING(QueueWorld.dying(WEAKEST));

        private final List<SimOptions> options;

        Program(SimOptions... options) {
            this.options = List.of(options);
        }

        @Override
        public void run() {
            options.forEach(each -> assertIsFound(each, QueueWorld.WIDE, QueueWorld.RIGHT, Use.PUSH_AND_POP));
        }
    }

    private static final String DRAWS = ""
            + "            ticket = drawAndWrite(batch, known, count, arrivesWhole() || onlyPushes);\n";
    private static final String WRITES = "write(batch, ticket, count, arrivesWhole() || onlyPushes);\n";
    private static final String BEGINS_TO_POP = "        while (!RingBlock.isMarked(ticket)) {\n";

    /** The mistake of BCL: a push draws a ticket first, and gives it back if the queue was full. */
    static final Patch GIVES_TICKETS_BACK = new Patch(Ring.class).replace(DRAWS, """
            ticket = endpoint.getAndAdd(host, block.header + RingBlock.TAIL, count);
            if (!hasRoom(ticket, count)) {
                endpoint.getAndAdd(host, block.header + RingBlock.TAIL, -count);
                ticket = FULL;
            } else {
            """ + WRITES + "}\n");

    @Test
    void aTicketThatIsGivenBackIsFound() {
        GIVES_TICKETS_BACK.run(Program.PAUSING);
    }

    /** The mistake of BCL in a pop: it draws a ticket first, and gives it back if the queue was empty. */
    static final Patch GIVES_CLAIMS_BACK = new Patch(Ring.class).replace(BEGINS_TO_POP, """
            if (true) {
                ticket = endpoint.getAndAdd(host, block.header + RingBlock.HEAD, 1);
                if (ticket >= tail.read()) {
                    endpoint.getAndAdd(host, block.header + RingBlock.HEAD, -1);
                    return EMPTY;
                }
                read(batch, ticket, 1, read, false);
                return 1;
            }
            """ + BEGINS_TO_POP);

    @Test
    void aClaimThatIsGivenBackIsFound() {
        GIVES_CLAIMS_BACK.run(Program.PAUSING);
    }

    /** Draws a ticket after a look at the remembered head. A pusher that has drawn one too many waits for room. */
    @Test
    void aTicketDrawnByGetAndAddIsFound() {
        new Patch(Ring.class).replace(DRAWS, """
                ticket = endpoint.getAndAdd(host, block.header + RingBlock.TAIL, count);
                var backoff = new io.atoll.fabric.Backoff(endpoint.clock(), io.atoll.fabric.Backoff.UNBOUNDED);
                while (ticket + count - head.read() > block.capacity) {
                    backoff.pause();
                }
                """ + WRITES).run(Program.PAUSING);
    }

    static final Patch LOOKS_AT_THE_HEAD_FIRST = new Patch(Ring.class).replace(DRAWS, """
            long left = head.read();
            ticket = tail.read() + count - left > block.capacity ? FULL
                    : drawAndWrite(batch, known, count, arrivesWhole() || onlyPushes);
            """);

    @Test
    void fullDecidedByAHeadReadBeforeTheTailIsFound() {
        LOOKS_AT_THE_HEAD_FIRST.run(Program.PAUSING_IN_SHARED_MEMORY);
    }

    static final Patch IS_EMPTY_AT_AN_UNWRITTEN_TICKET = new Patch(Ring.class)
            .replace("boolean atEnd = ticket == RingBlock.ticket(drawn);", "boolean atEnd = true;");

    @Test
    void anUnwrittenTicketThatIsTakenForAnEmptyQueueIsFound() {
        IS_EMPTY_AT_AN_UNWRITTEN_TICKET.run(Program.PAUSING);
    }

    @Test
    void aPayloadReadBeforeItsStampIsFound() {
        new Patch(Ring.class).replace("boolean whole = arrivesWhole() || onlyPops;", "boolean whole = true;")
                .run(Program.PAUSING_ON_EVERY_FABRIC);
    }

    @Test
    void aStampWrittenBeforeItsPayloadIsFound() {
        new Patch(Ring.class)
                .replace("drawAndWrite(batch, known, count, arrivesWhole() || onlyPushes);",
                        "drawAndWrite(batch, known, count, true);")
                .run(Program.PAUSING_ON_EVERY_FABRIC);
    }

    @Test
    void aTicketClaimedBeforeItsSlotIsReadIsFound() {
        new Patch(Ring.class).replace(BEGINS_TO_POP, """
                if (true) {
                    ticket = head.read();
                    if (tail.read() == ticket) {
                        return EMPTY;
                    }
                    if (head.compareAndExchange(ticket, ticket + 1) != ticket) {
                        return pop(batch, most, onlyPops);
                    }
                    var backoff = new io.atoll.fabric.Backoff(endpoint.clock(), io.atoll.fabric.Backoff.UNBOUNDED);
                    do {
                        backoff.pause();
                        read(batch, ticket, 1, read, false);
                    } while (Slot.ticket(batch.word(0)) < ticket);
                    return 1;
                }
                """ + BEGINS_TO_POP).run(Program.PAUSING);
    }

    static final Patch WRITES_UNGUARDED = new Patch(Ring.class).replace("        batch.guard(exchange);\n", "");

    @Test
    void aSlotThatIsWrittenByWhoHasNotDrawnItsTicketIsFound() {
        WRITES_UNGUARDED.run(Program.PAUSING);
    }

    static final Patch CLAIMS_UNGUARDED = new Patch(Ring.class).replace("        batch.guard(ready);\n", "");

    @Test
    void aTicketClaimedThoughItsSlotIsNotReadyIsFound() {
        CLAIMS_UNGUARDED.run(Program.PAUSING_OVER_TCP);
    }

    @Test
    void ticketsClaimedThoughOnlyTheLastSlotIsReadyAreFound() {
        // A search for each slot: otherwise there are two only where the ring ends.
        new Patch(Ring.class).replace("1 + (Batch.SEARCH_BYTES - Layouts.WORD) / slot.size", "1")
                .replace("            batch.guard(last);\n            index", "            index")
                .run(Program.PAUSING_OVER_TCP);
    }

    @Test
    void ticketsClaimedThoughOnlyTheLastSlotOfASearchIsReadyAreFound() {
        new Patch(Ring.class)
                .replace("bytes, 1, tests, tested);", "bytes, 1, tests + (tested - 1) * WordTest.BYTES, 1);")
                .run(Program.PAUSING_OVER_TCP);
    }

    @Test
    void aPayloadThatWasReadTogetherWithItsStampIsFound() {
        new Patch(Ring.class)
                .replace("        readSlots(batch, ticket, count, position); // in a later batch than the stamps (2)\n",
                        "")
                .run(Program.PAUSING_OVER_TCP);
    }

    private static final String READS_SLOTS = "        readSlots(batch, ticket, count, position);\n"
            + "        return ready;\n";

    @Test
    void aPayloadReadBeforeItsStampInOneBatchIsFound() {
        new Patch(Ring.class).replace(READS_SLOTS, "        return ready;\n")
                .replace("        int ready = search(batch, ticket, count, tests);\n",
                        "readSlots(batch, ticket, count, "
                                + "position); int ready = search(batch, ticket, count, tests);\n")
                .run(Program.PAUSING_OVER_TCP);
    }

    @Test
    void aPayloadReadAfterItsTicketIsClaimedIsFound() {
        new Patch(Ring.class).replace(READS_SLOTS, "        return ready;\n")
                .replace("int claim = claim(batch, ready, ticket, count);\n        batch.complete();",
                        "int claim = claim(batch, ready, ticket, count); batch.unguard();"
                                + "readSlots(batch, ticket, count, position); batch.complete();")
                .run(Program.PAUSING_OVER_TCP);
    }

    static final Patch SKIPS_AT_ONCE = new Patch(DeadTicketSkipper.class)
            .replace("pushAnnouncements.holder(ring, ticket)", "Reservations.NOBODY");

    @Test
    void aTicketThatIsSkippedWithoutAskingWhoHoldsItIsFound() {
        SKIPS_AT_ONCE.run(Program.DYING);
    }

    /** Takes every announcement back before it draws. */
    private record AnnouncesNothing() implements Rings {

        @Override
        public PushAnnouncements announcements(Participant participant, long[] blocks) {
            return new PushAnnouncements("queue", participant, blocks) {

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
        assertIsFound(QueueWorld.dying(WEAKEST), QueueWorld.WIDE, ANNOUNCES_NOTHING, Use.PUSH_AND_POP);
    }

    /** Treats a rank as dead before it is fenced. */
    private record DoesNotWaitForTheFence() implements Rings {

        @Override
        public Liveness liveness(Simulation simulation) {
            return (rank, incarnation, segment) -> simulation.isDead(rank, incarnation);
        }
    }

    @Test
    void aDeadTicketSkippedBeforeTheFenceIsFound() {
        // Slots that are another ring's by then show a late write soonest.
        assertIsFound(QueueWorld.dying(SHARED_MEMORY), QueueWorld.NARROW, new DoesNotWaitForTheFence(), Use.MOVE_TOO);
    }
}
