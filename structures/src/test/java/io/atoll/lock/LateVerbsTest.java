package io.atoll.lock;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.SimRank;
import io.atoll.fabric.sim.Simulation;
import io.atoll.failure.RankUnreachableException;
import io.atoll.world.Participants;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * The network between two ranks is cut while one of them writes to the other. Its writes lie in its kernel. They arrive
 * when the network is whole again, before the rank connects anew. Meanwhile a third rank repairs the queue.
 */
class LateVerbsTest {

    private static final int RANKS = 3;
    private static final long SEGMENT_BYTES = 192 << 10;
    private static final long TABLE = 128 << 10;
    private static final long LINE = 64 << 10;
    private static final long ANOTHER_LINE = LINE + LockLine.SIZE;
    private static final Duration SHORT = Duration.ofMillis(1);

    private final Simulation simulation = new Simulation(1, SimOptions.ranks(RANKS).segmentBytes(SEGMENT_BYTES).cuts());

    /** A rank that uses the locks of rank 0. */
    private final class User {

        private final SimRank process;
        private final BackgroundTasks background;
        private final CutCohort cohort;
        private final QueueLock lock;

        /** @param doubts true if it takes living ranks for dead, so that it repairs queues */
        private User(int rank, boolean doubts) {
            this.process = simulation.rank(rank);
            var self = Participants.of(process);
            var descriptors = QueueLocks.descriptors(self, TABLE, 8);
            this.background = BackgroundTasks.unthreaded(process.endpoint().clock());
            this.cohort = new CutCohort(descriptors);
            this.lock = new QueueLock(descriptors, cohort, null, background) {
                @Override
                boolean hasEnded(QueuedHold request, long tail) {
                    return doubts && tail != Tail.FREE;
                }
            };
        }

        private @Nullable Hold acquire(long line, WaitLimit limit) {
            return lock.acquire((line - LINE) / LockLine.SIZE, 0, line, limit);
        }

        private Hold hold(long line) {
            return requireNonNull(acquire(line, WaitLimit.NONE), "the lock is free");
        }

        /** Adds the token, if it gets the lock. */
        private void use(List<Long> tokens) {
            Hold hold = acquire(LINE, WaitLimit.NONE);
            if (hold != null) {
                tokens.add(hold.token());
                hold.release();
            }
            background.sweep();
        }

        private void cutFrom(int other) {
            cohort.isCut = true;
            process.unmap(other);
        }

        private void heal(int other) {
            process.map(other);
            cohort.isCut = false;
            requireNonNull(cohort.late, "something lies in the kernel").run();
        }
    }

    /** While the network is cut, its first write stays under way. */
    private static final class CutCohort extends OnlyCohort {

        private boolean isCut;
        private Runnable atTheCut = () -> {};
        private @Nullable Runnable late;

        private CutCohort(Descriptors descriptors) {
            super(descriptors);
        }

        @Override
        long release(QueuedHold request) {
            keepUnderWay(() -> super.release(request));
            return super.release(request);
        }

        @Override
        void link(QueuedHold request) {
            keepUnderWay(() -> super.link(request));
            super.link(request);
        }

        private void keepUnderWay(Runnable verbs) {
            if (isCut && late == null) {
                late = verbs;
                atTheCut.run();
                throw new RankUnreachableException("the connection broke", "post", 0, LINE);
            }
        }
    }

    @Test
    void aReleaseThatArrivesLateTakesNoTokenBack() {
        new User(0, false);
        var releaser = new User(1, true);
        var other = new User(2, true);
        List<Long> tokens = new ArrayList<>();
        Hold held = releaser.hold(LINE);
        tokens.add(held.token());
        releaser.cutFrom(0);
        held.release();
        for (int attempt = 0; attempt < 3; attempt++) {
            releaser.background.sweep();
            other.use(tokens);
        }

        releaser.heal(0);

        int before = tokens.size();
        for (int attempt = 0; attempt < 10; attempt++) {
            other.use(tokens);
            releaser.use(tokens);
        }
        assertThat(tokens).hasSizeGreaterThan(before + 10).doesNotHaveDuplicates().isSorted();
        assertThat(releaser.background.tasks() + other.background.tasks()).as("tasks that are left").isZero();
    }

    @Test
    void aLinkThatArrivesLateIsNoneToAnotherLock() {
        var repairer = new User(0, true);
        var holder = new User(1, false);
        var waiter = new User(2, false);
        Hold held = holder.hold(LINE);
        waiter.cutFrom(1);
        waiter.cohort.atTheCut = () -> repairer.use(new ArrayList<>());
        assertThat(waiter.acquire(LINE, WaitLimit.of(waiter.process.fabric().clock(), SHORT))).isNull();
        waiter.background.sweep();
        repairer.background.sweep();
        held.release();
        Hold another = holder.hold(ANOTHER_LINE);

        waiter.heal(1);

        assertThat(another.next()).as("link to the holder of another lock").isEqualTo(Tail.FREE);
        another.release();
        for (int attempt = 0; attempt < 10; attempt++) {
            waiter.background.sweep();
            repairer.background.sweep();
            holder.background.sweep();
        }
        assertThat(waiter.acquire(LINE, WaitLimit.NONE)).as("the lock, when all is whole").isNotNull();
        assertThat(waiter.background.tasks() + repairer.background.tasks() + holder.background.tasks())
                .as("tasks that are left")
                .isZero();
    }
}
