package io.atoll.queue;

import static io.atoll.fabric.sim.SimOptions.TCP;
import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.Patch;
import io.atoll.fabric.sim.Seeds;
import io.atoll.queue.QueueWorld.Use;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Mistakes in the rounds of asynchronous pushes and pops must not go unnoticed: the seeds find each of them. */
@Tag("simulation")
class AsyncQueueMutationTest {

    private static final int SEEDS = 2_000;

    private static void assertIsFound(Seeds.Trial trial) {
        int seed = Seeds.untilFailure(SEEDS, number -> {
            try {
                trial.run(number);
            } catch (AssertionError found) {
                if (!found.getMessage()
                        .matches("(?s)(not linearizable|torn|somebody waits for ever|.*does not go on"
                                + "|.*announcements|.*is not sorted|.*in the ring that follows).*")) {
                    throw new IllegalStateException("another failure than the mistake's", found);
                }
                throw found;
            }
        });
        assertThat(seed).isPositive();
    }

    private static final class Pausing implements Runnable {

        @Override
        public void run() {
            assertIsFound(
                    AsyncQueueTrials.trial(QueueWorld.pausing(TCP), QueueWorld.WIDE, Use.PUSH_AND_POP));
        }
    }

    private static final class Doubting implements Runnable {

        @Override
        public void run() {
            assertIsFound(AsyncQueueTrials.doubtingTrial(TCP, QueueWorld.WIDE));
        }
    }

    /** The queue is full most of the time. */
    private static final class Crowding implements Runnable {

        @Override
        public void run() {
            assertIsFound(AsyncQueueTrials.crowdedTrial(TCP, QueueWorld.NARROW));
        }
    }

    /** The queue is empty most of the time. */
    private static final class Emptying implements Runnable {

        @Override
        public void run() {
            assertIsFound(AsyncQueueTrials.emptiedTrial(TCP, QueueWorld.NARROW));
        }
    }

    private static final class Drained implements Runnable {

        @Override
        public void run() {
            assertIsFound(AsyncQueueTrials.drained(TCP, QueueWorld.NARROW));
        }
    }

    /** More is popped from a closed ring than is there, and nobody writes what follows. */
    private static final class Closed implements Runnable {

        @Override
        public void run() {
            assertIsFound(AsyncQueueTrials.closed(TCP, QueueWorld.NARROW));
        }
    }

    /** A rank dies that moves a full queue. */
    private static final class Linked implements Runnable {

        @Override
        public void run() {
            assertIsFound(AsyncQueueTrials.cutShort(TCP, QueueWorld.NARROW));
        }
    }

    private static final class Breaking implements Runnable {

        @Override
        public void run() {
            assertIsFound(AsyncQueueTrials.breakingTrial(TCP, QueueWorld.WIDE));
        }
    }

    private static final class Erring implements Runnable {

        @Override
        public void run() {
            assertIsFound(AsyncQueueTrials.erringTrial(TCP, QueueWorld.WIDE));
        }
    }

    private static final class Dying implements Runnable {

        @Override
        public void run() {
            assertIsFound(AsyncQueueTrials.dyingTrial(TCP, QueueWorld.NARROW));
        }
    }

    private static final class InOrder implements Runnable {

        @Override
        public void run() {
            assertIsFound(AsyncQueueTrials.inOrder(QueueWorld.NARROW));
        }
    }

    // --- pushes ---

    @Test
    void ticketsThatWereNotDrawnAndAreTakenForDrawnAreFound() {
        new Patch(PushOperation.class).replace("if (drawn == ticket) {", "if (drawn >= 0) {").run(Pausing.class);
    }

    @Test
    void aPushWithoutATicketThatIsTakenForDoneIsFound() {
        new Patch(PushOperation.class)
                .replace("answer(count, true);", "answer(left(), true);")
                .run(Pausing.class);
    }

    @Test
    void elementsOfABatchInAnotherOrderAreFound() {
        new Patch(PushOperation.class)
                .replace("left(index).place(buffer, ring", "left(count - 1 - index).place(buffer, ring")
                .run(InOrder.class);
    }

    @Test
    void fullThoughThereIsRoomForOneIsFound() {
        new Patch(PushOperation.class)
                .replace("drawn - popped < ring.block.capacity", "drawn - popped < ring.block.capacity - 1")
                .run(Pausing.class);
    }

    @Test
    void fullDecidedByAHeadReadBeforeTheTailIsFound() {
        String head = "        head.read(batch, position + Layouts.WORD); "
                + "// (8) after the tail was known: see hasRoom\n";
        new Patch(Ring.class).replace(head, "")
                .replace("        if (readsTail) {\n            tail.read(batch, position);\n",
                        "head.read(batch, position + Layouts.WORD);\n if (readsTail) {\n tail.read(batch, position);\n")
                .run(Crowding.class);
    }

    @Test
    void fullOfARingThatIsNotTheLastIsFound() {
        new Patch(PushOperation.class)
                .replace("batch.word(words + 2 * Layouts.WORD) != RingReference.NONE", "batch.word(words) == -1")
                .run(Linked.class);
    }

    @Test
    void anAnnouncementThatIsEndedBeforeTheSlotsAreWrittenIsFound() {
        String push = "exchange = ring.addPush(batch, ticket, count, position);";
        new Patch(PushOperation.class).replace(push, push + " ring.endAnnouncement(announcement);").run(Doubting.class);
    }

    @Test
    void anAnnouncementInARingWithoutAUserIsFound() {
        new Patch(PushAnnouncements.class).replace("        if (registered == ring) {\n            for",
                "        if (ring.host >= 0) {\n            for").run(Dying.class);
    }

    @Test
    void anAnnouncementThatStaysAfterAFailureIsFound() {
        new Patch(PushOperation.class)
                .replace("        return announcement != PushAnnouncements.NOT_BEGUN;", "        return false;")
                .run(Breaking.class);
    }

    @Test
    void anAnnouncementThatStaysAfterAnErrorIsFound() {
        new Patch(PushOperation.class)
                .replace("            return Step.AFTERWARDS;", "            return Step.DONE;")
                .run(Erring.class);
    }

    // --- pops ---

    @Test
    void aClaimThatFailedAndIsTakenForDoneIsFound() {
        new Patch(PopOperation.class).replace("batch.succeeded(claim)", "batch.answered(claim)").run(Pausing.class);
    }

    @Test
    void anUnwrittenTicketThatIsTakenForAnEmptyQueueIsFound() {
        new Patch(PopOperation.class)
                .replace("if (popped == drawn && ", "if ((popped == drawn || !isClaimed && popped == ticket) && ")
                .run(Pausing.class);
    }

    @Test
    void emptyDecidedByATailReadBeforeTheHeadIsFound() {
        String head = "        head.read(batch, position);\n";
        String tail = "        tail.read(batch, position + Layouts.WORD); // (9) after the head";
        new Patch(Ring.class).replace(head + tail,
                "tail.read(batch, position + Layouts.WORD); head.read(batch, position); //").run(Emptying.class);
    }

    @Test
    void aDrainedRingThatIsTakenForAnEmptyQueueIsFound() {
        new Patch(PopOperation.class).replace("popped == drawn && !RingBlock.isMarked(drawn)", "popped == drawn")
                .run(Drained.class);
    }

    @Test
    void aTicketOfAClosedRingThatKeepsTheMarkIsFound() {
        new Patch(Guess.class).replace("RingBlock.ticket(asked.last())", "asked.last()").run(Closed.class);
    }
}
