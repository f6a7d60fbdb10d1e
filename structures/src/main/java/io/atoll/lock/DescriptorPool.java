package io.atoll.lock;

import io.atoll.background.BackgroundThread;
import io.atoll.fabric.Backoff;
import io.atoll.fabric.Clock;
import io.atoll.failure.FabricException;
import io.atoll.memory.LocalMemory;
import io.atoll.world.Participant;
import io.atoll.world.WaitingLine;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The descriptors of this process, and which thread uses which.
 * <pre>
 *       0                     kept            kept + firsts               kept + shared
 *       +---------------------+---------------+---------------------------+
 *       |  each kept by       |  for any      |  for threads that hold    |
 *       |  one thread         |  thread       |  a lock already           |
 *       +---------------------+---------------+---------------------------+
 * </pre>
 * A thread claims the descriptor that it keeps by a load, and any other by an exchange. The descriptor stays in use
 * until the hold's turn is over. What a thread could not release or pass on, a sweep does later.
 */
final class DescriptorPool {

    /**
     * Number of descriptors, of eight that any thread may claim, that are for threads that hold no lock. Take
     * {@value Descriptor#MOST_KEPT} kept descriptors and 256 shared ones: 160 threads hold or await their first lock,
     * and 160 descriptors are left for a second one. If there are few descriptors, none are set aside.
     */
    private static final int FIRSTS_OF_EIGHT = 3;

    // 2^64 divided by the golden ratio: spreads numbers that follow each other
    private static final long SCATTER = 0x9E3779B97F4A7C15L;

    private final Participant participant;
    private final Clock clock;
    private final LocalMemory own;
    private final int shared;
    private final int firsts; // number of the shared descriptors that are not set aside for threads that hold a lock
    private final WaitingLine line;
    // by rank: 1 if a request of this process could not reach the rank's lock to leave it
    private final AtomicIntegerArray unreachable;
    private final OwnDescriptor[] owns;
    private final List<OwnDescriptor> all; // the same
    private final OwnDescriptor[] kept; // the first of them: a power of two
    private final AtomicReferenceArray<@Nullable Thread> keepers;

    /**
     * @param owns the descriptors of this process: first those that threads keep, then the shared ones
     * @param shared the number of descriptors that any thread may claim
     */
    DescriptorPool(Participant participant, Clock clock, LocalMemory own, OwnDescriptor[] owns, int shared) {
        this.participant = participant;
        this.clock = clock;
        this.own = own;
        this.shared = shared;
        this.firsts = shared < Descriptor.MOST_KEPT ? shared : shared * FIRSTS_OF_EIGHT / 8;
        this.line = new WaitingLine(clock);
        this.unreachable = new AtomicIntegerArray(participant.size());
        this.owns = owns;
        this.all = List.of(owns);
        this.kept = Arrays.copyOf(owns, Descriptor.kept(shared));
        this.keepers = new AtomicReferenceArray<>(kept.length);
    }

    /**
     * Makes a request for a lock by a descriptor that is in no use. The descriptor belongs to the request until
     * {@link Hold#end}, and no other thread claims it before {@link Descriptors#begin}. Waits as {@link #claim}.
     *
     * @param lock the lock as {@link Descriptor#lock}
     * @param making makes the request of the descriptor, in the turn of its {@linkplain OwnDescriptor#phase phase}
     */
    public <R extends RequestedHold> @Nullable R request(long lock, WaitLimit limit,
            Function<OwnDescriptor, R> making) {
        Thread thread = Thread.currentThread();
        OwnDescriptor kept = kept(thread);
        OwnDescriptor mine = kept.isClaimed(thread, kept.phase(own)) ? kept : claim(thread, limit);
        if (mine == null) {
            return null;
        }
        try {
            mine.prepare(own, mine.at(own), lock, participant.nowMillis());
            return making.apply(mine);
        } catch (Throwable broken) {
            giveBack(mine);
            throw broken;
        }
    }

    /** Gives back a descriptor that was claimed, in the same turn. Allocates nothing: memory may be what is missing. */
    public void giveBack(OwnDescriptor mine) {
        long phase = mine.phase(own);
        if (Phase.kind(phase) == Phase.CLAIMED) { // else its thread keeps it, and has claimed it by a load
            end(mine, phase);
        }
    }

