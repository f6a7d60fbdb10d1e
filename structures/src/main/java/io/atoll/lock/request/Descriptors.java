package io.atoll.lock.request;

import io.atoll.background.BackgroundThread;
import io.atoll.fabric.Backoff;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.failure.Beforehand;
import io.atoll.lock.words.Descriptor;
import io.atoll.lock.words.Grant;
import io.atoll.lock.words.Phase;
import io.atoll.lock.words.Tail;
import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import io.atoll.world.Participant;
import io.atoll.world.waiting.WaitingLine;
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
 *       0             64                         64 + count * 64
 *       +-------------+--------------------------+--------------------------+
 *       | incarnation |  descriptors of an even  |  descriptors of an odd   |
 *       |             |  incarnation             |  incarnation             |
 *       +-------------+--------------------------+--------------------------+
 * </pre>
 * The first of each are kept by a thread each, the others are any thread's, or those of threads that hold a lock already.
 *
 * <p>The incarnation is that of the process whose requests these are. Two tables, because somebody who stands still may be about to write to a request of the incarnation before. (Should a
 * rank be started again twice while another one stands still in the middle of a release, that one would write to a request that is not meant.)
 */
public final class Descriptors {

    /** The most of a rank that any thread may claim. */
    public static final int MAXIMUM = (1 << 16) - Descriptor.MOST_KEPT;

    /**
     * Of eight descriptors that any thread may claim, so many are for threads that hold no lock. With {@value Descriptor#MOST_KEPT} kept by a thread each and 256 others, 160 threads hold or await their
     * first lock, and 160 descriptors are left for a second one. Of few descriptors none are set aside.
     */
    private static final int FIRSTS_OF_EIGHT = 3;

    private static final long NOT_HOLDING = Phase.IDLE;
    private static final long FIRST = Layouts.CACHE_LINE;
    private static final long SCATTER = 0x9E3779B97F4A7C15L; // 2^64 by the golden ratio: spreads numbers that follow each other

    private final Participant participant;
    private final Endpoint endpoint;
    private final LocalMemory own;
    private final long[] tables;
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
     * @param tables where those of each rank begin in its segment
     * @param shared how many any thread may claim; there are some more, of which each is kept by a thread
     */
    public Descriptors(Participant participant, long[] tables, int shared) {
        this.participant = participant;
        this.endpoint = participant.endpoint();
        this.own = endpoint.fabric().local();
        this.tables = tables;
        this.shared = shared;
        this.count = shared + Descriptor.kept(shared);
        this.firsts = shared < Descriptor.MOST_KEPT ? shared : shared * FIRSTS_OF_EIGHT / 8;
        this.line = new WaitingLine(endpoint.clock());
        this.unreachable = new AtomicIntegerArray(participant.size());
        this.owns = IntStream.range(0, count)
                .mapToLong(index -> Tail.descriptor(endpoint.rank(), participant.incarnation(), index))
                .mapToObj(name -> new OwnDescriptor(offset(name), name))
                .toArray(OwnDescriptor[]::new);
        this.all = List.of(owns);
        this.kept = Arrays.copyOf(owns, Descriptor.kept(shared));
        this.keepers = new AtomicReferenceArray<>(kept.length);
        this.holding = new AtomicReferenceArray<>(count);
        begin();
    }

    public Endpoint endpoint() {
        return endpoint;
    }

    public Participant participant() {
        return participant;
    }

    /** What earlier incarnations asked for is over: they have ended, and nobody takes their requests for this one's. */
    private void begin() {
        long table = tables[endpoint.rank()];
        if (own.getAcquire(table) != participant.incarnation()) {
            for (OwnDescriptor any : owns) {
                own.setRelease(any.at(own) + Descriptor.NEXT, Tail.FREE);
                own.setRelease(any.at(own) + Descriptor.PHASE, Phase.IDLE);
            }
            own.setVolatile(table, participant.incarnation());
        }
    }

    /** Where the request lies that is named in a tail. */
    public long offset(long tail) {
        return offset(Tail.rank(tail), Tail.incarnation(tail), Tail.index(tail));
    }

    private long offset(int rank, int incarnation, int index) {
        return offset(tables[rank], incarnation, count, index);
    }

