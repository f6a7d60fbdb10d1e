package io.atoll.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.SimRank;
import io.atoll.fabric.sim.Simulation;
import io.atoll.failure.RankUnreachableException;
import io.atoll.world.Participant;
import io.atoll.world.Participants;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.LongFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Simulated ranks of several threads each that lock and unlock one lock at rank 0, or {@linkplain #locks several}. It
 * fails in four cases: two threads have a lock at the same time; a token is not larger than those before; a thread
 * waits for ever; a lock is not free in the end.
 */
public final class LockTrial {

    /** Makes the locking that a process uses. */
    public interface Opener {
        LockProtocol open(Descriptors descriptors, BackgroundTasks background);
    }

    /** Makes the part of a process that answers demands of other ranks. */
    public interface Answering {
        Demands open(Descriptors descriptors, LongFunction<@Nullable Hold> held);
    }

    /** Makes the part of a process that demands of other ranks to end holds. */
    public interface Demanding {
        Demander open(Participant self);
    }

    private static final int RANKS = 3;
    private static final int LOOKS = 20;
    private static final int DESCRIPTORS = 8;
    private static final int HOLDING_STEPS = 60;
    private static final int DEMANDS_EACH = 3;
    private static final int LOOKS_AT_MAILBOX = 50;
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final long SEGMENT_BYTES = 192 << 10;
    // nothing lies there as long as nothing is opened by name
    private static final long TABLE = SEGMENT_BYTES - (8 << 10);
    private static final long LINE = SEGMENT_BYTES - (16 << 10);

    private final Simulation simulation;
    private final Opener opener;
    private int threads = 2;
    private int acquisitions = 3;
    private List<TriedLock> locks = TriedLock.several(1);
    private boolean hurries;
    private boolean revokes;
    private boolean shares;
    private boolean looks;
    private boolean disputes;
    private boolean staysDead;
    private boolean loses;
    private boolean tries;
    private boolean waitsInVain;
    private boolean breaks;
    private @Nullable Answering answering;
    private @Nullable Demanding demanding;
    private final List<Round> rounds = new ArrayList<>();
    private final List<List<Release>> releases = IntStream.range(0, RANKS)
            .<List<Release>>mapToObj(_ -> new ArrayList<>())
            .toList(); // by rank
    private final int[] atWork = new int[RANKS]; // number of threads of the present process that are at work
    private final int[] busy = new int[RANKS]; // 1 while the rank has something to do with locks that are lost
    private final Map<SimRank, Process> processes = new IdentityHashMap<>();

    private int count;
    private int demandsDone;

    /** One of the locks. */
    private static final class TriedLock {

        private final int number;
        private @Nullable SimRank holder;
        private @Nullable Hold hold; // of the holder
        private boolean revoked; // true if the lock was taken from its last holder by force
        private long lastToken;
        private final Map<Long, Integer> ends = new HashMap<>(); // numbers of ends of holds, by token
        private final Set<Long> demanded = new HashSet<>(); // tokens of which a rank has demanded the end
        private final Map<Long, Integer> unanswered = new HashMap<>(); // numbers of demands without an answer, by token
        private final Map<Long, SimRank> holders = new HashMap<>(); // by token

        private TriedLock(int number) {
            this.number = number;
        }

        private static List<TriedLock> several(int count) {
            return IntStream.range(0, count).mapToObj(TriedLock::new).toList();
        }

        private int owner() {
            return number % RANKS;
        }

        private long line() {
            return LINE + number / RANKS * LockLine.SIZE;
        }
    }

    /** A round in which all threads of all ranks try to have a free lock. */
    private static final class Round {

        private int waited; // threads that have waited in vain, and the one that had the lock meanwhile
        private int came;
        private int tried;
        private int won;
        private int left;
    }

    /** The part of a process that learns that a rank has another segment. */
    private record Process(Participant self, Descriptors descriptors) {

        private void learn(SimRank rank, int lost) {
            descriptors.reach(self.renew(rank.endpoint(), lost),
                    descriptors.parts().without(List.of(lost), rank.endpoint()).with(lost, 0, TABLE, rank.born(lost)));
        }
    }

    /** A hold that all threads of a rank try to release. */
    private static final class Release {

        private final Hold hold;
        private int tries;
        private int count;

        private Release(Hold hold) {
            this.hold = hold;
        }
    }

    public LockTrial(long seed, SimOptions options, Opener opener) {
        this.simulation = new Simulation(seed, options);
        this.opener = opener;
    }

    public static SimOptions options(Guarantees guarantees) {
        return SimOptions.ranks(RANKS).segmentBytes(SEGMENT_BYTES).guarantees(guarantees).maximumSteps(400_000);
    }

    public LockTrial threads(int each) {
        threads = each;
        return this;
    }

    /** Each acquisition is of one of this number of locks, the first of which lie at one rank each. */
    public LockTrial locks(int several) {
        locks = TriedLock.several(several);
        return this;
    }

    /** Sets the number of acquisitions of each thread. */
    public LockTrial acquisitions(int each) {
        acquisitions = each;
        return this;
    }

    /** Some threads do not wait, or not for long. */
    public LockTrial hurried() {
        hurries = true;
        return this;
    }

    /** From some holders the lock is taken by force. */
    public LockTrial revoking() {
        revokes = true;
        return this;
    }

    /** All threads of a rank release the holds of each of them, some by force. */
    public LockTrial sharing() {
        shares = true;
        return this;
    }

    /**
     * A thread of each rank takes no lock, but looks for the holder of the rank's own lock. For as many locks as ranks.
     */
    public LockTrial looking() {
        looks = true;
        return this;
    }

    /**
     * A thread of each rank acquires and releases the rank's own lock. All others take it by force at the same time.
     * For as many locks as ranks.
     */
    public LockTrial disputing() {
        disputes = true;
        return this;
    }

    /**
     * A thread of each rank takes no lock, but demands of others to end holds. It names present tokens and former ones.
     */
    public LockTrial demanding() {
        return demanding(Demands::new, Demander::new);
    }

    /** As {@link #demanding()}, with these parts. */
    public LockTrial demanding(Answering answers, Demanding demands) {
        answering = answers;
        demanding = demands;
        return this;
    }

    /** Connections break, as the options say. A demander may get no answer, however long it waits. */
    public LockTrial breaking() {
        breaks = true;
        return this;
    }

    /** Ranks lose their memory, as the options say. */
    public LockTrial losing() {
        loses = true;
        return this;
    }

    /** Ranks that die are not started again. */
    public LockTrial withoutRestarts() {
        staysDead = true;
        return this;
    }

    /** All threads of all ranks try at once to have a free lock. One of them has it each time. */
    public LockTrial trying() {
        tries = true;
        return this;
    }

    /** Before they try, all but one have waited for the lock in vain. */
    public LockTrial waitingInVain() {
        waitsInVain = true;
        return this;
    }

    /** Runs the trial, and returns how often a lock was acquired. */
    public int run() {
        for (int round = 0; round < acquisitions; round++) {
            rounds.add(new Round());
        }
        Arrays.fill(atWork, threads);
        if (!staysDead) {
            simulation.onDeath(this::work);
        }
        simulation.onLoss(this::lose, this::learn).run(this::work);
        for (TriedLock lock : locks) {
            checkIsFree(lock, LockLine.REMOTE_TAIL);
            checkIsFree(lock, LockLine.LOCAL_TAIL);
        }
        locks.forEach(lock -> lock.ends.forEach((token, ends) -> assertThat(ends)
                .as("ended once: token=%s lock=%s", token, lock.number)
                .isBetween(lock.unanswered.getOrDefault(token, 0) > 0 || hasDied(lock, token) ? 0 : 1, 1)));
        releases.forEach(ofRank -> assertThat(ofRank).as("released once").allMatch(each -> each.count == 1));
        return count;
    }

    private boolean hasDied(TriedLock lock, long token) {
        SimRank holder = lock.holders.get(token);
        return holder != null && simulation.isDead(holder.rank(), holder.incarnation());
    }

    /** A thread that has a lost lock may not know of the loss yet. */
    private void lose(int lost) {
        Arrays.fill(busy, 1);
        locks.stream().filter(lock -> lock.owner() == lost).forEach(lock -> {
            lock.holder = null;
            lock.hold = null;
            lock.revoked = false;
        });
    }

    private void learn(SimRank rank, int lost) {
        Process process = processes.get(rank);
        if (process != null) {
            process.learn(rank, lost);
        }
    }

    /** Returns how many segments were lost in the run. */
    public int losses() {
        return simulation.losses();
    }

    /** Checks that the lock is free, unless a holder died with it and no thread came afterwards. */
    private void checkIsFree(TriedLock lock, long tail) {
        long word = simulation.rank(lock.owner()).fabric().readWord(lock.owner(), lock.line() + tail);
        if (word != Tail.FREE) {
            assertThat(simulation.isDead(Tail.rank(word), Tail.incarnation(word))).as("free in the end").isTrue();
        }
    }

    private void work(SimRank rank) {
        var self = Participants.of(rank, TIMEOUT);
        long[] tables = new long[RANKS];
        Arrays.fill(tables, TABLE);
        Parts parts = Parts.of(rank.endpoint(), new long[RANKS], tables);
        for (int any = 0; any < RANKS; any++) {
            parts = parts.with(any, 0, TABLE, rank.born(any));
        }
        var descriptors = new Descriptors(self, parts, DESCRIPTORS);
        var process = new Process(self, descriptors);
        processes.put(rank, process);
        // These were lost while the descriptors were made, and that process was not told.
        for (int any = 0; any < RANKS; any++) {
            if (descriptors.parts().born(any) != rank.born(any)) {
                process.learn(rank, any);
            }
        }
        var background = BackgroundTasks.unthreaded(rank.endpoint().clock());
        var here = new ProcessLocks(descriptors, opener.open(descriptors, background));
        locks.stream().filter(lock -> lock.owner() == rank.rank()).forEach(lock -> here.restart(lock.line()));
        Demands demands = answering == null ? null : answering.open(descriptors, index -> {
            TriedLock lock = locks.get((int) index);
            return here.find(lock.number, lock.owner(), lock.line());
        });
        atWork[rank.rank()] = threads;
        rank.inParallel(threads + 1, number -> {
            if (number == threads) {
                keep(rank, self, descriptors, background, demands);
            } else {
                try {
                    if (tries) {
                        rounds.forEach(round -> tryOnce(rank, here, round));
                    } else if (disputes) {
                        disputeSeveralTimes(rank, here, number == 0);
                    } else if (demanding != null && number == 0) {
                        demandSeveralTimes(rank, self, demanding.open(self));
                    } else if (demanding != null) {
                        holdSeveralTimes(rank, here);
                    } else if (looks && number == 0) {
                        lookSeveralTimes(rank, here);
                    } else {
                        acquireSeveralTimes(rank, here);
                    }
                } finally {
                    atWork[rank.rank()]--;
                }
            }
        });
    }

    /** Keeps the rank's tasks going until no other thread needs that any more. */
    private void keep(SimRank rank, Participant self, Descriptors descriptors, BackgroundTasks background,
            @Nullable Demands demands) {
        int attempt = 0;
        while (loses && !isAllLeft(rank, descriptors, background) || background.tasks() > 0 || isAnyoneAtWork()) {
            // The list of tasks that are handed over to the background thread is no memory of the simulation. So a
            // fence takes the place of its order.
            rank.fabric().local().fullFence();
            background.sweep();
            descriptors.lost().releaseHolds();
            self.reservations().retryAll();
            if (demands != null) {
                demands.meet();
            }
            rank.endpoint().clock().pause(attempt++);
        }
    }

    private boolean isAnyoneAtWork() {
        return IntStream.range(0, RANKS)
                .anyMatch(rank -> atWork[rank] > 0 && !simulation.isDead(rank, simulation.incarnation(rank)));
    }

    /**
     * Returns true if no rank has anything left to do with lost locks. Other ranks wait until this one has left, too.
     * So all stay as long as one has something to do.
     */
    private boolean isAllLeft(SimRank rank, Descriptors descriptors, BackgroundTasks background) {
        boolean left = leavesLost(descriptors) && IntStream.range(0, RANKS)
                .allMatch(any -> descriptors.parts().born(any) == simulation.born(any));
        busy[rank.rank()] = left && background.tasks() == 0 ? 0 : 1;
        return IntStream.range(0, RANKS)
                .noneMatch(any -> busy[any] > 0 || simulation.isDead(any, simulation.incarnation(any)));
    }

    private static boolean leavesLost(Descriptors descriptors) {
        try {
            return descriptors.lost().leave();
        } catch (RankUnreachableException away) {
            return false;
        }
    }

    private void acquireSeveralTimes(SimRank rank, ProcessLocks here) {
        List<Hold> former = new ArrayList<>();
        for (int number = 0; number < acquisitions; number++) {
            TriedLock lock = locks.get(rank.random().nextInt(locks.size()));
            Hold hold = acquire(here, lock, limit(rank));
            if (hold != null) {
                if (hold.fencingToken() <= lock.lastToken && isShutOut(rank, lock)) {
                    return; // it was told that it has the lock; by its token all others can tell that it has not
                }
                if (isLost(lock, hold)) {
                    hold.release();
                    continue;
                }
                enter(rank, lock, hold);
                simulation.step();
                former.forEach(late -> assertThat(late.release()).as("released twice").isFalse());
                simulation.step();
                if (lock.holder != rank && isShutOut(rank, lock)) {
                    return;
                }
                if (isLost(lock, hold)) {
                    hold.release();
                    continue;
                }
                assertThat(lock.holder).as("the holder, to the end").isSameAs(rank);
                lock.holder = null;
                lock.hold = null;
                if (loses) {
                    hold.release(); // the process may have learnt meanwhile that it is lost
                } else if (shares) {
                    releaseTogether(rank, here, hold);
                } else if (!revokes || rank.random().nextInt(3) > 0 || !revoke(lock, hold)) {
                    assertThat(hold.release()).as("released").isTrue();
                }
                former.add(hold);
            }
        }
    }

    /**
     * Looks for the holder of the rank's own lock in this process. A thread that takes the lock by force looks in the
     * same way.
     */
    private void lookSeveralTimes(SimRank rank, ProcessLocks here) {
        TriedLock lock = locks.get(rank.rank());
        for (int number = 0; number < LOOKS; number++) {
            Hold held = here.find(lock.number, lock.owner(), lock.line());
            Hold holding = lock.hold; // the hold that is found may have ended since, and still be there
            if (held != null && holding != null && held.toString().equals(holding.toString())) {
                assertThat(held.token()).as("token of who has it").isEqualTo(holding.token());
            }
        }
    }

    /** Each hold ends once: its thread releases it, or another rank has demanded that. */
    private void holdSeveralTimes(SimRank rank, ProcessLocks here) {
        for (int number = 0; number < acquisitions; number++) {
            TriedLock lock = locks.get(rank.random().nextInt(locks.size()));
            Hold hold = acquire(here, lock, WaitLimit.UNBOUNDED);
            if (hold == null) {
                continue;
            }
            enter(rank, lock, hold);
            long token = hold.token();
            lock.ends.merge(token, 0, Integer::sum);
            lock.holders.put(token, rank);
            for (int steps = rank.random().nextInt(HOLDING_STEPS); steps > 0 && hold.isHeld(); steps--) {
                simulation.step();
            }
            if (lock.hold == hold) {
                lock.holder = null;
                lock.hold = null;
            }
            if (hold.release()) {
                lock.ends.merge(token, 1, Integer::sum);
            } else if (!isShutOut(rank, lock)) {
                assertThat(lock.demanded).as("tokens whose end was demanded: lock=%s", lock.number).contains(token);
            }
        }
    }

    /** Returns where the mailboxes begin in each rank's segment. */
    private static long mailboxes(Participant self) {
        return TABLE + Descriptor.demands(self.maxSize(), DESCRIPTORS);
    }

    private void demandSeveralTimes(SimRank rank, Participant self, Demander demander) {
        int several = acquisitions * DEMANDS_EACH;
        for (int number = 0; number < several; number++) {
            TriedLock lock = locks.get(rank.random().nextInt(locks.size()));
            SimRank holder = lock.holder;
            long token = lock.lastToken - (rank.random().nextInt(3) == 0 ? 1 : 0);
            if (holder == null || token == 0) {
                simulation.step();
                continue;
            }
            lock.demanded.add(token);
            lock.unanswered.merge(token, 1, Integer::sum);
            boolean waits = rank.random().nextBoolean();
            ForcedUnlock outcome = demander.demand(holder.rank(),
                    mailboxes(self), Descriptor.lock(1, lock.number), token,
                    waits ? TIMEOUT : Duration.ofNanos(2_000));
            if (outcome == ForcedUnlock.HOLDER_SILENT) {
                assertThat(waits && !breaks && !simulation.isDead(holder.rank(), holder.incarnation()))
                        .as("no answer")
                        .isFalse();
                checkIsTakenBack(rank, self, holder.rank());
                continue;
            }
            lock.unanswered.merge(token, -1, Integer::sum);
            if (outcome == ForcedUnlock.DONE) {
                lock.ends.merge(token, 1, Integer::sum);
                demandsDone++;
            }
        }
    }

    /** Checks that soon only answered demands are asked, unless one is still to be taken back. */
    private static void checkIsTakenBack(SimRank rank, Participant self, int holder) {
        long mailbox = mailboxes(self) + rank.rank() * Demand.SIZE;
        for (int attempt = 0; attempt < LOOKS_AT_MAILBOX; attempt++) {
            if (asksNothing(rank, holder, mailbox)) {
                return;
            }
            rank.endpoint().clock().pause(attempt);
        }
        assertThat(self.reservations().inDoubt()).as("demands to be taken back").isPositive();
    }

    private static boolean asksNothing(SimRank rank, int holder, long mailbox) {
        try {
            long asked = rank.endpoint().readWord(holder, mailbox + Demand.ASKED);
            return asked == Demand.NOTHING
                    || Demand.isAnswered(asked, rank.endpoint().readWord(holder, mailbox + Demand.ANSWER));
        } catch (RankUnreachableException broken) {
            return false;
        }
    }

    /** Returns how many holds other ranks have ended in the run. */
    public int demandsDone() {
        return demandsDone;
    }

    private void disputeSeveralTimes(SimRank rank, ProcessLocks here, boolean isHolder) {
        TriedLock lock = locks.get(rank.rank());
        List<Release> ofRank = releases.get(rank.rank());
        for (int number = 0; number < acquisitions; number++) {
            if (isHolder) {
                ofRank.add(new Release(Objects.requireNonNull(acquire(here, lock, WaitLimit.UNBOUNDED))));
            }
            while (ofRank.size() <= number) {
                simulation.step();
            }
            Release disputed = ofRank.get(number);
            if (isHolder ? disputed.hold.release() : disputed.hold.revoke(TIMEOUT)) {
                disputed.count++;
            }
            disputed.tries++;
            while (disputed.tries < threads) {
                simulation.step();
            }
        }
    }

    private void tryOnce(SimRank rank, ProcessLocks here, Round round) {
        TriedLock lock = locks.getFirst();
        int all = RANKS * threads;
        if (waitsInVain) {
            waitInVain(rank, here, round);
        }
        round.came++;
        await(() -> round.came == all);
        Hold hold = acquire(here, lock, WaitLimit.NONE);
        round.won += hold == null ? 0 : 1;
        round.tried++;
        await(() -> round.tried == all);
        assertThat(round.won).as("of all that have tried").isOne();
        if (hold != null) {
            enter(rank, lock, hold);
            lock.holder = null;
            lock.hold = null;
            assertThat(hold.release()).as("released").isTrue();
        }
        round.left++;
        await(() -> round.left == all);
    }

    private void waitInVain(SimRank rank, ProcessLocks here, Round round) {
        Hold held = acquire(here, locks.getFirst(), hurried(rank));
        if (held != null) {
            await(() -> round.waited == RANKS * threads - 1);
            assertThat(held.release()).as("released").isTrue();
        }
        round.waited++;
    }

    private void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            simulation.step();
        }
    }

    private void releaseTogether(SimRank rank, ProcessLocks here, Hold hold) {
        List<Release> ofRank = releases.get(rank.rank());
        ofRank.add(new Release(hold));
        for (Release each : List.copyOf(ofRank)) {
            if (rank.random().nextInt(3) == 0 ? each.hold.revoke(TIMEOUT) : each.hold.release()) {
                each.count++;
            }
        }
    }

    /** Returns true if another lock has taken the lock's place. */
    private boolean isLost(TriedLock lock, Hold hold) {
        return hold.born() != simulation.born(lock.owner());
    }

    private boolean isShutOut(SimRank rank, TriedLock lock) {
        return simulation.isFenced(rank.rank(), rank.incarnation(), lock.owner());
    }

    /** Returns false if a connection broke. */
    private static boolean revoke(TriedLock lock, Hold hold) {
        lock.revoked = true; // the next holder may be told, and take this back, before the call returns
        try {
            assertThat(hold.revoke(TIMEOUT)).as("taken by force").isTrue();
            return true;
        } catch (RankUnreachableException broken) {
            lock.revoked = false;
            return false;
        }
    }

    /** Returns null also if a connection broke. */
    private static @Nullable Hold acquire(ProcessLocks here, TriedLock lock, WaitLimit limit) {
        try {
            return here.acquire(lock.number, lock.owner(), lock.line(), limit);
        } catch (RankUnreachableException broken) {
            return null;
        }
    }

    private WaitLimit limit(SimRank rank) {
        int choice = hurries ? rank.random().nextInt(4) : 3;
        return switch (choice) {
            case 0 -> WaitLimit.NONE;
            case 1 -> hurried(rank);
            default -> WaitLimit.UNBOUNDED;
        };
    }

    private static WaitLimit hurried(SimRank rank) {
        return WaitLimit.of(rank.endpoint().clock(), Duration.ofNanos(50_000));
    }

    private void enter(SimRank rank, TriedLock lock, Hold hold) {
        SimRank holder = lock.holder;
        if (holder != null && demanding != null) {
            if (!isShutOut(holder, lock)) {
                assertThat(lock.demanded).as("tokens whose end was demanded, where %s held it", holder)
                        .contains(lock.lastToken);
            }
            assertThat(hold.recovered()).as("told that the lock was taken from the former holder").isTrue();
        } else if (holder != null) {
            assertThat(isShutOut(holder, lock))
                    .as("granted twice, to %s and %s", holder, rank)
                    .isTrue();
            assertThat(hold.recovered()).as("told that the former holder has died").isTrue();
        }
        if (lock.revoked) {
            assertThat(hold.recovered()).as("told that the lock was taken from the former holder").isTrue();
            lock.revoked = false;
        }
        assertThat(hold.fencingToken()).as("token").isGreaterThan(lock.lastToken);
        lock.lastToken = hold.fencingToken();
        lock.holder = rank;
        lock.hold = hold;
        count++;
    }
}
