package io.atoll.lock;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.SimRank;
import io.atoll.fabric.sim.Simulation;
import io.atoll.failure.RankUnreachableException;
import io.atoll.failure.SegmentLostException;
import io.atoll.world.Liveness;
import io.atoll.world.Participant;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Steps that requests of a lost lock still take, one by one. Rank 0 has ended and lost its segment. Each of the others
 * learns of it at a time of its own. Until then its verbs reach the lost segment, as they do if memory is mapped. The
 * later segment of rank 0 lies elsewhere in the same memory.
 */
@Tag("models")
class LostLocksModelTest {

    private static final int RANKS = 4;
    private static final long TABLE = 128 << 10;
    private static final long LATER_TABLE = 160 << 10;
    private static final long LINE = 64 << 10;
    private static final long LATER_LINES = 16 << 10;
    private static final int LOST = 0; // lies at rank 0
    private static final int KEPT = 1; // lies at rank 1
    private static final Duration SHORT = Duration.ofMillis(1);

    private final Simulation simulation = new Simulation(1,
            SimOptions.ranks(RANKS).segmentBytes(192 << 10).cuts());

    private boolean isBack; // rank 0 is back, with another segment
    private User first;
    private User second;
    private User third;

    @BeforeEach
    void begin() {
        first = new User(1);
        second = new User(2);
        third = new User(3);
        isBack = true;
    }

    private final class OwnerIsLost implements Liveness {

        @Override
        public boolean isFenced(int rank, int incarnation, int segment) {
            return rank == LOST && incarnation <= 1;
        }

        @Override
        public LaterSegment laterSegment(int rank, int born) {
            return isBack && rank == LOST && born < 2 ? LaterSegment.IN_USE : LaterSegment.NONE;
        }
    }

    private final class User {

        private final SimRank process;
        private final Descriptors descriptors;
        private final BackgroundTasks background;
        private final QueueLock lock;
        private Runnable beforeAGrant = () -> {};
        private boolean takesOthersForDead;
        private boolean isLinkLate;
        private @Nullable Runnable lateLink;

        private User(int rank) {
            this.process = simulation.rank(rank);
            var self = new Participant(process.endpoint(), process.incarnation(),
                    new OwnerIsLost(),
                    Duration.ofSeconds(10), () -> new int[RANKS]);
            this.descriptors = QueueLocks.descriptors(self, TABLE, 8);
            this.background = BackgroundTasks.unthreaded(process.endpoint().clock());
            this.lock = new QueueLock(descriptors, new OnlyCohort(descriptors) {
                @Override
                void grant(long successor, long grant) {
                    beforeAGrant.run();
                    super.grant(successor, grant);
                }

                @Override
                void link(QueuedHold request) {
                    if (isLinkLate) {
                        lateLink = () -> super.link(request);
                        throw new RankUnreachableException("the connection broke", "post", 1, LINE);
                    }
                    super.link(request);
                }
            }, null, background) {
                @Override
                boolean hasEnded(QueuedHold request, long tail) {
                    return takesOthersForDead && tail != Tail.FREE;
                }
            };
        }

        private @Nullable Hold acquire(int lockIndex, WaitLimit limit) {
            return lock.acquire(lockIndex, lockIndex % RANKS, LINE, limit);
        }

        private Hold hold(int lockIndex) {
            return requireNonNull(acquire(lockIndex, WaitLimit.NONE), "the lock is free");
        }

        /** The request stays in the queue. */
        private void waitInVain(int lockIndex) {
            assertThat(acquire(lockIndex, WaitLimit.of(process.fabric().clock(), SHORT))).isNull();
        }

        private void learn() {
            descriptors.reach(descriptors.participant(),
                    descriptors.parts()
                            .without(List.of(0), process.endpoint())
                            .with(0, LATER_LINES, LATER_TABLE, 2));
            goOn();
        }

        private void goOn() {
            for (int step = 0; step < 5; step++) {
                descriptors.lost().releaseHolds();
                background.sweep();
                leaves();
            }
        }

        private void leaves() {
            try {
                descriptors.lost().leave();
            } catch (RankUnreachableException later) {
                assertThat(isLinkLate).isTrue();
            }
        }
    }

    private static void allGoOn(User... users) {
        for (int step = 0; step < 3; step++) {
            for (User user : users) {
                user.goOn();
            }
        }
    }

    @Test
    void aGrantOfARankThatHasNotLearntMeetsNoRequestOfAnotherLock() {
        Hold held = first.hold(LOST);
        second.waitInVain(LOST);
        third.hold(KEPT);
        third.learn();
        second.learn();
        second.waitInVain(KEPT);

        held.release();

        second.waitInVain(KEPT);
    }

    @Test
    void aRankThatIsInTheMiddleOfAGrantHasNotLeft() {
        Hold held = first.hold(LOST);
        second.waitInVain(LOST);
        third.hold(KEPT);
        first.beforeAGrant = () -> {
            first.beforeAGrant = () -> {};
            first.learn();
            third.learn();
            second.learn();
            second.waitInVain(KEPT);
        };

        held.release();

        second.waitInVain(KEPT);
    }