    private static long offset(long table, int incarnation, int count, int index) {
        return table + FIRST + ((incarnation & 1) * count + index) * Descriptor.SIZE;
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
        var backoff = new Backoff(endpoint.clock(), timeout);
        OwnDescriptor any = claimShared(thread, shared);
        while (any == null && !patience.isOver()) {
            if (!backoff.pause()) {
                throw new IllegalStateException("threads of this rank that hold locks of the table have all its "
                        + "descriptors, and none of them goes on: give it more (LockTable.Builder.descriptors, "
                        + "atoll.lock-tables.*.descriptors), or hold fewer locks at once: descriptors=" + shared
                        + " rank=" + endpoint.rank() + " timeoutMillis=" + timeout.toMillis());
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
     * @throws io.atoll.failure.FabricException when it still cannot
     */
    public void refuseIfUnreachable(int owner, long line) {
        if (unreachable.get(owner) != 0) {
            endpoint.readWord(owner, line);
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
        holding.setRelease(Tail.index(request.name()), request);
        phase(request, Phase.HOLDING);
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
            long phase = holds(any, request.pointer());
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
        return endpoint.readWord(Tail.rank(tail), offset(tail) + Descriptor.NEXT);
    }

    /** Whether the descriptor's request waits, not granted, behind this one. Cost: 2R, one after the other. */
    public boolean waitsBehind(long tail, Request request) {
        int rank = Tail.rank(tail);
        long descriptor = offset(tail);
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
        int rank = Tail.rank(tail);
        long descriptor = offset(tail);
        long phase = endpoint.readWord(rank, descriptor + Descriptor.PHASE);
        boolean leaves = Phase.kind(phase) == Phase.LEAVING;
        // Before the turn is read again: it is of that turn.
        long predecessor = leaves ? endpoint.readWord(rank, descriptor + Descriptor.PREDECESSOR) : Tail.FREE;
        return isFor(request.pointer(), tail, Phase.turn(phase))
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
        return Tail.rank(tail) == endpoint.rank()
                && Phase.kind(own.getAcquire(offset(tail) + Descriptor.PHASE)) == Phase.LEAVING;
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

    /** What a rank's requests belong to: its incarnation. Cost: R. */
    public int incarnation(int rank) {
        return (int) endpoint.readWord(rank, tables[rank]);
    }

    /** Visits the rank's requests for the lock of that request that are under way. Cost: R for each 512 descriptors, and 2R for each of those. */
    public void visit(int rank, Request request, Visitor visitor) {
        long lock = request.pointer();
        visit(rank, (name, words, position) -> {
            if (words.word(position + Descriptor.LOCK) == lock
                    && isFor(lock, name, Phase.turn(words.word(position + Descriptor.PHASE)))) {
                visitor.visit(name, words, position);
            }
        });
    }

    /** Whether that turn of the descriptor is for the lock: the words of it that were read before need not be of one turn. Within one, the lock stays the same. */
    private boolean isFor(long lock, long name, long turn) {
        int rank = Tail.rank(name);
        long descriptor = offset(name);
        return endpoint.readWord(rank, descriptor + Descriptor.LOCK) == lock
                && Phase.turn(endpoint.readWord(rank, descriptor + Descriptor.PHASE)) == turn;
    }

    /** Visits all of the rank's requests that are under way. Cost: R for each 512 descriptors. */
    private void visit(int rank, Visitor visitor) {
        visit(endpoint, rank, tables[rank], incarnation(rank), count, visitor);
    }

    /**
     * As {@link #visit(int, Request, Visitor)}, all of them, for those who have none of their own. Cost: R more.
     *
     * @param table where the rank's begin
     * @param shared how many any thread may claim
     */
    public static void visit(Endpoint endpoint, int rank, long table, int shared, Visitor visitor) {
        visit(endpoint, rank, table, (int) endpoint.readWord(rank, table), shared + Descriptor.kept(shared), visitor);
    }

    private static void visit(Endpoint endpoint, int rank, long table, int incarnation, int count, Visitor visitor) {
        int inBuffer = (int) (Batch.THREAD_BUFFER_BYTES / Descriptor.SIZE);
        for (int from = 0; from < count; from += inBuffer) {
            int end = Math.min(count, from + inBuffer);
            try (Batch batch = endpoint.batch(rank)) {
                batch.read(rank, offset(table, incarnation, count, from), 0, (end - from) * Descriptor.SIZE);
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
