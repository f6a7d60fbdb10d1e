package io.atoll.queue;

import static io.atoll.fabric.sim.SimOptions.TCP;

import io.atoll.Patch;
import io.atoll.fabric.sim.Seeds;
import io.atoll.queue.QueueWorld.Use;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Mistakes in the rounds of asynchronous pushes and pops must not go unnoticed: the seeds find each of them. */
@Tag("simulation")
class AsyncQueueMutationTest {

    private static final int SEEDS = 2_000;

    /** What ranks do while a mistake is built in. */
    private enum Program implements Runnable {

        PAUSING(AsyncQueueTrials.trial(QueueWorld.pausing(TCP), QueueWorld.WIDE, Use.PUSH_AND_POP)),

        DOUBTING(AsyncQueueTrials.doubtingTrial(TCP, QueueWorld.WIDE)),

        /** The queue is full most of the time. */
        CROWDING(AsyncQueueTrials.crowdedTrial(TCP, QueueWorld.NARROW)),

        /** The queue is empty most of the time. */
        EMPTYING(AsyncQueueTrials.emptiedTrial(TCP, QueueWorld.NARROW)),

        DRAINED(AsyncQueueTrials.drained(TCP, QueueWorld.NARROW)),

        /** More is popped from a closed ring than is there, and nobody writes what follows. */
        CLOSED(AsyncQueueTrials.closed(TCP, QueueWorld.NARROW)),

        /** A rank dies that moves a full queue. */
        LINKED(AsyncQueueTrials.cutShort(TCP, QueueWorld.NARROW)),

        BREAKING(AsyncQueueTrials.breakingTrial(TCP, QueueWorld.WIDE)),

        ERRING(AsyncQueueTrials.erringTrial(TCP, QueueWorld.WIDE)),

        DYING(AsyncQueueTrials.dyingTrial(TCP, QueueWorld.NARROW)),

        IN_ORDER(AsyncQueueTrials.inOrder(QueueWorld.NARROW));

        private final Seeds.Trial trial;

        Program(Seeds.Trial trial) {
            this.trial = trial;
        }

        @Override
        public void run() {
            QueueMutation.assertIsFound(SEEDS, trial);
        }
    }

    // --- pushes ---

    @Test
    void ticketsThatWereNotDrawnAndAreTakenForDrawnAreFound() {
        new Patch(PushOperation.class).replace("if (drawn == ticket) {", "if (drawn >= 0) {").run(Program.PAUSING);
    }

    @Test
    void aPushWithoutATicketThatIsTakenForDoneIsFound() {
        new Patch(PushOperation.class)
                .replace("answer(count, true);", "answer(left(), true);")
                .run(Program.PAUSING);
    }

    @Test
    void elementsOfABatchInAnotherOrderAreFound() {
        new Patch(PushOperation.class)
                .replace("left(index).place(buffer, ring", "left(count - 1 - index).place(buffer, ring")
                .run(Program.IN_ORDER);
    }

    @Test
    void fullThoughThereIsRoomForOneIsFound() {
        new Patch(PushOperation.class)
                .replace("drawn - popped < ring.block.capacity", "drawn - popped < ring.block.capacity - 1")
                .run(Program.PAUSING);
    }

    @Test
    void fullDecidedByAHeadReadBeforeTheTailIsFound() {
        String head = "        head.read(batch, position + Layouts.WORD); "
                + "// (8) after the tail was known: see hasRoom\n";
        new Patch(Ring.class).replace(head, "")
                .replace("        if (readsTail) {\n            tail.read(batch, position);\n",
                        "head.read(batch, position + Layouts.WORD);\n if (readsTail) {\n tail.read(batch, position);\n")
                .run(Program.CROWDING);
    }

    @Test
    void fullOfARingThatIsNotTheLastIsFound() {
        new Patch(PushOperation.class)
                .replace("batch.word(words + 2 * Layouts.WORD) != RingReference.NONE", "batch.word(words) == -1")
                .run(Program.LINKED);
    }

    @Test
    void anAnnouncementThatIsEndedBeforeTheSlotsAreWrittenIsFound() {
        String push = "exchange = ring.addPush(batch, ticket, count, position);";
        new Patch(PushOperation.class)
                .replace(push, push + " ring.endAnnouncement(announcement);")
                .run(Program.DOUBTING);
    }

    @Test
    void anAnnouncementInARingWithoutAUserIsFound() {
        new Patch(PushAnnouncements.class).replace("        if (registered == ring) {\n            for",
                "        if (ring.host >= 0) {\n            for").run(Program.DYING);
    }

    @Test
    void anAnnouncementThatStaysAfterAFailureIsFound() {
        new Patch(PushOperation.class)
                .replace("        return announcement != PushAnnouncements.NOT_BEGUN;", "        return false;")
                .run(Program.BREAKING);
    }

    @Test
    void anAnnouncementThatStaysAfterAnErrorIsFound() {
        new Patch(PushOperation.class)
                .replace("            return Step.AFTERWARDS;", "            return Step.DONE;")
                .run(Program.ERRING);
    }

    // --- pops ---

    @Test
    void aClaimThatFailedAndIsTakenForDoneIsFound() {
        new Patch(PopOperation.class).replace("batch.succeeded(claim)", "batch.answered(claim)").run(Program.PAUSING);
    }

    @Test
    void anUnwrittenTicketThatIsTakenForAnEmptyQueueIsFound() {
        new Patch(PopOperation.class)
                .replace("if (popped == drawn && ", "if ((popped == drawn || !isClaimed && popped == ticket) && ")
                .run(Program.PAUSING);
    }

    @Test
    void emptyDecidedByATailReadBeforeTheHeadIsFound() {
        String head = "        head.read(batch, position);\n";
        String tail = "        tail.read(batch, position + Layouts.WORD); // (9) after the head";
        new Patch(Ring.class).replace(head + tail,
                "tail.read(batch, position + Layouts.WORD); head.read(batch, position); //").run(Program.EMPTYING);
    }

    @Test
    void aDrainedRingThatIsTakenForAnEmptyQueueIsFound() {
        new Patch(PopOperation.class).replace("popped == drawn && !RingBlock.isMarked(drawn)", "popped == drawn")
                .run(Program.DRAINED);
    }

    @Test
    void aTicketOfAClosedRingThatKeepsTheMarkIsFound() {
        new Patch(Guess.class).replace("RingBlock.ticket(asked.last())", "asked.last()").run(Program.CLOSED);
    }
}