    @Test
    void aRankThatIsInTheMiddleOfARepairHasNotLeft() {
        Hold held = third.hold(LOST);
        second.waitInVain(LOST);
        Hold kept = third.hold(KEPT);
        first.beforeAGrant = () -> {
            first.beforeAGrant = () -> {};
            first.learn();
            third.learn();
            second.learn();
            second.waitInVain(KEPT);
        };
        first.takesOthersForDead = true;

        first.acquire(LOST, WaitLimit.of(first.process.fabric().clock(), Duration.ofSeconds(1)));

        allGoOn(first, second);
        held.release();
        kept.release();
        allGoOn(first, second, third);
        assertThat(second.acquire(KEPT, WaitLimit.NONE)).isNotNull();
    }

    @Test
    void aLinkThatIsUnderWayHasNotLeft() {
        Hold held = first.hold(LOST);
        second.isLinkLate = true;
        second.process.unmap(1);
        second.waitInVain(LOST);
        third.learn();
        second.learn();
        first.learn();
        held.release();
        allGoOn(first, second, third);
        Hold another = first.hold(KEPT);

        second.process.map(1);
        requireNonNull(second.lateLink).run();

        assertThat(another.next()).as("link to the holder of another lock").isEqualTo(Tail.FREE);
        second.isLinkLate = false;
        another.release();
        allGoOn(first, second, third);
        assertThat(first.background.tasks() + second.background.tasks() + third.background.tasks())
                .as("tasks that are left")
                .isZero();
    }

    @Test
    void whoHoldsALostLockHoldsNotTheOneThatHasTakenItsPlace() {
        third.hold(LOST);
        first.learn();
        second.learn();
        Hold held = first.hold(LOST);
        second.takesOthersForDead = true;
        second.waitInVain(LOST);
        held.release();
        allGoOn(first, second);
        second.takesOthersForDead = false;

        assertThat(first.acquire(LOST, WaitLimit.NONE)).as("free after it was repaired").isNotNull();
    }

    @Test
    void aNameOfALostSegmentMeetsNoRequestOfTheNextOne() {
        first.learn();
        assertThatThrownBy(() -> first.descriptors.write(Tail.descriptor(0, 1, 0), Descriptor.GRANT, Grant.RETRY))
                .isInstanceOf(SegmentLostException.class);
        assertThatThrownBy(() -> second.descriptors.write(Tail.descriptor(0, 2, 0), Descriptor.GRANT, Grant.RETRY))
                .isInstanceOf(RankUnreachableException.class);
        simulation.fabric(1).writeWord(0, LATER_TABLE, 2);
        first.descriptors.write(Tail.descriptor(0, 2, 0), Descriptor.NEXT, Tail.FREE);
    }

    @Test
    void aNameOfAFormerLifeOfTheOwnRankMeetsNoRequestOfThisOne() {
        assertThatThrownBy(() -> first.descriptors.write(Tail.descriptor(1, 3, 0), Descriptor.NEXT, Tail.FREE))
                .isInstanceOf(RankUnreachableException.class);
    }

    @Test
    void aProcessThatOpensTheTableInALostSegmentDoesNotUseThatPart() {
        User late = new User(3);
        assertThat(late.descriptors.parts().contains(LOST)).isFalse();
        assertThat(late.descriptors.lost().owes()).isTrue();
        assertThatThrownBy(() -> late.acquire(LOST, WaitLimit.NONE)).isInstanceOf(RankUnreachableException.class);
    }

    @Test
    void whoHasNotLearntOfALossRepairsNothing() {
        Hold held = first.hold(KEPT);
        second.takesOthersForDead = true;
        second.waitInVain(KEPT);
        second.background.sweep();
        assertThat(Tail.isClosed(simulation.fabric(1).readWord(1, LINE + LockLine.REMOTE_TAIL))).isTrue();
        second.learn();
        first.learn();
        third.learn();
        allGoOn(first, second);
        second.takesOthersForDead = false;
        allGoOn(first, second);
        assertThat(Tail.isClosed(simulation.fabric(1).readWord(1, LINE + LockLine.REMOTE_TAIL))).isFalse();
        assertThat(held.release()).isTrue();
        allGoOn(first, second);
        assertThat(first.acquire(KEPT, WaitLimit.NONE)).isNotNull();
    }

    @Test
    void whoKnowsNoPartOfARankRepairsNothing() {
        Hold held = first.hold(KEPT);
        second.waitInVain(KEPT);
        second.descriptors.reach(second.descriptors.participant(),
                second.descriptors.parts().without(List.of(0), second.process.endpoint()));
        second.takesOthersForDead = true;
        assertThat(second.acquire(KEPT, WaitLimit.of(second.process.fabric().clock(), SHORT))).isNull();
        assertThat(held.isHeld()).isTrue();
        long tail = simulation.fabric(1).readWord(1, LINE + LockLine.REMOTE_TAIL);
        second.background.sweep();
        assertThat(simulation.fabric(1).readWord(1, LINE + LockLine.REMOTE_TAIL)).isEqualTo(tail);
    }

    @Test
    void descriptorsOfALostLockAreGivenBackWhenAllHaveLeft() {
        Hold held = first.hold(LOST);
        second.waitInVain(LOST);
        first.learn();
        second.learn();
        assertThat(second.background.tasks()).as("waits for the third").isOne();
        third.learn();
        allGoOn(first, second);
        assertThat(first.background.tasks() + second.background.tasks()).isZero();
        assertThat(held.release()).isFalse();
    }
}
