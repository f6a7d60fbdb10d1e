package io.atoll.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.exhaustive.Exploration;
import io.atoll.fabric.exhaustive.Exploration.Outcome;
import io.atoll.fabric.exhaustive.Process;
import io.atoll.fabric.exhaustive.Process.Program;
import io.atoll.fabric.sim.History.Call;
import io.atoll.fabric.sim.Linearizability;
import io.atoll.memory.Layouts;
import io.atoll.queue.QueueWorld.Rings;
import io.atoll.world.Liveness;
import io.atoll.world.Participants;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests {@link Ring} itself. The verbs of a few operations take effect in every possible order, with a death
 * between any two of them. The fabric is one where slots arrive whole. In programs with deaths, a popper that meets a
 * unwritten ticket asks if it may be skipped. In other programs its pop remains open.
 */
@Tag("simulation")
class EveryOrderTest {

    private static final int RANKS = 3;
    private static final int CAPACITY = 2;
    private static final Slot SLOT = new Slot(Long.BYTES);
    private static final long HOST_BYTES = Layouts.roundUp(QueueBlock.bytesAtHome(RANKS, CAPACITY, SLOT),
            Layouts.CACHE_LINE);
    private static final long[] BLOCKS = {0, HOST_BYTES, HOST_BYTES + QueueBlock.bytes()};
    private static final RingBlock FIRST = RingBlock.first(RANKS, 0, QueueBlock.FIRST_RING, CAPACITY, SLOT);
    /** Behind the blocks, a word for each rank: not 0 if the rank is fenced. */
    private static final long FENCED = HOST_BYTES + 2 * QueueBlock.bytes();

    /** Thrown by a pop that would have to wait. */
    private static final class Waits extends RuntimeException {

        private static final long serialVersionUID = 1L;
    }

    private static long fenced(int rank) {
        return FENCED + rank * Layouts.WORD;
    }

    private static Ring ring(Fabric fabric, Rings rings) {
        Liveness liveness = (rank, incarnation, segment) -> fabric.readWord(0, fenced(rank)) != 0;
        var participant = Participants.of(fabric, liveness);
        return new Ring("queue", participant, FIRST, rings.announcements(participant, BLOCKS), 0, 0);
    }

    /** Uses a new ring for each run: what a process remembers is part of its behaviour. */
    private static Program<QueueOperation, List<Long>> using(Rings rings, QueueOperation... operations) {
        return using(rings, false, operations);
    }

    private static Program<QueueOperation, List<Long>> using(Rings rings, boolean asks, QueueOperation... operations) {
        return process -> () -> {
            Ring ring = ring(process.fabric(), rings);
            for (QueueOperation operation : operations) {
                perform(process, ring, asks, operation);
            }
        };
    }

    private static void perform(Process<QueueOperation, List<Long>> process, Ring ring, boolean asks,
            QueueOperation operation) {
        try {
            process.call(operation, () -> operation.kind() == QueueOperation.Kind.PUSH
                    ? push(ring, operation.elements())
                    : pop(ring, asks, operation.most()));
        } catch (Waits open) {
            assertThat(operation.kind()).isEqualTo(QueueOperation.Kind.POP);
        }
    }

    private static List<Long> push(Ring ring, List<Long> elements) {
        Batch batch = ring.batch();
        for (int index = 0; index < elements.size(); index++) {
            batch.setWord(Ring.toPush(SLOT, index), elements.get(index));
        }
        return ring.push(batch, elements.size(), false) == Ring.PUSHED
                ? QueueOperation.PUSHED
                : QueueOperation.FULL;
    }

    private static List<Long> pop(Ring ring, boolean asks, int most) {
        Batch batch = ring.batch();
        int count = ring.pop(batch, most, false);
        for (int holes = 0; asks && count == Ring.PENDING && holes < CAPACITY; holes++) {
            ring.deadTicketSkipper().trySkip();
            count = ring.pop(batch, most, false);
        }
        if (count == Ring.PENDING) {
            throw new Waits();
        }
        List<Long> elements = new ArrayList<>();
        for (int index = 0; index < count; index++) {
            elements.add(batch.word(Ring.popped(SLOT, most, index)));
        }
        return elements;
    }

