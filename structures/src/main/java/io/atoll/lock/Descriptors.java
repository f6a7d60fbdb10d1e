package io.atoll.lock;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Clock;
import io.atoll.fabric.Endpoint;
import io.atoll.failure.Beforehand;
import io.atoll.failure.RankUnreachableException;
import io.atoll.failure.SegmentLostException;
import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import io.atoll.world.Liveness.LaterSegment;
import io.atoll.world.Participant;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;
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
 * <p>The incarnation is that of the process whose requests these are. There are two tables, since a process that stands
 * still may be about to write to an earlier incarnation's request. (A rank may be started again twice while another
 * rank stands still in the middle of a release. That release then writes to a wrong request.)
 *
 * <p>{@link DescriptorPool} tells which thread uses which of the own descriptors. {@link LostSegments} tells when a
 * descriptor may be used again whose lock was lost.
 */
final class Descriptors {

    /** The largest number of descriptors of a rank that any thread may claim. */
    public static final int MAXIMUM = (1 << 16) - Descriptor.MOST_KEPT;

    private static final long NOT_HOLDING = Phase.IDLE;
    private static final long TIME = Layouts.WORD;

    private final Participant participant;
    private final int rank;
    private final Clock clock;
    private final LocalMemory own;
    private final long ownTable;
    private final long first; // offset of the descriptors in a table
    private volatile Parts parts; // replaced by one thread at a time
    private volatile Participant reached; // the participant whose losses the parts know of; written after them
    private final int shared;
    private final int count; // number of the shared and the kept descriptors
    private volatile long doubtedMillis;
    private final OwnDescriptor[] owns; // all descriptors of this process
    private final DescriptorPool pool;
    private final LostSegments lost;
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
        this.shared = shared;
        this.count = shared + Descriptor.kept(shared);
        this.owns = IntStream.range(0, count)
                .mapToLong(index -> Tail.descriptor(rank, participant.incarnation(), index))
                .mapToObj(name -> new OwnDescriptor(ownOffset(name), name, noteOffset(name)))
                .toArray(OwnDescriptor[]::new);
        this.pool = new DescriptorPool(participant, clock, own, owns, shared);
        this.holding = new AtomicReferenceArray<>(count);
        this.lost = new LostSegments(this, ownTable, owns);
        begin();
        for (int owner = 0; owner < parts.ranks(); owner++) {
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

    /** Returns the descriptors of this process, for threads that claim them. */
    public DescriptorPool pool() {
        return pool;
    }

    /** Returns how this process leaves the segments that ranks have lost. */
    public LostSegments lost() {
        return lost;
    }

    /** Ends what earlier incarnations asked for. They have ended, and no rank takes their requests for this one's. */
    private void begin() {
        if (own.getAcquire(ownTable) != participant.incarnation()) {
            for (OwnDescriptor any : owns) {
                own.setRelease(any.at(own) + Descriptor.NEXT, Tail.FREE);
                own.setRelease(any.at(own) + Descriptor.PHASE, Phase.IDLE);
                any.begin(own);
            }
            lost.begin();
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

    // --- the segments that this process reaches ---

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

    /**
     * Returns which later segment a rank has, if any, besides the one that this process reaches. A caller that must
     * miss no request of the rank asks this after it has read them.
     */
    public LaterSegment laterSegment(int any) {
        return any == rank ? LaterSegment.NONE : participant.liveness().laterSegment(any, parts.born(any));
    }

    // --- the own descriptors ---

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
                RequestedHold last = lastHeld(any);
                return last != null && last.turn() == Phase.turn(phase) ? last : restoring.restore(any, phase);
            }
        }
        return null;
    }

    /** Returns the last request of the descriptor that held a lock; null if none did. It may be over. */
    @Nullable RequestedHold lastHeld(OwnDescriptor any) {
        return holding.getAcquire(any.index());
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