    /** Ends the turn of that phase. */
    public void end(OwnDescriptor mine, long phase) {
        own.setRelease(mine.at(own) + Descriptor.PHASE, Phase.of(Phase.turn(phase) + 1, Phase.IDLE));
    }

    /**
     * Releases the locks that threads of this process {@linkplain OwnDescriptor#abandoned could not} release. If a
     * release fails, the next sweep tries again. Called some times a second, by one thread at a time. Looks at each
     * descriptor.
     */
    public void sweep() {
        BackgroundThread.each(all, DescriptorPool::releases);
    }

    private static boolean releases(OwnDescriptor any) {
        Hold abandoned = any.abandoned;
        if (abandoned == null) {
            return false;
        }
        any.detach(abandoned.turn()); // until the lock is released, its thread may wait for it
        any.abandoned = null; // written before the release: the next turn may be abandoned at once
        try {
            abandoned.release();
            return true;
        } catch (Throwable broken) {
            any.abandoned = abandoned;
            throw broken;
        }
    }

    /** Passes on the lock of a descriptor that still stands in a queue. */
    public interface Passing {

        /** Returns true if the lock was passed on. */
        boolean pass(OwnDescriptor mine, long phase, long line);
    }

    /**
     * Notes that a descriptor still stands at the head of an own lock's queue, since its successor has not linked
     * itself yet. The descriptor stays in use until {@link #sweepLeft} has passed the lock on. Allocates nothing.
     *
     * @param phase the phase of its turn
     */
    public void leaveToSweep(OwnDescriptor mine, long phase, long line) {
        own.setRelease(mine.at(own) + Descriptor.PHASE, Phase.of(Phase.turn(phase), Phase.RELEASING));
        mine.leftLine = line;
    }

    /** Tries again to pass on what was {@linkplain #leaveToSweep left}. Called as {@link #sweep}. */
    public void sweepLeft(Passing passing) {
        BackgroundThread.each(all, any -> any.leftLine != OwnDescriptor.NOWHERE && isPassed(any, passing));
    }

    private boolean isPassed(OwnDescriptor any, Passing passing) {
        long phase = any.phase(own);
        if (!passing.pass(any, phase, any.leftLine)) {
            return false;
        }
        any.leftLine = OwnDescriptor.NOWHERE; // written before the end: the next turn may leave something at once
        end(any, phase);
        return true;
    }

    /**
     * Returns the descriptor that the thread keeps, if no other thread keeps it. Threads that begin together have
     * numbers that follow each other, so they rarely share one.
     */
    public OwnDescriptor kept(Thread thread) {
        return kept[(int) thread.threadId() & kept.length - 1];
    }

    /**
     * Claims a descriptor that is in no use, for no lock yet. A thread calls this if another thread keeps its
     * {@linkplain #kept kept} descriptor, or if that is in use.
     *
     * <p>If no descriptor is free, the thread waits in line for one. A thread that holds a lock does not stand in line,
     * since those before it may wait for that lock. It may take the descriptors that are set aside for such threads.
     *
     * <p>Of 256 descriptors or more, enough are set aside for every thread that holds a lock or waits for its first
     * one. So a thread that holds one lock always gets a descriptor for another. A thread that holds more may have to
     * wait for other threads that do, too, and those may wait for it. So it waits no longer than the operation timeout.
     *
     * @return null if the wait limit is over before
     * @throws IllegalStateException if a thread that holds a lock has waited for as long as the operation timeout
     */
    public @Nullable OwnDescriptor claim(Thread thread, WaitLimit limit) {
        OwnDescriptor kept = kept(thread);
        if (keeps(kept, thread)) {
            return kept;
        }
        OwnDescriptor any = line.isStarving() ? null : claimShared(thread, firsts);
        if (any != null) {
            return any;
        }
        return holdsAny(thread) ? claimAnother(thread, limit) : claimInLine(thread, limit);
    }