    /** Returns an exploration in which every rank is a user. In the end everything that is there is popped. */
    private static Exploration<QueueOperation, List<Long>> exploration() {
        return exploration(false);
    }

    private static Exploration<QueueOperation, List<Long>> exploration(boolean overNetwork) {
        int words = (int) ((FENCED + RANKS * Layouts.WORD) / Layouts.WORD);
        QueueOperation pop = QueueOperation.pop(1);
        return new Exploration<QueueOperation, List<Long>>(words).before(process -> () -> {
            for (int rank = 0; rank < RANKS; rank++) {
                process.fabric().writeWord(0, FIRST.header + RingBlock.user(rank), 1);
                process.fabric().writeWord(rank, BLOCKS[rank] + QueueBlock.INCARNATION, 1);
            }
        }).afterwards(using(QueueWorld.RIGHT, true, pop, pop, pop, pop)).overNetwork(overNetwork);
    }

    /** Fences the rank, and does nothing else: operations that meet what it has left repair it. */
    private static Program<QueueOperation, List<Long>> fence(int rank) {
        return process -> () -> process.fabric().writeWord(0, fenced(rank), 1);
    }

    /** Returns true if the calls are those of a queue, and no unwritten ticket is left when all have ended. */
    private static boolean isRight(List<Call<QueueOperation, List<Long>>> calls) {
        boolean holeLeft = calls.stream().anyMatch(call -> call.thread().equals("afterwards") && call.isPending());
        return !holeLeft
                && Linearizability.holds(QueueOperation.judged(calls), QueueOperation.queue(CAPACITY));
    }

    private static Outcome<QueueOperation, List<Long>> explore(Exploration<QueueOperation, List<Long>> exploration) {
        return exploration.explore(EveryOrderTest::isRight);
    }

    private static void assertRight(Exploration<QueueOperation, List<Long>> exploration) {
        Outcome<QueueOperation, List<Long>> outcome = explore(exploration);
        assertThat(outcome.counterexample()).isNull();
        assertThat(outcome.states()).as("states").isGreaterThan(500);
    }

    private static void assertWrong(Exploration<QueueOperation, List<Long>> exploration) {
        assertThat(explore(exploration).counterexample()).isNotNull();
    }

    private static Program<QueueOperation, List<Long>> right(QueueOperation... operations) {
        return using(QueueWorld.RIGHT, operations);
    }

