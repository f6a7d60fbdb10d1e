package io.atoll.lock.request;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.lock.words.Descriptor;
import io.atoll.lock.words.Grant;
import io.atoll.lock.words.Phase;
import io.atoll.lock.words.Tail;
import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import io.atoll.world.Participant;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.Stream;
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
 * The first of each are kept by a thread each, the others are any thread's.
 *
 * <p>The incarnation is that of the process whose requests these are. Two tables, because somebody who stands still may be about to write to a request of the incarnation before. (Should a
 * rank be started again twice while another one stands still in the middle of a release, that one would write to a request that is not meant.)
 */
public final class Descriptors {

    /** The most of a rank that any thread may claim. */
    public static final int MAXIMUM = (1 << 16) - Descriptor.MOST_KEPT;

    /** What stands in a descriptor of this process, as the thread that uses it knows: a look at the heap costs less than one at the segment. */
    private static final class Noted {

        private @Nullable Thread thread;
        private long lock;
        private long sinceMillis;
    }

    /** None of the claimed. */
    public static final long NONE = -1;

    private static final int INDEX_BITS = 16;

    private static final long FIRST = Layouts.CACHE_LINE;
    private static final long SCATTER = 0x9E3779B97F4A7C15L; // 2^64 by the golden ratio: spreads numbers that follow each other