    private @Nullable OwnDescriptor claimInLine(Thread thread, WaitLimit limit) {
        return line.await(() -> keeps(kept(thread), thread) ? kept(thread) : claimShared(thread, firsts),
                limit::remainingNanos);
    }

    private @Nullable OwnDescriptor claimAnother(Thread thread, WaitLimit limit) {
        Duration timeout = participant.reservations().timeout();
        var backoff = new Backoff(clock, timeout);
        OwnDescriptor any = claimShared(thread, shared);
        while (any == null && !limit.isOver()) {
            if (!backoff.pause()) {
                throw new IllegalStateException("threads of this rank that hold locks of the table have all its "
                        + "descriptors, and none of them goes on: give it more (LockTable.Builder.descriptors, "
                        + "atoll.lock-tables.*.descriptors), or hold fewer locks at once: descriptors=" + shared
                        + " rank=" + participant.rank() + " timeoutMillis=" + timeout.toMillis());
            }
            any = claimShared(thread, shared);
        }
        return any;
    }

    private boolean holdsAny(Thread thread) {
        for (OwnDescriptor any : owns) {
            long phase = own.getAcquire(any.at(own) + Descriptor.PHASE);
            if (Phase.kind(phase) == Phase.HOLDING && any.isHeldBy(thread, Phase.turn(phase))) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns true if the thread keeps the descriptor from now on. As long as the thread lives, it alone claims the
     * descriptor. It claims it by a load, where others need an exchange. If the thread that kept it before has ended,
     * its last turn must be over first.
     */
    private boolean keeps(OwnDescriptor mine, Thread thread) {
        Thread keeper = keepers.get(mine.index());
        boolean keeps = (keeper == null || keeper == thread || !keeper.isAlive())
                && Phase.kind(own.getAcquire(mine.at(own) + Descriptor.PHASE)) == Phase.IDLE
                && (keeper == thread || keepers.compareAndSet(mine.index(), keeper, thread));
        if (keeps) {
            mine.noteThread(own, thread);
        }
        return keeps;
    }

    /** Notes that a request could not leave a lock of that owner. The request keeps its descriptor until it can. */
    public void isUnreachable(int owner) {
        unreachable.set(owner, 1);
    }

    /**
     * Refuses a lock whose owner could not be reached, if it still cannot. Called before a descriptor is claimed for a
     * lock of another rank. Else each attempt would keep a descriptor, until other locks have none left. Cost: nothing;
     * R if the owner could not be reached before.
     *
     * @param parts the parts of the table, as the caller knows them
     * @throws FabricException if the owner still cannot be reached, or has no part
     */
    public void refuseIfUnreachable(int owner, Parts parts, long line) {
        parts.require(owner);
        if (unreachable.get(owner) != 0) {
            parts.endpoint().readWord(owner, line);
            unreachable.set(owner, 0);
        }
    }

    /**
     * Claims one of the first shared descriptors; returns null if all of these are in use.
     *
     * @param among the number of these descriptors
     */
    private @Nullable OwnDescriptor claimShared(Thread thread, int among) {
        int first = spread(thread, among);
        for (int probe = 0; probe < among; probe++) {
            OwnDescriptor any = owns[kept.length + (first + probe < among ? first + probe : first + probe - among)];
            if (exchangesIdle(any)) {
                noteThread(any, thread);
                return any;
            }
        }
        return null;
    }

    private void noteThread(OwnDescriptor any, Thread thread) {
        try {
            if (!any.isOf(thread)) {
                any.noteThread(own, thread);
            }
        } catch (Throwable broken) {
            giveBack(any);
            throw broken;
        }
    }

    /** Returns a number below the limit: always the same for the same thread, another one for most other threads. */
    private static int spread(Thread thread, int among) {
        return (int) (((thread.threadId() * SCATTER) >>> Integer.SIZE) * among >>> Integer.SIZE);
    }

    private boolean exchangesIdle(OwnDescriptor any) {
        long phase = any.phase(own);
        return Phase.kind(phase) == Phase.IDLE && own.compareAndExchange(any.at(own) + Descriptor.PHASE, phase,
                Phase.of(Phase.turn(phase), Phase.CLAIMED)) == phase;
    }
}
