package io.atoll.lock.protocol;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.memory.GlobalPointer;
import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import io.atoll.world.Participant;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
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
 * The incarnation is that of the process whose requests these are. Two tables, because somebody who stands still may be about to write to a request of the incarnation before. (Should a
 * rank be started again twice while another one stands still in the middle of a release, that one would write to a request that is not meant.) Which of its own are free a process
 * knows without looking there.
 */
final class Descriptors {

    private static final long FIRST = Layouts.CACHE_LINE;
    private static final int NONE = -1;

    private final Participant participant;
    private final Endpoint endpoint;
    private final LocalMemory own;
    private final long[] tables;
    private final int count;
    private final AtomicIntegerArray nextFree; // index of the next free one, or NONE
    private final long[] numbers;
    private final @Nullable Thread[] threads; // that used each last
    private final int[] lastIncarnations; // as they were last read
    private final AtomicLong firstFree; // in the low half the index, in the high half how often it was changed

    /** @param tables where those of each rank begin in its segment */
    Descriptors(Participant participant, long[] tables, int count) {
        this.participant = participant;
        this.endpoint = participant.endpoint();
        this.own = endpoint.fabric().local();
        this.tables = tables;
        this.count = count;
        this.nextFree = new AtomicIntegerArray(count);
        for (int index = 0; index < count; index++) {
            nextFree.set(index, index + 1 < count ? index + 1 : NONE);
        }
        this.numbers = new long[count];
        this.threads = new Thread[count];
        this.firstFree = new AtomicLong(0);
        this.lastIncarnations = new int[participant.size()];
        begin();
    }

    static long bytes(int count) {
        return FIRST + 2 * count * Descriptor.SIZE;
    }

    Endpoint endpoint() {
        return endpoint;
    }

    Participant participant() {
        return participant;
    }

    /** What earlier incarnations asked for is over: they have ended, and nobody takes their requests for this one's. */
    private void begin() {
        long table = tables[endpoint.rank()];
        if (own.getAcquire(table) != participant.incarnation()) {
            for (int index = 0; index < count; index++) {
                long descriptor = offset(endpoint.rank(), participant.incarnation(), index);
                own.setRelease(descriptor + Descriptor.PHASE, Descriptor.IDLE);
                own.setRelease(descriptor + Descriptor.NUMBER, 0);
            }
            own.setVolatile(table, participant.incarnation());
        }
    }

    /** Where the request lies that is named in a tail. */
    long offset(long tail) {
        return offset(Tail.rank(tail), Tail.incarnation(tail), Tail.index(tail));
    }

    private long offset(int rank, int incarnation, int index) {
        return tables[rank] + FIRST + ((incarnation & 1) * count + index) * Descriptor.SIZE;
    }

    // --- the own ones ---

    /** @throws IllegalStateException when all are in use */
    Request claim(int owner, long line, Cohort cohort) {
        int index = pop();
        long self = Tail.descriptor(endpoint.rank(), participant.incarnation(), index);
        return new Request(owner, line, index, offset(self), self, cohort);
    }

    private int pop() {
        while (true) {
            long first = firstFree.get();
            int index = (int) first;
            if (index == NONE) {
                throw new IllegalStateException(
                        "as many threads of this rank hold a lock or wait for one as there are descriptors, give the table more: descriptors="
                                + count + " rank=" + endpoint.rank());
            }
            if (firstFree.compareAndSet(first, changed(first, nextFree.get(index)))) {
                return index;
            }
        }
    }

    void giveBack(Request request) {
        long first;
        do {
            first = firstFree.get();
            nextFree.set(request.index, (int) first);
        } while (!firstFree.compareAndSet(first, changed(first, request.index)));
    }

    private static long changed(long first, int index) {
        return ((first >>> Integer.SIZE) + 1) << Integer.SIZE | Integer.toUnsignedLong(index);
    }

    /** In the queue of that lock from now on, or about to be. */
    void begin(Request request) {
        long descriptor = request.descriptor;
        own.setRelease(descriptor + Descriptor.LOCK, pointer(request));
        own.setRelease(descriptor + Descriptor.NUMBER, ++numbers[request.index]);
        noteThread(request, Thread.currentThread());
        phase(request, Descriptor.ENQUEUEING);
        // After the phase, so that who repairs does not take what was passed before for something that is passed now.
        own.setRelease(request.descriptor + Descriptor.NEXT, Tail.FREE);
        own.setRelease(request.descriptor + Descriptor.PREDECESSOR, Tail.FREE);
        // Before others learn of the request, whose words would be overtaken, and lost.
        own.setVolatile(request.descriptor + Descriptor.GRANT, Grant.NONE);
        request.predecessor = Tail.FREE;
    }

