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
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The descriptors of each rank, in its own segment:
 * <pre>
 *       0             8      16               to a line
 *       +-------------+------+--------//------+--------------------------+--------------------------+--------+----------+
 *       | incarnation | time | left, by rank  |  descriptors of an even  |  descriptors of an odd   |  notes | demands, |
 *       |             |      |                |  incarnation             |  incarnation             |        | by rank  |
 *       +-------------+------+--------//------+--------------------------+--------------------------+--------+----------+
 * </pre>
 * The time is what the process's clock shows at its last tick, as {@link Descriptor#SINCE since} does: who looks on subtracts the two, and no clock of its own. {@link Note Notes} and {@link Demand demands} are drawn there.
 *
 * <p>The first of each are kept by a thread each, the others are any thread's, or those of threads that hold a lock already.
 *
 * <p>The incarnation is that of the process whose requests these are. Two tables, because somebody who stands still may be about to write to a request of the incarnation before. (Should a
 * rank be started again twice while another one stands still in the middle of a release, that one would write to a request that is not meant.)
 *
 * <p>When a rank has lost its segment, its locks are gone, and others of the same indices take their places. What a request of a lost lock still does must reach nobody who has its descriptor next, or
 * stands in the queue of another lock. So it ends in three steps:
 * <pre>
 *     (lost)    each process learns of it by itself, {@link #reach}: its requests can do nothing any more at the lost lock
 *     (left)    once none of them is in the middle of a write to another's descriptor, and what was written has arrived or
 *               never will, it writes {@code left} for that rank: in which incarnation the present segment was made,
 *               {@link #leaveLost}
 *     (reuse)   once all processes have, or have ended, a descriptor of such a request may be another's, {@link #isLeftByAll}
 * </pre>
 * The middle of such a write is visible: a request is in the phase of enqueueing until it has told its predecessor, and in that of releasing until it has passed the lock on. Both begin with an exchange
 * at the lock, and none succeeds in a segment that is lost. A repair writes to descriptors, too, so repairs are counted.
 */
final class Descriptors {

    /** The most of a rank that any thread may claim. */
    public static final int MAXIMUM = (1 << 16) - Descriptor.MOST_KEPT;

    /**
     * Of eight descriptors that any thread may claim, so many are for threads that hold no lock. With {@value Descriptor#MOST_KEPT} kept by a thread each and 256 others, 160 threads hold or await their
     * first lock, and 160 descriptors are left for a second one. Of few descriptors none are set aside.
     */
    private static final int FIRSTS_OF_EIGHT = 3;

    private static final long NOT_HOLDING = Phase.IDLE;
    private static final long TIME = Layouts.WORD;
    private static final long LEFT = 2 * Layouts.WORD; // of rank 0
    private static final int NEVER_OPENED = 0; // the incarnation's word where no process has opened the table in the rank's present segment
    private static final int FIRST_LIFE = 1;
    private static final long SCATTER = 0x9E3779B97F4A7C15L; // 2^64 by the golden ratio: spreads numbers that follow each other

    private final Participant participant;
    private final int rank;
    private final Clock clock;
    private final LocalMemory own;
    private final long ownTable;
    private final long first; // where descriptors begin in a table
    private volatile Parts parts; // replaced by one thread at a time
    private volatile Participant reached; // whose losses the parts know of; written after them
    private final AtomicIntegerArray repairs; // under way, by owner of the lock
    private final AtomicIntegerArray leftByAll; // by owner: in which incarnation the segment was made for which all have left those before
    private final int shared;
    private final int count; // of those and of those that are kept
    private final int firsts; // of those any may claim: that are not set aside for threads that hold a lock
    private final WaitingLine line;
    private volatile long doubtedMillis;
    private final AtomicIntegerArray unreachable; // 1: its locks could not be reached when one of this process was to leave them
    private final OwnDescriptor[] owns;
    private final List<OwnDescriptor> all; // of the own ones
    private final OwnDescriptor[] kept; // the first of them: as many as a power of two
    private final AtomicReferenceArray<@Nullable Thread> keepers;
    private final AtomicReferenceArray<@Nullable Request> holding; // that had a lock by each last

    static {
        Beforehand.initialize(Standing.class);
    }

    /**
     * @param parts of the table
     * @param shared how many any thread may claim; there are some more, of which each is kept by a thread
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
            // Behind the own incarnation: a process that has not seen it takes the loss for known here. This one does not use the lost part then.
            if (owner != rank
                    && participant.liveness().laterSegment(owner, parts.born(owner)) != LaterSegment.NONE) {
                this.parts = this.parts.without(List.of(owner), parts.endpoint());
            }
        }
    }

    /** This process's rank. */
    public int rank() {
        return rank;
    }

    public Clock clock() {
        return clock;
    }

    /** The own segment, in which descriptors of this process lie. */
    public LocalMemory own() {
        return own;
    }

    /** Of the table, as they are now. */
    public Parts parts() {
        return parts;
    }

    public Participant participant() {
        return participant;
    }

    /** What earlier incarnations asked for is over: they have ended, and nobody takes their requests for this one's. */
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

    /** Where the demand of a rank lies in the own segment. */
    long demand(int demanding) {
        return ownTable + Descriptor.demands(participant.maxSize(), shared) + demanding * Demand.SIZE;
    }

    private long ownOffset(long name) {
        return offset(ownTable, first, Tail.incarnation(name), count, Tail.index(name));
    }

    /**
     * Where the request lies that is named in a tail.
     *
     * @throws RankUnreachableException if it lies in another segment than the parts know
     */
    private long offset(Parts parts, long tail) {
        int any = Tail.rank(tail);
        int incarnation = Tail.incarnation(tail);
        if (any == rank && incarnation != participant.incarnation()) {
            throw Parts.another(rank); // a former process of this rank, which may have lain elsewhere
        }
        long table = any == rank ? ownTable : parts.requests(any, incarnation);
        return offset(table, first, incarnation, count, Tail.index(tail));
    }

    private static long offset(long table, long first, int incarnation, int count, int index) {
        return table + first + ((incarnation & 1) * count + index) * Descriptor.SIZE;
    }

    /**
     * Where the request lies that a tail names.
     *
     * @param table where its rank's begin
     * @param maxSize ranks that may ever be in the world
     * @param shared how many any thread may claim
     */
    public static long offset(long table, int maxSize, int shared, long tail) {
        return offset(table, Descriptor.headBytes(maxSize), Tail.incarnation(tail), shared + Descriptor.kept(shared),
                Tail.index(tail));
    }

    /** Writes a word of the request that a tail names. Returns when it has arrived. Cost: W; no verb in the own segment. */
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

    /** Which of this process's participants knows of the same losses as the parts. */
    public Participant reached() {
        return reached;
    }

    /** (lost) Those are the table's parts from now on. By one thread at a time. */
    public void reach(Participant latest, Parts renewed) {
        // The parts first: a reader that sees the participant looks at the parts alone.
        parts = renewed;
        reached = latest;
    }

    /** Whether the request's lock was lost with its owner's segment, as far as this process knows. */
    public boolean isLost(Request request) {
        Participant known = reached;
        Participant latest = participant.latest();
        return known != latest && latest.lostSince(known).contains(request.owner())
                || request.born() != parts.born(request.owner());
    }

    /** The lock as one word. */
    long lock(Claim claim) {
        return claim instanceof Request request
                ? request.lock()
                : Descriptor.lock(parts.born(rank), claim.index());
    }

    /** What a caller is told whose lock was lost. */
    public SegmentLostException loss(Request request) {
        int born = Math.max(parts.born(request.owner()), request.born() + 1);
        return new SegmentLostException(born, "lock", request.owner(), request.line());
    }

    /** To be called before a repair of a queue of that owner, and with -1 after it. */
    public void countRepairs(int owner, int change) {
        repairs.addAndGet(owner, change);
    }

    private long left(int owner) {
        return ownTable + LEFT + owner * Layouts.WORD;
    }

    /**
     * (left) Writes of each rank that has lost its segment that nothing here is in the middle of anything there, and looks
     * whether all others have written that. By one thread at a time. Cost: none where nothing was lost, else for each
     * segment that was lost 3R for each rank.
     *
     * @return whether nothing is left to be done
     * @throws FabricException when a rank cannot be reached, so that nobody knows what has arrived there
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

    /** Whether a rank has no part, or {@link #leaveLost} has more to do. No verb. */
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

    /** What was sent to any rank has arrived or never will: it has answered by connections that have replaced those that broke, or has ended. */
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

    /** Whether this process may be in the middle of a write to a descriptor, on behalf of a lock that lay in an earlier segment of the owner. */
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

    /** (reuse) Whether no process writes to a descriptor any more on behalf of a lock that lay where the request's did. No verb: {@link #leaveLost} looks. */
    public boolean isLeftByAll(Request request) {
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
                throw Parts.another(any); // what was read may say nothing
            }
            // The process that uses the segment which the rank has now, and those that have used one before.
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

    /** What there is of a rank beside the segment that this process reaches. To be asked after requests of the rank were read, by whoever must miss none. */
    public LaterSegment laterSegment(int any) {
        return any == rank ? LaterSegment.NONE : participant.liveness().laterSegment(any, parts.born(any));
    }

    /** Each lost lock that a thread of this process holds. By one thread at a time. */
    public void eachLostHeld(Consumer<Request> action) {
        for (OwnDescriptor any : owns) {
            Request last = holding.getAcquire(any.index());
            if (last != null && last.isHolding() && isLost(last)) {
                action.accept(last);
            }
        }
    }

    // --- the own ones ---

    /**
     * Makes a request for that lock of a descriptor that is in no use, until {@link Claim#end}. Nobody else claims it before {@link #begin}. Waits as {@link #claim}.
     *
     * @param lock where it lies, as {@link Descriptor#lock}
     * @param making of the descriptor, in the turn of its {@linkplain OwnDescriptor#phase phase}
     */
    public <R extends Request> @Nullable R request(long lock, Patience patience, Function<OwnDescriptor, R> making) {
        Thread thread = Thread.currentThread();
        OwnDescriptor kept = kept(thread);
        OwnDescriptor mine = kept.isClaimed(thread, kept.phase(own)) ? kept : claim(thread, patience);
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

    /** Undoes that it was claimed, in its turn. Allocates nothing: memory may be what is missing. */
    public void giveBack(OwnDescriptor mine) {
        long phase = mine.phase(own);
        if (Phase.kind(phase) == Phase.CLAIMED) { // else its thread keeps it, and has claimed it by a load
            end(mine, phase);
        }
    }

    /** The turn of that phase is over. */
    public void end(OwnDescriptor mine, long phase) {
        own.setRelease(mine.at(own) + Descriptor.PHASE, Phase.of(Phase.turn(phase) + 1, Phase.IDLE));
    }

    /** Releases what threads have {@linkplain OwnDescriptor#abandoned abandoned}; what fails is tried again in the next sweep. Called by one thread at a time. */
    public void sweep(Consumer<Claim> releasing) {
        BackgroundThread.each(all, any -> releases(any, releasing));
    }

    private static boolean releases(OwnDescriptor any, Consumer<Claim> releasing) {
        Claim abandoned = any.abandoned;
        if (abandoned == null) {
            return false;
        }
        any.detach(abandoned.turn()); // until it is released, its thread may wait for it
        any.abandoned = null; // before: the next turn may be abandoned at once
        try {
            releasing.accept(abandoned);
            return true;
        } catch (Throwable broken) {
            any.abandoned = abandoned;
            throw broken;
        }
    }

    /** Passes on what stands in the place of a descriptor. */
    public interface Passing {

        /** Returns whether that was possible. */
        boolean pass(OwnDescriptor mine, long phase, long line);
    }

    /**
     * Notes that a descriptor still stands at the head of an own lock's queue, since who comes next has not said so. It stays in use until {@link #sweepLeft} has passed the lock on. Allocates nothing.
     *
     * @param phase of its turn
     */
    public void leaveToSweep(OwnDescriptor mine, long phase, long line) {
        own.setRelease(mine.at(own) + Descriptor.PHASE, Phase.of(Phase.turn(phase), Phase.RELEASING));
        mine.leftLine = line;
    }

    /** Tries again what was {@linkplain #leaveToSweep left}. Called as {@link #sweep}. */
    public void sweepLeft(Passing passing) {
        BackgroundThread.each(all, any -> any.leftLine != OwnDescriptor.NOWHERE && isPassed(any, passing));
    }

    private boolean isPassed(OwnDescriptor any, Passing passing) {
        long phase = any.phase(own);
        if (!passing.pass(any, phase, any.leftLine)) {
            return false;
        }
        any.leftLine = OwnDescriptor.NOWHERE; // before: the next turn may leave something at once
        end(any, phase);
        return true;
    }

    /** The one that the thread keeps, if no other does: threads that begin together have numbers that follow each other. */
    public OwnDescriptor kept(Thread thread) {
        return kept[(int) thread.threadId() & kept.length - 1];
    }

    /**
     * A descriptor that is in no use, for no lock yet, for a thread whose the {@linkplain #kept kept} one is not, or is in use.
     *
     * <p>If none is free, the thread waits in line for one. But a thread that holds a lock does not stand in line, since those before it may wait for that lock: it may take the descriptors
     * that are set aside for such threads. Of 256 or more there are as many as threads that hold a lock or wait for their first one, so a thread that holds one lock always gets a descriptor
     * for another. A thread that holds more may have to wait for others in its place, which may wait for it: so it waits no longer than the operation timeout.
     *
     * @return null if the patience is over before
     * @throws IllegalStateException when a thread that holds a lock has waited for as long as the operation timeout
     */
    public @Nullable OwnDescriptor claim(Thread thread, Patience patience) {
        OwnDescriptor kept = kept(thread);
        if (keeps(kept, thread)) {
            return kept;
        }
        OwnDescriptor any = line.isStarving() ? null : claimShared(thread, firsts);
        if (any != null) {
            return any;
        }
        return holdsAny(thread) ? claimAnother(thread, patience) : claimInLine(thread, patience);
    }

    private @Nullable OwnDescriptor claimInLine(Thread thread, Patience patience) {
        return line.await(() -> keeps(kept(thread), thread) ? kept(thread) : claimShared(thread, firsts),
                patience::remainingNanos);
    }

    private @Nullable OwnDescriptor claimAnother(Thread thread, Patience patience) {
        Duration timeout = participant.reservations().timeout();
        var backoff = new Backoff(clock, timeout);
        OwnDescriptor any = claimShared(thread, shared);
        while (any == null && !patience.isOver()) {
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
     * Whether it is the thread's from now on, as long as that lives, which alone claims it then: by a load, where all others need an exchange. Not before what a thread that has ended has begun
     * with it is over.
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

    /** Notes that a request could not leave a lock of that owner, which keeps its descriptor until it can. */
    public void isUnreachable(int owner) {
        unreachable.set(owner, 1);
    }

    /**
     * To be called before a descriptor is claimed for a lock of another rank. While that cannot be reached each attempt would keep a descriptor, until there are none for other locks. Cost: nothing; R if
     * the owner could not be reached before.
     *
     * @param parts of the table, as the caller knows them
     * @throws FabricException when it still cannot, or the owner has no part
     */
    public void refuseIfUnreachable(int owner, Parts parts, long line) {
        parts.require(owner);
        if (unreachable.get(owner) != 0) {
            parts.endpoint().readWord(owner, line);
            unreachable.set(owner, 0);
        }
    }

    /** One of the first so many of those that any may claim; null if all are in use. */
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

    /** Of so many: the same again for the same thread, another one for most others. */
    private static int spread(Thread thread, int among) {
        return (int) (((thread.threadId() * SCATTER) >>> Integer.SIZE) * among >>> Integer.SIZE);
    }

    private boolean exchangesIdle(OwnDescriptor any) {
        long phase = any.phase(own);
        return Phase.kind(phase) == Phase.IDLE && own.compareAndExchange(any.at(own) + Descriptor.PHASE, phase,
                Phase.of(Phase.turn(phase), Phase.CLAIMED)) == phase;
    }

    /** The one of this process that a tail names. */
    public OwnDescriptor named(long tail) {
        return owns[Tail.index(tail)];
    }

    /** In the queue of that lock from now on, or about to be. */
    public void begin(Request request) {
        long descriptor = request.descriptor();
        unlink(request);
        phase(request, Phase.ENQUEUEING);
        // After the phase, so that who repairs does not take what was passed before for something that is passed now.
        own.setRelease(descriptor + Descriptor.PREDECESSOR, Tail.FREE);
        // Before others learn of the request, whose words would be overtaken, and lost: the exchange of the CPU sees to that, a verb does not.
        store(request, Descriptor.GRANT, Grant.NONE);
    }

    private void store(Request request, long field, long value) {
        if (request.isByCpu()) {
            own.setRelease(request.descriptor() + field, value);
        } else {
            own.setVolatile(request.descriptor() + field, value);
        }
    }

    /** Whoever repairs must know of it before any later access of the thread to the line; nobody repairs the owner's cohort. */
    public void phase(Request request, long kind) {
        store(request, Descriptor.PHASE, Phase.of(request.turn(), kind));
    }

    /** It has given up, and keeps its place. Before it looks for its grant: whoever grants to it then finds that it leaves, or it finds the grant. */
    public void leaves(Request request) {
        own.setVolatile(request.descriptor() + Descriptor.PHASE, Phase.of(request.turn(), Phase.LEAVING));
    }

    /** This thread waits in a place that another one has given up, in the same turn of the descriptor. */
    public void resume(Request request) {
        named(request.name()).lend(own, request.turn(), Thread.currentThread());
        own.setVolatile(request.descriptor() + Descriptor.PHASE, Phase.of(request.turn(), Phase.WAITING));
    }

    /** To be called before the turn ends of a request that this process has {@linkplain #resume resumed}. */
    public void handBack(Request request) {
        named(request.name()).handBack(own);
    }

    /** It has a lock for which it has not waited, and which nobody repairs. */
    public static void holds(LocalMemory own, long descriptor, long turn) {
        own.setRelease(descriptor + Descriptor.PHASE, Phase.of(turn, Phase.HOLDING));
    }

    /** It has the lock. */
    public void holds(Request request) {
        if (request.hasWaited()) {
            named(request.name()).noteTime(own, request.descriptor(), participant.nowMillis());
        }
        named(request.name()).noteGrant(own, request.turn(), Grant.passed(request.budget(), request.token()));
        holding.setRelease(Tail.index(request.name()), request);
        phase(request, Phase.HOLDING);
    }

    /** Shows those who look on what time it is here, and for which keys locks are held. To be called at each tick. No verb; a look at each descriptor. */
    public void show() {
        own.setRelease(ownTable + TIME, participant.nowMillis());
        for (OwnDescriptor any : owns) {
            long phase = own.getAcquire(any.at(own) + Descriptor.PHASE);
            if (Phase.kind(phase) == Phase.HOLDING) {
                any.showKey(own, phase);
            }
        }
    }

    /** Where a rank's time lies in its part of the table. */
    public static long time(long table) {
        return table + TIME;
    }

    /** Linked to nobody: before it is in a queue, and for whoever has the descriptor next, when it is in none any more. */
    public void unlink(Request request) {
        own.setRelease(request.descriptor() + Descriptor.NEXT, Tail.FREE);
    }

    /** Makes a claim of a thread that has left none behind. */
    public interface Restoring {
        @Nullable Claim restore(OwnDescriptor descriptor, long phase);
    }

    /**
     * What a thread of this process has that lock by; null if none has. It may be released before this returns, and {@link Claim#releases} says so then.
     *
     * @param restoring of those that were not requests
     */
    public @Nullable Claim held(long lock, Restoring restoring) {
        for (OwnDescriptor any : owns) {
            long phase = holds(any, lock);
            if (phase != NOT_HOLDING) {
                Request last = holding.getAcquire(any.index());
                return last != null && last.turn() == Phase.turn(phase) ? last : restoring.restore(any, phase);
            }
        }
        return null;
    }

    /** The phase in which it holds that lock, else {@link #NOT_HOLDING}. */
    private long holds(OwnDescriptor any, long lock) {
        long phase = own.getAcquire(any.at(own) + Descriptor.PHASE);
        boolean holds = Phase.kind(phase) == Phase.HOLDING && own.getAcquire(any.at(own) + Descriptor.LOCK) == lock
                && own.getAcquire(any.at(own) + Descriptor.PHASE) == phase;
        return holds ? phase : NOT_HOLDING;
    }

    /**
     * To be called by a thread that is about to wait for the request's lock. No verb; a look at each descriptor of this process.
     *
     * @throws HeldByThisThread if the thread holds that lock: nobody would release it
     */
    public void refuseIfHeldByThisThread(Request request) {
        Thread thread = Thread.currentThread();
        for (OwnDescriptor any : owns) {
            long phase = holds(any, request.lock());
            if (phase != NOT_HOLDING && any.isHeldBy(thread, Phase.turn(phase))) {
                throw new HeldByThisThread(request.index(), any.key(Phase.turn(phase)));
            }
        }
    }

    /** Before the predecessor learns of the request: it may have to look whether it is still there. */
    public void predecessor(Request request, long predecessor) {
        own.setVolatile(request.descriptor() + Descriptor.PREDECESSOR, predecessor);
    }

    public long grant(Request request) {
        return own.getAcquire(request.descriptor() + Descriptor.GRANT);
    }

    // --- those of all ranks ---

    /** Whether whoever the tail names has ended, and is shut out where the request's lock lies; nobody has in a free one. */
    public boolean hasEnded(Request request, long tail) {
        return tail != Tail.FREE
                && participant.liveness().isFenced(Tail.rank(tail), Tail.incarnation(tail), request.owner());
    }

    /** Returns the link of whoever the tail names. Cost: R. */
    public long next(long tail) {
        Parts now = parts;
        return now.endpoint().readWord(Tail.rank(tail), offset(now, tail) + Descriptor.NEXT);
    }

    /** Whether the descriptor's request waits, not granted, behind this one. Cost: 2R, one after the other. */
    public boolean waitsBehind(long tail, Request request) {
        Parts now = parts;
        Endpoint endpoint = now.endpoint();
        int rank = Tail.rank(tail);
        long descriptor = offset(now, tail);
        // The grant first: a next request takes it back after the predecessor, so that its none is not seen with the predecessor of the one before.
        return endpoint.readWord(rank, descriptor + Descriptor.GRANT) == Grant.NONE
                && Tail.isSameDescriptor(endpoint.readWord(rank, descriptor + Descriptor.PREDECESSOR), request.name());
    }

    /**
     * Where a descriptor stands in the queue of a lock.
     *
     * @param phase its kind; {@link Phase#IDLE} if the descriptor is about another lock by now
     * @param predecessor of one that leaves; else {@link Tail#FREE}
     */
    public record Standing(long phase, long predecessor) {

        private static final Standing ELSEWHERE = new Standing(Phase.IDLE, Tail.FREE);
    }

    /** Where whoever the tail names stands in the queue of the request's lock. Cost: 3R, one after the other; R more for one that leaves. */
    public Standing standing(long tail, Request request) {
        Parts now = parts;
        Endpoint endpoint = now.endpoint();
        int rank = Tail.rank(tail);
        long descriptor = offset(now, tail);
        long phase = endpoint.readWord(rank, descriptor + Descriptor.PHASE);
        boolean leaves = Phase.kind(phase) == Phase.LEAVING;
        // Before the turn is read again: it is of that turn.
        long predecessor = leaves ? endpoint.readWord(rank, descriptor + Descriptor.PREDECESSOR) : Tail.FREE;
        return isFor(now, request.lock(), tail, Phase.turn(phase))
                ? new Standing(Phase.kind(phase), predecessor)
                : Standing.ELSEWHERE;
    }

    /** How many there are of each rank. */
    public int ofThisRank() {
        return count;
    }

    /** How many there are of all ranks. */
    public int ofAllRanks() {
        return participant.size() * count;
    }

    /** Whether whoever the tail names is a request of this process that has given up. */
    public boolean leavesHere(long tail) {
        return Tail.rank(tail) == rank
                && Phase.kind(own.getAcquire(ownOffset(tail) + Descriptor.PHASE)) == Phase.LEAVING;
    }

    /** Whether a thread that waits for nobody may ask now whether a holder has died: some times a second, since that costs a system call or more. */
    public boolean mayDoubt() {
        long now = participant.nowMillis();
        boolean may = now != doubtedMillis;
        doubtedMillis = now;
        return may;
    }

    /** Takes a request for a lock. */
    public interface Visitor {

        /** @param words of the descriptor, which is in use for a lock, from that position on */
        void visit(long name, Batch words, long position);
    }

    /** What a rank's requests belong to: its incarnation; the last one of its former segment if nobody has opened the table in the present one. Cost: R. */
    public int incarnation(int rank) {
        Parts now = parts;
        return Math.max((int) now.endpoint().readWord(rank, now.requests(rank)), now.born(rank) - 1);
    }

    /** Visits the rank's requests for the lock of that request that are under way. Cost: R for each 512 descriptors, and 2R for each of those. */
    public void visit(int rank, Request request, Visitor visitor) {
        long lock = request.lock();
        Parts now = parts;
        visit(now.endpoint(), rank, participant.maxSize(), now.requests(rank), shared, (name, words, position) -> {
            if (words.word(position + Descriptor.LOCK) == lock
                    && isFor(now, lock, name, Phase.turn(words.word(position + Descriptor.PHASE)))) {
                visitor.visit(name, words, position);
            }
        });
    }

    /** Whether that turn of the descriptor is for the lock: the words of it that were read before need not be of one turn. Within one, the lock stays the same. */
    private boolean isFor(Parts now, long lock, long name, long turn) {
        Endpoint endpoint = now.endpoint();
        int rank = Tail.rank(name);
        long descriptor = offset(now, name);
        return endpoint.readWord(rank, descriptor + Descriptor.LOCK) == lock
                && Phase.turn(endpoint.readWord(rank, descriptor + Descriptor.PHASE)) == turn;
    }

    /**
     * Visits all of the rank's requests that are under way. Cost: R, and R for each 512 descriptors.
     *
     * @param maxSize ranks that may ever be in the world
     * @param table where the rank's begin
     * @param shared how many any thread may claim
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