    private final Participant participant;
    private final Endpoint endpoint;
    private final LocalMemory own;
    private final long[] tables;
    private final int shared;
    private final int kept;
    private final int count; // of both
    private final long first; // of this process, in lines
    private final long firstName;
    private final AtomicReferenceArray<@Nullable Thread> keepers; // of those that are kept
    private final Noted[] noted; // of each
    private final AtomicReferenceArray<@Nullable Request> holding; // that had a lock by each last
    private final int[] lastIncarnations; // as they were last read

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
        this.kept = Descriptor.kept(shared);
        this.count = shared + kept;
        this.firstName = Tail.descriptor(endpoint.rank(), participant.incarnation(), 0);
        this.first = offset(endpoint.rank(), participant.incarnation(), 0) / Descriptor.SIZE;
        this.keepers = new AtomicReferenceArray<>(kept);
        this.noted = Stream.generate(Noted::new).limit(count).toArray(Noted[]::new);
        this.holding = new AtomicReferenceArray<>(count);
        this.lastIncarnations = new int[participant.size()];
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
            for (int index = 0; index < count; index++) {
                own.setRelease(at(index) + Descriptor.NEXT, Tail.FREE);
                own.setRelease(at(index) + Descriptor.PHASE, Phase.IDLE);
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

    /** Where one of this process lies. */
    private long at(int index) {
        return at(own, index);
    }

    /** As it is known to lie there, see {@link LocalMemory#line}. */
    public long at(LocalMemory own, int index) {
        return own.line((first + index) * Descriptor.SIZE);
    }

    // --- the own ones ---

    /**
     * One that is in no use, until {@link Claim#end}, for that lock: its {@linkplain #index index} and {@linkplain #turn turn} in one word. Nobody else claims it before {@link #begin} or {@link
     * #holds(LocalMemory, long, long)}.
     *
     * @param lock where it lies, as {@link Descriptor#lock}
     * @throws IllegalStateException when all are in use
     */
    public long claim(long lock) {
        Thread thread = Thread.currentThread();
        int index = kept(thread);
        if (noted[index].thread == thread || keeps(index, thread)) {
            // In no order: whatever is done with it begins by a release or an exchange, which no load passes.
            long phase = own.get(at(index) + Descriptor.PHASE);
            if (Phase.kind(phase) == Phase.IDLE) {
                prepare(index, lock);
                return claimed(index, phase);
            }
        }
        return claimShared(thread, lock);
    }

    /**
     * As {@link #claim}, if nothing is to be written for it, as mostly, else {@link #NONE}.
     *
     * @param own this process's
     */
    public long claimAtOnce(LocalMemory own, long lock) {
        long now = participant.nowMillis();
        Thread thread = Thread.currentThread();
        int index = kept(thread);
        Noted known = noted[index];
        long phase = own.get(at(own, index) + Descriptor.PHASE);
        long differs = Phase.kind(phase) ^ Phase.IDLE | known.lock ^ lock | known.sinceMillis ^ now; // one branch for all
        return known.thread == thread && differs == 0 ? claimed(index, phase) : NONE;
    }

    /** Which one the thread keeps, if one: threads that begin together have numbers that follow each other. */
    private int kept(Thread thread) {
        return (int) thread.threadId() & Descriptor.MOST_KEPT - 1 & kept - 1;
    }

    /**
     * Whether it is the thread's from now on, as long as that lives, which alone claims it then: by a load, where all others need an exchange. Not before what a thread that has ended has begun
     * with it is over.
     */
    private boolean keeps(int index, Thread thread) {
        Thread keeper = keepers.get(index);
        boolean keeps = (keeper == null || !keeper.isAlive())
                && Phase.kind(own.getAcquire(at(index) + Descriptor.PHASE)) == Phase.IDLE
                && keepers.compareAndSet(index, keeper, thread);
        if (keeps) {
            noteThread(index, thread);
        }
        return keeps;
    }

    private long claimShared(Thread thread, long lock) {
        int first = spread(thread);
        for (int probe = 0; probe < shared; probe++) {
            int index = kept + (first + probe < shared ? first + probe : first + probe - shared);
            long phase = own.get(at(index) + Descriptor.PHASE);
            if (Phase.kind(phase) == Phase.IDLE
                    && exchangePhase(index, phase, Phase.of(Phase.turn(phase), Phase.CLAIMED))) {
                if (noted[index].thread != thread) {
                    noteThread(index, thread);
                }
                prepare(index, lock);
                return claimed(index, phase);
            }
        }
        throw new IllegalStateException(
                "as many threads of this rank hold a lock or wait for one as there are descriptors, give the table more: descriptors="
                        + shared + " rank=" + endpoint.rank());
    }

    private static long claimed(int index, long phase) {
        return (Phase.turn(phase) << INDEX_BITS) + index;
    }

    /** Of those that any may claim: the same again for the same thread, another one for most others. */
    private int spread(Thread thread) {
        return (int) (((thread.threadId() * SCATTER) >>> Integer.SIZE) * shared >>> Integer.SIZE);
    }

    private boolean exchangePhase(int index, long expected, long value) {
        return own.compareAndExchange(at(index) + Descriptor.PHASE, expected, value) == expected;
    }

    public static int index(long claimed) {
        return (int) (claimed & (1 << INDEX_BITS) - 1);
    }

    public static long turn(long claimed) {
        return claimed >>> INDEX_BITS;
    }

    /** As words of locks name it. */
    public long name(int index) {
        return Tail.atIndex(firstName, index);
    }

    /**
     * For that lock from now on. Most of it is mostly there already, since a thread mostly has the same descriptor, and a look costs less than a store. Before it is in a queue.
     */
    private void prepare(int index, long lock) {
        long now = participant.nowMillis();
        Noted known = noted[index];
        long descriptor = at(index);
        if (known.lock != lock) {
            known.lock = lock;
            own.setRelease(descriptor + Descriptor.LOCK, lock);
        }
        if (known.sinceMillis != now) {
            noteTime(known, descriptor, now);
        }
    }

    private void noteTime(Noted known, long descriptor, long millis) {
        known.sinceMillis = millis;
        own.setRelease(descriptor + Descriptor.SINCE, millis);
    }

    private void noteThread(int index, Thread thread) {
        noted[index].thread = thread;
        long offset = at(index) + Descriptor.THREAD;
        ByteBuffer name = ByteBuffer.wrap(Arrays.copyOf(thread.getName().getBytes(UTF_8), Descriptor.NAME_BYTES))
                .order(ByteOrder.LITTLE_ENDIAN);
        for (int at = 0; at < Descriptor.NAME_BYTES; at += Long.BYTES) {
            own.setRelease(offset + at, name.getLong(at));
        }
    }

    /** In the queue of that lock from now on, or about to be. */
    public void begin(Request request) {
        long descriptor = request.offset();
        unlink(request);
        phase(request, Phase.ENQUEUEING);
        // After the phase, so that who repairs does not take what was passed before for something that is passed now.
        own.setRelease(descriptor + Descriptor.PREDECESSOR, Tail.FREE);
        // Before others learn of the request, whose words would be overtaken, and lost: the exchange of the CPU sees to that, a verb does not.
        store(request, Descriptor.GRANT, Grant.NONE);
    }

    private void store(Request request, long field, long value) {
        if (request.isByCpu()) {
            own.setRelease(request.offset() + field, value);
        } else {
            own.setVolatile(request.offset() + field, value);
        }
    }

    /** Whoever repairs must know of it before any later access of the thread to the line; nobody repairs the owner's cohort. */
    public void phase(Request request, long kind) {
        store(request, Descriptor.PHASE, Phase.of(request.turn(), kind));
    }

    /** It has a lock for which it has not waited, and which nobody repairs. */
    public static void holds(LocalMemory own, long descriptor, long claimed) {
        own.setRelease(descriptor + Descriptor.PHASE, Phase.of(turn(claimed), Phase.HOLDING));
    }

    /** It has the lock. */
    public void holds(Request request) {
        if (request.hasWaited()) {
            noteTime(noted[index(request.claimed())], request.offset(), participant.nowMillis());
        }
        holding.setRelease(index(request.claimed()), request);
        phase(request, Phase.HOLDING);
    }

    /** Linked to nobody: before it is in a queue, and for whoever has the descriptor next, when it is in none any more. */
    public void unlink(Request request) {
        own.setRelease(request.offset() + Descriptor.NEXT, Tail.FREE);
    }

    /** Makes a claim of a thread that has left none behind. */
    public interface Restoring {
        @Nullable Claim restore(long claimed);
    }

    /**
     * What a thread of this process has that lock by; null if none has. It may be released before this returns, and {@link Claim#releases} says so then.
     *
     * @param restoring of those that were not requests
     */
    public @Nullable Claim held(long lock, Restoring restoring) {
        for (int index = 0; index < count; index++) {
            long phase = own.getAcquire(at(index) + Descriptor.PHASE);
            if (Phase.kind(phase) == Phase.HOLDING && own.getAcquire(at(index) + Descriptor.LOCK) == lock
                    && own.getAcquire(at(index) + Descriptor.PHASE) == phase) {
                Request last = holding.getAcquire(index);
                long turn = Phase.turn(phase);
                return last != null && last.turn() == turn ? last : restoring.restore(turn << INDEX_BITS | index);
            }
        }
        return null;
    }

    /** Before the predecessor learns of the request: it may have to look whether it is still there. */
    public void predecessor(Request request, long predecessor) {
        own.setVolatile(request.offset() + Descriptor.PREDECESSOR, predecessor);
    }

    public long grant(Request request) {
        return own.getAcquire(request.offset() + Descriptor.GRANT);
    }

    // --- those of all ranks ---

    /** Whether whoever the tail names has ended, and is shut out where the request's lock lies; nobody has in a free one. */
    public boolean hasEnded(Request request, long tail) {
        return tail != Tail.FREE
                && participant.liveness().isFenced(Tail.rank(tail), Tail.incarnation(tail), request.owner());
    }

    /** Whether the descriptor's request waits, not granted, behind this one. Cost: 2R, one after the other. */
    public boolean waitsBehind(long tail, Request request) {
        int rank = Tail.rank(tail);
        long descriptor = offset(tail);
        // The grant first: a next request takes it back after the predecessor, so that its none is not seen with the predecessor of the one before.
        return endpoint.readWord(rank, descriptor + Descriptor.GRANT) == Grant.NONE
                && Tail.isSameDescriptor(endpoint.readWord(rank, descriptor + Descriptor.PREDECESSOR), request.name());
    }

    /** Takes a request for a lock. */
    public interface Visitor {

        /** @param words of the descriptor, which is in use for a lock, from that position on */
        void visit(long name, Batch words, long position);
    }

    /** What a rank's requests belong to: its incarnation. Cost: R. */
    public int incarnation(int rank) {
        int incarnation = (int) endpoint.readWord(rank, tables[rank]);
        lastIncarnations[rank] = incarnation;
        return incarnation;
    }

    /** As {@link #incarnation}, when this process last asked; 0 if it never did. No verb. */
    public int lastIncarnation(int rank) {
        return lastIncarnations[rank];
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
            Batch batch = endpoint.batch(rank);
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
