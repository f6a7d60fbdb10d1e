package io.atoll.lock.trial;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.SimRank;
import io.atoll.fabric.sim.Simulation;
import io.atoll.failure.RankUnreachableException;
import io.atoll.lock.request.Claim;
import io.atoll.lock.request.Descriptors;
import io.atoll.lock.request.Keeper;
import io.atoll.lock.request.Locking;
import io.atoll.lock.request.Patience;
import io.atoll.lock.words.LockLine;
import io.atoll.lock.words.Tail;
import io.atoll.world.Participant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Simulated ranks of several threads each that lock and unlock one lock at rank 0. It fails if two have it at the same time, if a token is not larger than those before, if
 * somebody waits for ever, or if in the end the lock is not free.
 */
public final class LockTrial {

    /** Makes what a process uses. */
    public interface Opener {
        Locking open(Descriptors descriptors, Keeper keeper);
    }

    public static final int OWNER = 0;

    private static final int RANKS = 3;
    private static final int DESCRIPTORS = 8;
    private static final long SEGMENT_BYTES = 192 << 10;
    private static final long TABLE = SEGMENT_BYTES - (8 << 10); // where nothing lies as long as nothing is opened by name
    private static final long LINE = SEGMENT_BYTES - (16 << 10);

    private final Simulation simulation;
    private final Opener opener;
    private int threads = 2;
    private int acquisitions = 3;
    private boolean hurries;
    private boolean revokes;
    private final int[] atWork = new int[RANKS]; // threads of the present process

    private @Nullable SimRank holder;
    private boolean revoked; // from who was the holder last
    private long lastToken;
    private int count;

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

    /** Some do not wait, or not for long. */
    public LockTrial hurried() {
        hurries = true;
        return this;
    }

    /** From some the lock is taken by force. */
    public LockTrial revoking() {
        revokes = true;
        return this;
    }

    /** How often the lock was acquired. */
    public int run() {
        Arrays.fill(atWork, threads);
        simulation.onDeath(this::work).run(this::work);
        checkIsFree(LockLine.REMOTE_TAIL);
        checkIsFree(LockLine.LOCAL_TAIL);
        return count;
    }

    /** Unless somebody died with it, and nobody came afterwards. */
    private void checkIsFree(long tail) {
        long word = simulation.rank(OWNER).fabric().readWord(OWNER, LINE + tail);
        if (word != Tail.FREE) {
            assertThat(simulation.isDead(Tail.rank(word), Tail.incarnation(word))).as("free in the end").isTrue();
        }
    }

    private void work(SimRank rank) {
        var self = new Participant(rank.endpoint(), rank.incarnation(), simulation::isFenced, Duration.ofSeconds(10),
                () -> new int[RANKS]);
        long[] tables = new long[RANKS];
        Arrays.fill(tables, TABLE);
        var descriptors = new Descriptors(self, tables, DESCRIPTORS);
        var keeper = new Keeper("keeper", rank.endpoint().clock(), false);
        Locking lock = opener.open(descriptors, keeper);
        if (rank.rank() == OWNER) {
            lock.restart(LINE);
        }
        atWork[rank.rank()] = threads;
        rank.inParallel(threads + 1, number -> {
            if (number == threads) {
                keep(rank, self, keeper);
            } else {
                try {
                    acquireSeveralTimes(rank, lock);
                } finally {
                    atWork[rank.rank()]--;
                }
            }
        });
    }

    /** Until nobody is left whom it might help. */
    private void keep(SimRank rank, Participant self, Keeper keeper) {
        int attempt = 0;
        while (keeper.tasks() > 0 || isAnyoneAtWork()) {
            // What was handed over to the keeper was so by a queue that is no memory of the simulation.
            rank.fabric().local().fullFence();
            keeper.sweep();
            self.reservations().retryAll();
            rank.endpoint().clock().pause(attempt++);
        }
    }

    private boolean isAnyoneAtWork() {
        for (int rank = 0; rank < RANKS; rank++) {
            if (atWork[rank] > 0 && !simulation.isDead(rank, simulation.incarnation(rank))) {
                return true;
            }
        }
        return false;
    }

    private void acquireSeveralTimes(SimRank rank, Locking lock) {
        List<Claim> former = new ArrayList<>();
        for (int number = 0; number < acquisitions; number++) {
            Claim claim = acquire(lock, patience(rank));
            if (claim != null) {
                enter(rank, claim);
                simulation.step();
                former.forEach(late -> assertThat(lock.release(late)).as("released twice").isFalse());
                simulation.step();
                assertThat(holder).as("the holder, to the end").isSameAs(rank);
                holder = null;
                if (!revokes || rank.random().nextInt(3) > 0 || !revoke(lock, claim)) {
                    assertThat(lock.release(claim)).as("released").isTrue();
                }
                former.add(claim);
            }
        }
    }

    /** False if a connection broke. */
    private boolean revoke(Locking lock, Claim claim) {
        revoked = true; // the next holder may be told, and take it back, before this returns
        try {
            assertThat(lock.revoke(claim)).as("taken by force").isTrue();
            return true;
        } catch (RankUnreachableException broken) {
            revoked = false;
            return false;
        }
    }

    /** Null as well if a connection broke. */
    private static @Nullable Claim acquire(Locking lock, Patience patience) {
        try {
            return lock.acquire(0, OWNER, LINE, patience);
        } catch (RankUnreachableException broken) {
            return null;
        }
    }

    private Patience patience(SimRank rank) {
        int choice = hurries ? rank.random().nextInt(4) : 3;
        return switch (choice) {
            case 0 -> Patience.NONE;
            case 1 -> Patience.of(rank.endpoint().clock(), Duration.ofNanos(50_000));
            default -> Patience.UNBOUNDED;
        };
    }

    private void enter(SimRank rank, Claim claim) {
        if (holder != null) {
            assertThat(simulation.isFenced(holder.rank(), holder.incarnation(), OWNER))
                    .as("granted twice, to %s and %s", holder, rank)
                    .isTrue();
            assertThat(claim.recovered()).as("told that the former holder has died").isTrue();
        }
        if (revoked) {
            assertThat(claim.recovered()).as("told that the lock was taken from the former holder").isTrue();
            revoked = false;
        }
        assertThat(claim.token()).as("token").isGreaterThan(lastToken);
        lastToken = claim.token();
        holder = rank;
        count++;
    }
}