    private static Program<QueueOperation, List<Long>> asking(QueueOperation... operations) {
        return using(QueueWorld.RIGHT, true, operations);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void twoPushersAndAPopper(boolean overNetwork) {
        assertRight(exploration(overNetwork)
                .process(right(QueueOperation.push(1L), QueueOperation.push(2L)))
                .process(right(QueueOperation.push(3L)))
                .process(right(QueueOperation.pop(1))));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void twoPoppersAndAPusherAroundTheRing(boolean overNetwork) {
        assertRight(exploration(overNetwork)
                .process(right(QueueOperation.push(1L), QueueOperation.push(2L), QueueOperation.push(3L)))
                .process(right(QueueOperation.pop(1)))
                .process(right(QueueOperation.pop(1))));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void severalElementsAtOnce(boolean overNetwork) {
        assertRight(exploration(overNetwork)
                .process(right(QueueOperation.push(1L, 2L)))
                .process(right(QueueOperation.push(3L)))
                .process(right(QueueOperation.pop(2), QueueOperation.pop(2))));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aPusherWhoDiesBetweenAnyTwoStepsLeavesNoDeadTicket(boolean overNetwork) {
        assertRight(exploration(overNetwork)
                .mortal(right(QueueOperation.push(1L)), fence(0))
                .process(right(QueueOperation.push(2L)))
                .process(asking(QueueOperation.pop(1))));
        assertRight(exploration(overNetwork)
                .mortal(right(QueueOperation.push(1L, 2L)), fence(0))
                .process(asking(QueueOperation.pop(1), QueueOperation.push(3L))));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aPopperWhoDiesBetweenAnyTwoStepsLosesItsElementAtMost(boolean overNetwork) {
        assertRight(exploration(overNetwork)
                .mortal(right(QueueOperation.pop(1)), fence(0))
                .process(right(QueueOperation.push(1L), QueueOperation.push(2L)))
                .process(right(QueueOperation.pop(1))));
    }

    // --- mistakes ---

    private static final class OverfilledRing implements Runnable {

        @Override
        public void run() {
            assertWrong(exploration()
                    .process(right(QueueOperation.push(1L, 2L), QueueOperation.push(3L)))
                    .process(right(QueueOperation.push(4L)))
                    .process(right(QueueOperation.pop(1))));
        }
    }

    @Test
    void aTicketThatIsGivenBackIsFound() {
        RingMutationTest.GIVES_TICKETS_BACK.run(OverfilledRing.class);
    }

    private static final class TwoPops implements Runnable {

        @Override
        public void run() {
            assertWrong(exploration()
                    .process(right(QueueOperation.push(1L), QueueOperation.push(2L)))
                    .process(right(QueueOperation.pop(1)))
                    .process(right(QueueOperation.pop(1))));
        }
    }

    @Test
    void aClaimThatIsGivenBackIsFound() {
        RingMutationTest.GIVES_CLAIMS_BACK.run(TwoPops.class);
    }

    private static final class PopBetweenPushes implements Runnable {

        @Override
        public void run() {
            assertWrong(exploration()
                    .process(right(QueueOperation.push(1L)))
                    .process(right(QueueOperation.push(2L)))
                    .process(right(QueueOperation.pop(1))));
        }
    }

    @Test
    void anUnwrittenTicketThatIsTakenForAnEmptyQueueIsFound() {
        RingMutationTest.IS_EMPTY_AT_AN_UNWRITTEN_TICKET.run(PopBetweenPushes.class);
    }

    private static final class NearlyFullRing implements Runnable {

        @Override
        public void run() {
            assertWrong(exploration()
                    .process(right(QueueOperation.push(1L)))
                    .process(right(QueueOperation.push(2L), QueueOperation.push(3L)))
                    .process(right(QueueOperation.pop(1))));
        }
    }

    @Test
    void fullDecidedByAHeadReadBeforeTheTailIsFound() {
        RingMutationTest.LOOKS_AT_THE_HEAD_FIRST.run(NearlyFullRing.class);
    }

    private static final class PopThatAsks implements Runnable {

        @Override
        public void run() {
            assertWrong(exploration()
                    .process(right(QueueOperation.push(1L)))
                    .process(right(QueueOperation.push(2L)))
                    .process(asking(QueueOperation.pop(1))));
        }
    }

    private static final class TwoPushesOverNetwork implements Runnable {

        @Override
        public void run() {
            assertWrong(exploration(true)
                    .process(right(QueueOperation.push(1L)))
                    .process(right(QueueOperation.push(2L)))
                    .process(right(QueueOperation.pop(1))));
        }
    }

    @Test
    void aSlotThatIsWrittenByWhoHasNotDrawnItsTicketIsFound() {
        RingMutationTest.WRITES_UNGUARDED.run(TwoPushesOverNetwork.class);
    }

    @Test
    void aTicketClaimedThoughItsSlotIsNotReadyIsFound() {
        RingMutationTest.CLAIMS_UNGUARDED.run(TwoPushesOverNetwork.class);
    }

    @Test
    void aTicketThatIsSkippedWithoutAskingWhoHoldsItIsFound() {
        RingMutationTest.SKIPS_AT_ONCE.run(PopThatAsks.class);
    }

    @Test
    void aPushThatIsNotAnnouncedIsFound() {
        assertWrong(exploration()
                .process(using(RingMutationTest.ANNOUNCES_NOTHING, QueueOperation.push(1L)))
                .process(right(QueueOperation.push(2L)))
                .process(asking(QueueOperation.pop(1))));
    }
}
