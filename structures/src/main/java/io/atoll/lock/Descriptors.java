package io.atoll.lock;

import io.atoll.background.BackgroundThread;
import io.atoll.fabric.Backoff;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Clock;
import io.atoll.fabric.Endpoint;
import io.atoll.failure.Beforehand;
import io.atoll.failure.FabricException;
import io.atoll.failure.RankUnreachableException;
import io.atoll.failure.SegmentLostException;
import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import io.atoll.world.Liveness;
import io.atoll.world.Liveness.LaterSegment;
import io.atoll.world.Participant;
import io.atoll.world.WaitingLine;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The descriptors of each rank, in its own segment:
 * <pre>
 *       0             8      16            to a line
 *       +-------------+------+------//-----+-------------------------+-------------------------+-------+---------+
 *       | incarnation | time |    left,    |  descriptors of an even |  descriptors of an odd  | notes | demands |
 *       |             |      |   by rank   |  incarnation            |  incarnation            |       | by rank |
 *       +-------------+------+------//-----+-------------------------+-------------------------+-------+---------+
 * </pre>
 * The time is the process's clock at its last tick. {@link Descriptor#SINCE Since} comes from the same clock: a reader
 * subtracts the two, and needs no clock of its own. {@link Note Notes} and {@link Demand demands} have pictures of
 * their own.
 *
 * <p>The first descriptors of each table are kept by one thread each. Any thread may claim the others, but some of
 * these are set aside for threads that hold a lock already.
 *
 * <p>The incarnation is that of the process whose requests these are. There are two tables, since a process that stands
 * still may be about to write to an earlier incarnation's request. (A rank may be started again twice while another
 * rank stands still in the middle of a release. That release then writes to a wrong request.)
 *
 * <p>When a rank has lost its segment, its locks are gone, and others of the same indices take their places. A request
 * of a lost lock may still be about to write. Its write must not reach the next request of the same descriptor, nor the
 * queue of another lock. So a request of a lost lock ends in three steps:
 * <pre>
 *     (lost)    each process learns of it by itself, {@link #reach}: its requests can do nothing any more at the
 *               lost lock
 *     (left)    once none of them is in the middle of a write to another's descriptor, and its writes have arrived
 *               or never will, it writes {@code left} for that rank: the incarnation in which the present segment
 *               was made, {@link #leaveLost}
 *     (reuse)   once all processes have, or have ended, a descriptor of such a request may be another's,
 *               {@link #isLeftByAll}
 * </pre>
 * The middle of such a write is visible. A request is in the phase of enqueueing until it has told its predecessor. It
 * is in the phase of releasing until it has passed the lock on. Both begin with an exchange at the lock, and no
 * exchange succeeds in a segment that is lost. A repair writes to descriptors, too, so repairs are counted.
 */
final class Descriptors {

    /** The largest number of descriptors of a rank that any thread may claim. */
    public static final int MAXIMUM = (1 << 16) - Descriptor.MOST_KEPT;

    /**
     * Number of descriptors, of eight that any thread may claim, that are for threads that hold no lock. Take
     * {@value Descriptor#MOST_KEPT} kept descriptors and 256 shared ones: 160 threads hold or await their first lock,
     * and 160 descriptors are left for a second one. If there are few descriptors, none are set aside.
     */
    private static final int FIRSTS_OF_EIGHT = 3;

    private static final long NOT_HOLDING = Phase.IDLE;
    private static final long TIME = Layouts.WORD;
    private static final long LEFT = 2 * Layouts.WORD; // of rank 0; those of the other ranks follow
    // value of the incarnation's word while no process has opened the table in the rank's present segment
    private static final int NEVER_OPENED = 0;
    private static final int FIRST_LIFE = 1;
    // 2^64 divided by the golden ratio: spreads numbers that follow each other
    private static final long SCATTER = 0x9E3779B97F4A7C15L;

    private final Participant participant;
    private final int rank;
    private final Clock clock;
    private final LocalMemory own;
    private final long ownTable;
    private final long first; // offset of the descriptors in a table
    private volatile Parts parts; // replaced by one thread at a time
    private volatile Participant reached; // the participant whose losses the parts know of; written after them
    private final AtomicIntegerArray repairs; // repairs under way, by owner of the lock
    // by owner: all processes have left the segments that were made before this incarnation
    private final AtomicIntegerArray leftByAll;
    private final int shared;
    private final int count; // number of the shared and the kept descriptors
    private final int firsts; // number of the shared descriptors that are not set aside for threads that hold a lock
    private final WaitingLine line;
    private volatile long doubtedMillis;
    // by rank: 1 if a request of this process could not reach the rank's lock to leave it
    private final AtomicIntegerArray unreachable;
    private final OwnDescriptor[] owns;
    private final List<OwnDescriptor> all; // all descriptors of this process
    private final OwnDescriptor[] kept; // the first of them: a power of two
    private final AtomicReferenceArray<@Nullable Thread> keepers;
    // by descriptor: the last request that held a lock
    private final AtomicReferenceArray<@Nullable RequestedHold> holding;

    static {
        Beforehand.initialize(Standing.class);
    }

    /**
     * @param parts the parts of the table
     * @param shared the number of descriptors that any thread may claim. There are some more, each of which is kept by
     * a thread
     */
    public Descriptors(Participant participant, Parts parts, int shared) {
        this.participant = participant;
        this.rank = participant.rank();
        this.clock = parts.endpoint().clock();
        this.own = parts.endpoint().fabric().local();
        this.ownTable = parts.requests(rank);
        this.first = Descriptor.headBytes(participant.maxSize());
        this.parts = parts;
        this.reached = participant;
        this.repairs = new AtomicIntegerArray(parts.ranks());
        this.leftByAll = new AtomicIntegerArray(parts.ranks());
        this.shared = shared;
        this.count = shared + Descriptor.kept(shared);
        this.firsts = shared < Descriptor.MOST_KEPT ? shared : shared * FIRSTS_OF_EIGHT / 8;
        this.line = new WaitingLine(clock);
        this.unreachable = new AtomicIntegerArray(participant.size());
        this.owns = IntStream.range(0, count)
                .mapToLong(index -> Tail.descriptor(rank, participant.incarnation(), index))
                .mapToObj(name -> new OwnDescriptor(ownOffset(name), name, noteOffset(name)))
                .toArray(OwnDescriptor[]::new);
        this.all = List.of(owns);
        this.kept = Arrays.copyOf(owns, Descriptor.kept(shared));
        this.keepers = new AtomicReferenceArray<>(kept.length);
        this.holding = new AtomicReferenceArray<>(count);
        begin();
        for (int owner = 0; owner < parts.ranks(); owner++) {
            leftByAll.set(owner, parts.born(owner));
            // This look follows the write of the own incarnation. A process that has not seen that incarnation assumes
            // that this one knows of the loss. So this one must not use the lost part.
            if (owner != rank
                    && participant.liveness().laterSegment(owner, parts.born(owner)) != LaterSegment.NONE) {
                this.parts = this.parts.without(List.of(owner), parts.endpoint());
            }
        }
    }

    /** Returns this process's rank. */
    public int rank() {
        return rank;
    }

    public Clock clock() {
        return clock;
    }

    /** Returns the own segment, which holds the descriptors of this process. */
    public LocalMemory own() {
        return own;
    }

    /** Returns the parts of the table as they are now. */
    public Parts parts() {
        return parts;
    }

    public Participant participant() {
        return participant;
    }

    /** Ends what earlier incarnations asked for. They have ended, and no rank takes their requests for this one's. */
    private void begin() {
        if (own.getAcquire(ownTable) != participant.incarnation()) {
            for (OwnDescriptor any : owns) {
                own.setRelease(any.at(own) + Descriptor.NEXT, Tail.FREE);
                own.setRelease(any.at(own) + Descriptor.PHASE, Phase.IDLE);
                any.begin(own);
            }
            for (int owner = 0; owner < parts.ranks(); owner++) {
                own.setVolatile(left(owner), parts.born(owner)); // this incarnation has met no lost lock
            }
            own.setVolatile(ownTable, participant.incarnation());
        }
    }

    private long noteOffset(long name) {
        return ownTable + Descriptor.notes(participant.maxSize(), shared) + Tail.index(name) * Note.SIZE;
    }

    /** Returns the offset of a rank's demand in the own segment. */
    long demand(int demanding) {
        return ownTable + Descriptor.demands(participant.maxSize(), shared) + demanding * Demand.SIZE;
    }

    private long ownOffset(long name) {
        return offset(ownTable, first, Tail.incarnation(name), count, Tail.index(name));
    }

    /**
     * Returns the offset of the request that a tail names.
     *
     * @throws RankUnreachableException if it lies in another segment than the parts know
     */
    private long offset(Parts parts, long tail) {
        int any = Tail.rank(tail);
        int incarnation = Tail.incarnation(tail);
        if (any == rank && incarnation != participant.incarnation()) {
            throw Parts.another(rank); // a former process of this rank, whose requests may have lain elsewhere
        }
        long table = any == rank ? ownTable : parts.requests(any, incarnation);
        return offset(table, first, incarnation, count, Tail.index(tail));
    }

    private static long offset(long table, long first, int incarnation, int count, int index) {
        return table + first + ((incarnation & 1) * count + index) * Descriptor.SIZE;
    }

    /**
     * Returns the offset of the request that a tail names.
     *
     * @param table the offset of its rank's requests
     * @param maxSize the largest number of ranks that may ever be in the world
     * @param shared the number of descriptors that any thread may claim
     */
    public static long offset(long table, int maxSize, int shared, long tail) {
        return offset(table, Descriptor.headBytes(maxSize), Tail.incarnation(tail), shared + Descriptor.kept(shared),
                Tail.index(tail));
    }

    /**
     * Writes a word of the request that a tail names. Returns when the word has arrived. Cost: W; no verb in the own
     * segment.
     */
    public void write(long tail, long field, long value) {
        Parts now = parts;
        long offset = offset(now, tail) + field;
        if (Tail.rank(tail) == rank) {
            own.setVolatile(offset, value);
        } else {
            Batch batch = now.endpoint().batch(Tail.rank(tail));
            batch.writeWord(Tail.rank(tail), offset, value);
            batch.complete();
        }
    }

    // --- segments that are lost ---

    /** Returns the participant of this process that knows of the same losses as the parts. */
    public Participant reached() {
        return reached;
    }

    /** (lost) Replaces the table's parts. Called by one thread at a time. */
    public void reach(Participant latest, Parts renewed) {
        // The parts are written first: a reader that sees the participant relies on the parts alone.
        parts = renewed;
        reached = latest;
    }

    /** Returns true if this process knows that the request's lock was lost with its owner's segment. */
    public boolean isLost(RequestedHold request) {
        Participant known = reached;
        Participant latest = participant.latest();
        return known != latest && latest.lostSince(known).contains(request.owner())
                || request.born() != parts.born(request.owner());
    }

    /** Returns the exception for a caller whose lock was lost. */
    public SegmentLostException loss(RequestedHold request) {
        int born = Math.max(parts.born(request.owner()), request.born() + 1);
        return new SegmentLostException(born, "lock", request.owner(), request.line());
    }

    /** Counts a repair of a queue of that owner: called with 1 before it, and with -1 after it. */
    public void countRepairs(int owner, int change) {
        repairs.addAndGet(owner, change);
    }

    private long left(int owner) {
        return ownTable + LEFT + owner * Layouts.WORD;
    }

    /**
     * (left) Notes, for each rank that has lost its segment, that this process is in the middle of nothing there. Then
     * checks whether all other processes have noted the same. Called by one thread at a time. Cost: none if nothing was
     * lost, else for each lost segment 3R for each rank.
     *
     * @return true if nothing is left to be done
     * @throws FabricException if a rank cannot be reached, so that it is unknown what has arrived there
     */
    public boolean leaveLost() {
        Parts now = parts;
        for (int owner = 0; owner < now.ranks(); owner++) {
            int born = now.born(owner);
            if (own.getAcquire(left(owner)) < born && !isInTheMiddle(owner, born)) {
                settle(now);
                own.setVolatile(left(owner), born);
            }
            if (leftByAll.get(owner) < born && areAllLeft(now, owner, born)) {
                leftByAll.set(owner, born);
            }
        }
        return !owes();
    }

    /** Returns true if a rank has no part, or {@link #leaveLost} has more to do. No verb. */
    public boolean owes() {
        Parts now = parts;
        for (int owner = 0; owner < now.ranks(); owner++) {
            if (!now.contains(owner) || own.getAcquire(left(owner)) < now.born(owner)
                    || leftByAll.get(owner) < now.born(owner)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns once everything that was sent to any rank has arrived or never will. Each rank has answered by
     * connections that have replaced those that broke, or has ended.
     */
    private void settle(Parts now) {
        for (int any = 0; any < now.ranks(); any++) {
            try {
                now.endpoint().readWord(any, now.requests(any));
            } catch (RankUnreachableException gone) {
                if (!participant.liveness().isFenced(any, Liveness.EVERY_INCARNATION, rank)) {
                    throw gone;
                }
            }
        }
    }

    /**
     * Returns true if this process may be in the middle of a write to a descriptor for a lost lock. The lock lay in an
     * earlier segment of the owner.
     */
    private boolean isInTheMiddle(int owner, int born) {
        if (repairs.get(owner) != 0) {
            return true;
        }
        for (OwnDescriptor any : owns) {
            long phase = Phase.kind(own.getAcquire(any.at(own) + Descriptor.PHASE));
            long lock = own.getAcquire(any.at(own) + Descriptor.LOCK);
            if ((phase == Phase.ENQUEUEING || phase == Phase.RELEASING)
                    && ownerOf(lock) == owner && Descriptor.born(lock) < born) {
                return true;
            }
        }
        return false;
    }

    private int ownerOf(long lock) {
        return (int) (Descriptor.index(lock) % repairs.length());
    }

    /**
     * (reuse) Returns true if no process can still write to a descriptor for locks in the request's lost segment. No
     * verb: {@link #leaveLost} looks.
     */
    public boolean isLeftByAll(RequestedHold request) {
        return leftByAll.get(request.owner()) > request.born();
    }

    private boolean areAllLeft(Parts now, int owner, int born) {
        for (int any = 0; any < now.ranks(); any++) {
            if (!isLeftBy(any, now, owner, born)) {
                return false;
            }
        }
        return true;
    }

    private boolean isLeftBy(int any, Parts now, int owner, int born) {
        if (any == rank) {
            return own.getAcquire(left(owner)) >= born;
        }
        Liveness liveness = participant.liveness();
        try {
            long table = now.requests(any);
            int incarnation = (int) now.endpoint().readWord(any, table);
            if (laterSegment(any) != LaterSegment.NONE) {
                throw Parts.another(any); // the words that were read may say nothing
            }
            // Both must have left: the process that uses the rank's present segment, and those that have used an
            // earlier one.
            return (now.endpoint().readWord(any, table + LEFT + owner * Layouts.WORD) >= born
                    || incarnation == NEVER_OPENED
                    || liveness.isFenced(any, incarnation, rank))
                    && (now.born(any) == FIRST_LIFE || liveness.isFenced(any, now.born(any) - 1, rank));
        } catch (RankUnreachableException gone) {
            if (!liveness.isFenced(any, Liveness.EVERY_INCARNATION, rank)) {
                throw gone;
            }
            return true;
        }
    }

    /**
     * Returns which later segment a rank has, if any, besides the one that this process reaches. A caller that must
     * miss no request of the rank asks this after it has read them.
     */
    public LaterSegment laterSegment(int any) {
        return any == rank ? LaterSegment.NONE : participant.liveness().laterSegment(any, parts.born(any));
    }

    /** Releases each lost lock that a thread of this process still holds. Called by one thread at a time. */
    public void releaseLost() {
        for (OwnDescriptor any : owns) {
            RequestedHold last = holding.getAcquire(any.index());
            if (last != null && last.isHolding() && isLost(last)) {
                last.release();
            }
        }
    }

    // --- the own descriptors ---

    /**
     * Makes a request for a lock by a descriptor that is in no use. The descriptor belongs to the request until
     * {@link Hold#end}, and no other thread claims it before {@link #begin}. Waits as {@link #claim}.
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
        BackgroundThread.each(all, Descriptors::releases);
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
     * Notes that a descriptor still stands at the head of an own lock's queue: its successor has not linked itself yet.
     * The descriptor stays in use until {@link #sweepLeft} has passed the lock on. Allocates nothing.
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
     * <p>A table of 256 descriptors or more sets enough aside for each thread that holds or awaits its first lock. So a
     * thread that holds one lock always gets a descriptor for another. A thread that holds more may have to wait for
     * other threads that do. Those may wait for it. So it waits no longer than the operation timeout.
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
                        + " rank=" + rank + " timeoutMillis=" + timeout.toMillis());
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

    /** Returns the descriptor of this process that a tail names. */
    public OwnDescriptor named(long tail) {
        return owns[Tail.index(tail)];
    }

    /** Prepares the request for its lock's queue: from now on it is in the queue or about to be. */
    public void begin(RequestedHold request) {
        long descriptor = request.descriptor();
        unlink(request);
        phase(request, Phase.ENQUEUEING);
        // Written after the phase, so that a repair does not take an old grant for a new one.
        own.setRelease(descriptor + Descriptor.PREDECESSOR, Tail.FREE);
        // Must be visible before other ranks learn of the request: a later write would destroy their words. The
        // exchange of the CPU sees to that, a verb does not.
        store(request, Descriptor.GRANT, Grant.NONE);
    }

    private void store(RequestedHold request, long field, long value) {
        if (request.isByCpu()) {
            own.setRelease(request.descriptor() + field, value);
        } else {
            own.setVolatile(request.descriptor() + field, value);
        }
    }

    /**
     * Writes the request's phase. A repair must see it before any later access of the thread to the line. No rank
     * repairs the owner's cohort.
     */
    public void phase(RequestedHold request, long kind) {
        store(request, Descriptor.PHASE, Phase.of(request.turn(), kind));
    }

    /**
     * Notes that the request has given up and keeps its place. Written before the request looks for its grant. So a
     * thread that grants the lock finds that the request leaves, or the request finds the grant.
     */
    public void leaves(RequestedHold request) {
        own.setVolatile(request.descriptor() + Descriptor.PHASE, Phase.of(request.turn(), Phase.LEAVING));
    }

    /** Notes that this thread waits in a place that another one has given up. The descriptor's turn stays the same. */
    public void resume(RequestedHold request) {
        named(request.name()).lend(own, request.turn(), Thread.currentThread());
        own.setVolatile(request.descriptor() + Descriptor.PHASE, Phase.of(request.turn(), Phase.WAITING));
    }

    /** Called before the turn ends of a request that this process has {@linkplain #resume resumed}. */
    public void handBack(RequestedHold request) {
        named(request.name()).handBack(own);
    }

    /** Notes that a thread has a lock for which it has not waited, and which no rank repairs. */
    public static void holds(LocalMemory own, long descriptor, long turn) {
        own.setRelease(descriptor + Descriptor.PHASE, Phase.of(turn, Phase.HOLDING));
    }

    /** Notes that the request has its lock. */
    public void holds(RequestedHold request) {
        if (request.hasWaited()) {
            named(request.name()).noteTime(own, request.descriptor(), participant.nowMillis());
        }
        named(request.name()).noteGrant(own, request.turn(), Grant.passed(request.budget(), request.token()));
        holding.setRelease(Tail.index(request.name()), request);
        phase(request, Phase.HOLDING);
    }

    /**
     * Shows to readers the time here, and the keys for which locks are held. Called at each tick. No verb; a look at
     * each descriptor.
     */
    public void show() {
        own.setRelease(ownTable + TIME, participant.nowMillis());
        for (OwnDescriptor any : owns) {
            long phase = own.getAcquire(any.at(own) + Descriptor.PHASE);
            if (Phase.kind(phase) == Phase.HOLDING) {
                any.showKey(own, phase);
            }
        }
    }

    /** Returns the offset of a rank's time in its part of the table. */
    public static long time(long table) {
        return table + TIME;
    }

    /**
     * Clears the link to a successor. Called before the request enters a queue, and again after it has left, for the
     * descriptor's next request.
     */
    public void unlink(RequestedHold request) {
        own.setRelease(request.descriptor() + Descriptor.NEXT, Tail.FREE);
    }

    /** Makes a hold for a thread that has left no request behind. */
    public interface Restoring {
        @Nullable Hold restore(OwnDescriptor descriptor, long phase);
    }

    /**
     * Returns the hold by which a thread of this process has the lock; null if none has it. The lock may be released
     * before this returns; then {@link Hold#releases} returns false.
     *
     * @param restoring makes the holds that were not requests
     */
    public @Nullable Hold find(long lock, Restoring restoring) {
        for (OwnDescriptor any : owns) {
            long phase = holds(any, lock);
            if (phase != NOT_HOLDING) {
                RequestedHold last = holding.getAcquire(any.index());
                return last != null && last.turn() == Phase.turn(phase) ? last : restoring.restore(any, phase);
            }
        }
        return null;
    }

    /** Returns the phase in which the descriptor holds that lock, else {@link #NOT_HOLDING}. */
    private long holds(OwnDescriptor any, long lock) {
        long phase = own.getAcquire(any.at(own) + Descriptor.PHASE);
        boolean holds = Phase.kind(phase) == Phase.HOLDING && own.getAcquire(any.at(own) + Descriptor.LOCK) == lock
                && own.getAcquire(any.at(own) + Descriptor.PHASE) == phase;
        return holds ? phase : NOT_HOLDING;
    }

    /**
     * Refuses a wait for a lock that the waiting thread holds. Called by a thread that is about to wait for the
     * request's lock. No verb; a look at each descriptor of this process.
     *
     * @throws HeldByThisThread if the thread holds that lock: no other thread would release it
     */
    public void refuseIfHeldByThisThread(RequestedHold request) {
        Thread thread = Thread.currentThread();
        for (OwnDescriptor any : owns) {
            long phase = holds(any, request.lock());
            if (phase != NOT_HOLDING && any.isHeldBy(thread, Phase.turn(phase))) {
                throw new HeldByThisThread(request.index(), any.key(Phase.turn(phase)));
            }
        }
    }

    /**
     * Notes the predecessor. Written before the predecessor learns of the request: it may have to check whether the
     * request is still there.
     */
    public void predecessor(RequestedHold request, long predecessor) {
        own.setVolatile(request.descriptor() + Descriptor.PREDECESSOR, predecessor);
    }

    public long grant(RequestedHold request) {
        return own.getAcquire(request.descriptor() + Descriptor.GRANT);
    }

    // --- the descriptors of all ranks ---

    /**
     * Returns true if the tail's process has ended, and is shut out where the request's lock lies. Returns false for a
     * free tail.
     */
    public boolean hasEnded(RequestedHold request, long tail) {
        return tail != Tail.FREE
                && participant.liveness().isFenced(Tail.rank(tail), Tail.incarnation(tail), request.owner());
    }

    /** Returns the link of the request that the tail names. Cost: R. */
    public long next(long tail) {
        Parts now = parts;
        return now.endpoint().readWord(Tail.rank(tail), offset(now, tail) + Descriptor.NEXT);
    }

    /**
     * Returns true if the descriptor's request waits behind this one and has no grant. Cost: 2R, one after the other.
     */
    public boolean waitsBehind(long tail, RequestedHold request) {
        Parts now = parts;
        Endpoint endpoint = now.endpoint();
        int rank = Tail.rank(tail);
        long descriptor = offset(now, tail);
        // The grant is read first. The descriptor's next request clears the grant after the predecessor. So its empty
        // grant is never seen with the predecessor of the request before.
        return endpoint.readWord(rank, descriptor + Descriptor.GRANT) == Grant.NONE
                && Tail.isSameDescriptor(endpoint.readWord(rank, descriptor + Descriptor.PREDECESSOR), request.name());
    }

    /**
     * The state of a descriptor in the queue of a lock.
     *
     * @param phase its kind; {@link Phase#IDLE} if the descriptor is used for another lock by now
     * @param predecessor the predecessor of a request that leaves; else {@link Tail#FREE}
     */
    public record Standing(long phase, long predecessor) {

        private static final Standing ELSEWHERE = new Standing(Phase.IDLE, Tail.FREE);
    }

    /**
     * Returns how the request that the tail names stands in the queue of the request's lock. Cost: 3R, one after the
     * other; R more for one that leaves.
     */
    public Standing standing(long tail, RequestedHold request) {
        Parts now = parts;
        Endpoint endpoint = now.endpoint();
        int rank = Tail.rank(tail);
        long descriptor = offset(now, tail);
        long phase = endpoint.readWord(rank, descriptor + Descriptor.PHASE);
        boolean leaves = Phase.kind(phase) == Phase.LEAVING;
        // Read before the turn is read again: so it belongs to that turn.
        long predecessor = leaves ? endpoint.readWord(rank, descriptor + Descriptor.PREDECESSOR) : Tail.FREE;
        return isFor(now, request.lock(), tail, Phase.turn(phase))
                ? new Standing(Phase.kind(phase), predecessor)
                : Standing.ELSEWHERE;
    }

    /** Returns the number of descriptors of each rank. */
    public int ofThisRank() {
        return count;
    }

    /** Returns the number of descriptors of all ranks. */
    public int ofAllRanks() {
        return participant.size() * count;
    }

    /** Returns true if the tail names a request of this process that has given up. */
    public boolean leavesHere(long tail) {
        return Tail.rank(tail) == rank
                && Phase.kind(own.getAcquire(ownOffset(tail) + Descriptor.PHASE)) == Phase.LEAVING;
    }

    /**
     * Returns true if a thread that waits for no holder may ask now whether a holder has died. That is allowed some
     * times a second, because it costs a system call or more.
     */
    public boolean mayDoubt() {
        long now = participant.nowMillis();
        boolean may = now != doubtedMillis;
        doubtedMillis = now;
        return may;
    }

    /** Takes a request for a lock. */
    public interface Visitor {

        /** @param words the words of the descriptor, which is in use for a lock, from that position on */
        void visit(long name, Batch words, long position);
    }

    /**
     * Returns the incarnation to which a rank's requests belong. If no process has opened the table in the rank's
     * present segment, it is the former segment's last. Cost: R.
     */
    public int incarnation(int rank) {
        Parts now = parts;
        return Math.max((int) now.endpoint().readWord(rank, now.requests(rank)), now.born(rank) - 1);
    }

    /**
     * Visits the rank's requests for the same lock that are under way. Cost: R for each 512 descriptors, and 2R for
     * each such request.
     */
    public void visit(int rank, RequestedHold request, Visitor visitor) {
        long lock = request.lock();
        Parts now = parts;
        visit(now.endpoint(), rank, participant.maxSize(), now.requests(rank), shared, (name, words, position) -> {
            if (words.word(position + Descriptor.LOCK) == lock
                    && isFor(now, lock, name, Phase.turn(words.word(position + Descriptor.PHASE)))) {
                visitor.visit(name, words, position);
            }
        });
    }

    /**
     * Returns true if that turn of the descriptor is for the lock. The words that were read before need not be of one
     * turn. Within one turn, the lock stays the same.
     */
    private boolean isFor(Parts now, long lock, long name, long turn) {
        Endpoint endpoint = now.endpoint();
        int rank = Tail.rank(name);
        long descriptor = offset(now, name);
        return endpoint.readWord(rank, descriptor + Descriptor.LOCK) == lock
                && Phase.turn(endpoint.readWord(rank, descriptor + Descriptor.PHASE)) == turn;
    }

    /**
     * Visits all requests of the rank that are under way. Cost: R, and R for each 512 descriptors.
     *
     * @param maxSize the largest number of ranks that may ever be in the world
     * @param table the offset of the rank's requests
     * @param shared the number of descriptors that any thread may claim
     */
    public static void visit(Endpoint endpoint, int rank, int maxSize, long table, int shared, Visitor visitor) {
        int incarnation = (int) endpoint.readWord(rank, table);
        int count = shared + Descriptor.kept(shared);
        long first = Descriptor.headBytes(maxSize);
        int inBuffer = (int) (Batch.THREAD_BUFFER_BYTES / Descriptor.SIZE);
        for (int from = 0; from < count; from += inBuffer) {
            int end = Math.min(count, from + inBuffer);
            try (Batch batch = endpoint.batch(rank)) {
                batch.read(rank, offset(table, first, incarnation, count, from), 0, (end - from) * Descriptor.SIZE);
                batch.complete();
                for (int index = from; index < end; index++) {
                    long position = (index - from) * Descriptor.SIZE;
                    if (Phase.kind(batch.word(position + Descriptor.PHASE)) > Phase.CLAIMED) {
                        visitor.visit(Tail.descriptor(rank, incarnation, index), batch, position);
                    }
                }
            }
        }
    }
}