    /** Once for several requests of one thread: that costs more than all else. */
    private void noteThread(Request request, Thread thread) {
        if (threads[request.index] != thread) {
            threads[request.index] = thread;
            ByteBuffer name = ByteBuffer.wrap(Arrays.copyOf(thread.getName().getBytes(UTF_8), Descriptor.NAME_BYTES))
                    .order(ByteOrder.LITTLE_ENDIAN);
            for (int at = 0; at < Descriptor.NAME_BYTES; at += Long.BYTES) {
                own.setRelease(request.descriptor + Descriptor.THREAD + at, name.getLong(at));
            }
        }
    }

    static long pointer(Request request) {
        return (long) request.owner << GlobalPointer.OFFSET_BITS | request.line;
    }

    /** Before any later access of the thread to the line, for whoever repairs; which nobody does to the owner's cohort. */
    void phase(Request request, long phase) {
        long word = request.descriptor + Descriptor.PHASE;
        if (request.cohort instanceof LocalCohort) {
            own.setRelease(word, phase);
        } else {
            own.setVolatile(word, phase);
        }
    }

    /** Before the predecessor learns of the request: it may have to look whether it is still there. */
    void predecessor(Request request, long predecessor) {
        request.predecessor = predecessor;
        own.setVolatile(request.descriptor + Descriptor.PREDECESSOR, predecessor);
    }

    long grant(Request request) {
        return own.getAcquire(request.descriptor + Descriptor.GRANT);
    }

    long next(Request request) {
        return own.getAcquire(request.descriptor + Descriptor.NEXT);
    }

    // --- those of all ranks ---

    /** Whether whoever the tail names has ended, and is shut out where the request's lock lies; nobody has in a free one. */
    boolean hasEnded(Request request, long tail) {
        return tail != Tail.FREE
                && participant.liveness().isFenced(Tail.rank(tail), Tail.incarnation(tail), request.owner);
    }

    /** Whether the descriptor's request waits, not granted, behind this one. Cost: R. */
    boolean waitsBehind(long tail, Request request) {
        int rank = Tail.rank(tail);
        Batch batch = endpoint.batch(rank);
        batch.read(rank, offset(tail), 0, Descriptor.SIZE);
        batch.complete();
        return batch.word(Descriptor.LOCK) == pointer(request)
                && Tail.isSameDescriptor(batch.word(Descriptor.PREDECESSOR), request.self)
                && batch.word(Descriptor.GRANT) == Grant.NONE;
    }

    /** Takes a request for a lock. */
    interface Visitor {
        void visit(long self, long phase, long grant);
    }

    /** What a rank's requests belong to: its incarnation. Cost: R. */
    int incarnation(int rank) {
        int incarnation = (int) endpoint.readWord(rank, tables[rank]);
        lastIncarnations[rank] = incarnation;
        return incarnation;
    }

    /** As {@link #incarnation}, when this process last asked; 0 if it never did. No verb. */
    int lastIncarnation(int rank) {
        return lastIncarnations[rank];
    }

    /** Visits the rank's requests for the lock that are under way. Cost: R for each 512 descriptors. */
    void visit(int rank, long lock, Visitor visitor) {
        int incarnation = incarnation(rank);
        int inBuffer = (int) (Batch.THREAD_BUFFER_BYTES / Descriptor.SIZE);
        for (int from = 0; from < count; from += inBuffer) {
            int end = Math.min(count, from + inBuffer);
            Batch batch = endpoint.batch(rank);
            batch.read(rank, offset(rank, incarnation, from), 0, (end - from) * Descriptor.SIZE);
            batch.complete();
            for (int index = from; index < end; index++) {
                long position = (index - from) * Descriptor.SIZE;
                long phase = batch.word(position + Descriptor.PHASE);
                if (phase != Descriptor.IDLE && batch.word(position + Descriptor.LOCK) == lock) {
                    visitor.visit(Tail.descriptor(rank, incarnation, index), phase,
                            batch.word(position + Descriptor.GRANT));
                }
            }
        }
    }
}
