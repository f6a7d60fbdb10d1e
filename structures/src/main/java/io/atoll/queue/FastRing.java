package io.atoll.queue;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.failure.Aftermath;
import io.atoll.memory.GlobalPointer;
import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import io.atoll.memory.StackRoom;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The protocol of a {@link FastQueue}, in a header in the host's segment, and elements. The elements lie behind the
 * header where the queue was created, and elsewhere in the segment after it has moved:
 * <pre>
 *     0        8        16       24         32       40      64       72     128
 *     +--------+--------+--------+----------+--------+--//---+--------+--//---+-----------+--//--+--------------------+
 *     |  tail  |  next  |capacity| elements | moves  |       |  head  |       | element 0 |      | element capacity-1 |
 *     +--------+--------+--------+----------+--------+--//---+--------+--//---+-----------+--//--+--------------------+
 * </pre>
 * Always {@code head <= tail <= head + capacity}. Both only grow. The element of a ticket is the ticket modulo the
 * capacity. The elements of one push lie one behind the other, around the ring's end if need be. No word says that an
 * element is written: the barrier between two phases says so.
 *
 * <p>The queue has left the ring when {@code next} leads to the header that follows: this word alone decides. Then head
 * and tail become {@link #MOVED} for ever, for operations that look only there.
 */
final class FastRing {

    private static final StructLayout LAYOUT = MemoryLayout.structLayout( //
            Layouts.word("tail"), // next ticket to draw; pushers compareAndExchange
            Layouts.word("next"), // RingReference to the header that follows; 0 until the ring is left
            Layouts.word("capacity"), // constant; 0 in the first header: the capacity that it was opened with
            Layouts.word("elements"), // where the elements begin; constant; 0 in the first header
            Layouts.word("moves"), // how many headers the queue had before; constant
            Layouts.padToCacheLine(5 * Layouts.WORD), //
            Layouts.word("head"), Layouts.padToCacheLine(Layouts.WORD)); // next to pop; poppers compareAndExchange

    static final long TAIL = Layouts.offsetOf(LAYOUT, "tail");
    static final long NEXT = Layouts.offsetOf(LAYOUT, "next");
    static final long CAPACITY = Layouts.offsetOf(LAYOUT, "capacity");
    static final long ELEMENTS = Layouts.offsetOf(LAYOUT, "elements");
    static final long MOVES = Layouts.offsetOf(LAYOUT, "moves");
    static final long HEAD = Layouts.offsetOf(LAYOUT, "head");
    static final long HEADER_BYTES = LAYOUT.byteSize();

    /** The value of head and tail in a ring that was left. Operations that find it return it. */
    static final long MOVED = -1;

    final Endpoint endpoint;
    final int host;
    // the incarnation in which that segment was made; 0 in the first ring, which no reference leads to
    private final int born;
    final long capacity;
    final long header; // where the header begins in the host's segment
    final long elements; // where the elements begin in the host's segment
    private final String name;
    private final long elementBytes;
    private final long tailWord;
    private final long headWord;
    // Opaque: each value was true once, and stays a lower bound. MOVED is no bound, but stays true for ever.
    private final AtomicLong knownTail = new AtomicLong();
    private final AtomicLong knownHead = new AtomicLong();

    FastRing(String name, Endpoint endpoint, RingReference place, long elements, long elementBytes, long capacity) {
        this.name = name;
        this.endpoint = endpoint;
        this.host = place.host();
        this.born = place.born();
        this.elementBytes = elementBytes;
        this.capacity = capacity;
        this.header = place.header();
        this.elements = elements;
        this.tailWord = header + TAIL;
        this.headWord = header + HEAD;
    }

    /** Returns true if that byte is the ring's. */
    boolean contains(int rank, long offset) {
        return rank == host && (offset >= header && offset - header < HEADER_BYTES
                || offset >= elements && offset - elements < capacity * elementBytes);
    }

    /** Returns the bytes of a first header and its elements. */
    static long bytes(long elementBytes, long capacity) {
        return HEADER_BYTES + elementBytes * capacity;
    }

    // --- push ---

    /**
     * Pushes {@code count} encoded elements. If there is no room for all, pushes none. Cost: A + W; W more around the
     * ring's end.
     *
     * @return how many were pushed, or {@link #MOVED}
     */
    long push(MemorySegment source, long position, long count) {
        StackRoom.require();
        long tail = knownTail.getOpaque();
        while (tail != MOVED) {
            long head = knownHead.getOpaque();
            if (tail + count - head > capacity) {
                head = head();
            }
            if (head == MOVED) {
                return MOVED;
            }
            if (tail + count - head > capacity) {
                return 0;
            }
            long witness = endpoint.compareAndExchange(host, tailWord, tail, tail + count);
            if (witness == tail) {
                knownTail.setOpaque(tail + count);
                writeDrawn(tail, source, position, count);
                return count;
            }
            tail = witness;
            knownTail.setOpaque(tail);
        }
        return MOVED;
    }

    /**
     * Makes a second attempt if an error strikes the first: the tickets are drawn, and they are popped even if nothing
     * was written.
     */
    private void writeDrawn(long ticket, MemorySegment source, long position, long count) {
        try {
            write(ticket, source, position, count);
        } catch (VirtualMachineError | LinkageError first) {
            Aftermath.warn("elements are written in a second attempt", first);
            write(ticket, source, position, count);
        }
    }

    /** Does not wait for the writes: the barrier that ends the phase does. */
    private void write(long ticket, MemorySegment source, long position, long count) {
        long first = untilTheEnd(ticket, count);
        endpoint.write(host, offset(ticket), source, position, first * elementBytes);
        if (first < count) {
            endpoint.write(host, offset(ticket + first), source, position + first * elementBytes,
                    (count - first) * elementBytes);
        }
    }

    // --- pop ---

    /**
     * Pops as many encoded elements as there are, at most {@code most}. Cost: R + A in one round trip; R more if there
     * may be fewer, or around the ring's end.
     *
     * @return how many were popped, or {@link #MOVED}
     */
    long pop(MemorySegment target, long position, long most) {
        StackRoom.require();
        long known = knownHead.getOpaque();
        long head = known;
        while (head != MOVED) {
            long tail = knownTail.getOpaque();
            if (tail - head < most) {
                // The head was read before the tail, so it cannot be beyond it. If they are the same, the queue was
                // empty.
                tail = tail();
            }
            if (tail == MOVED) {
                return MOVED;
            }
            long count = Math.min(most, tail - head);
            if (count == 0) {
                return 0;
            }
            long witness = inOneBatch(count, head == known)
                    ? readAndTake(head, target, position, count)
                    : takeAndThenRead(head, target, position, count);
            if (witness == head) {
                return count;
            }
            head = witness;
            knownHead.setOpaque(head);
        }
        return MOVED;
    }

    /** Returns true if one batch is to read and to take. Many elements are read in vain only once. */
    private boolean inOneBatch(long count, boolean isFirst) {
        return !endpoint.executesAtOnce(host)
                && count * elementBytes <= (isFirst ? Batch.THREAD_BUFFER_BYTES : Batch.SMALL_BUFFER_BYTES);
    }

    /**
     * Takes the elements if the head is that ticket. Returns the head that it found. No thread pushes in this phase, so
     * elements may be read before they are taken. An error before the exchange has taken none.
     */
    private long readAndTake(long ticket, MemorySegment target, long position, long count) {
        try (Batch batch = endpoint.batch(host)) {
            long first = untilTheEnd(ticket, count);
            batch.read(host, offset(ticket), 0, first * elementBytes);
            if (first < count) {
                batch.read(host, offset(ticket + first), first * elementBytes, (count - first) * elementBytes);
            }
            int exchange = batch.compareAndExchange(host, headWord, ticket, ticket + count);
            batch.complete();
            long witness = batch.result(exchange);
            if (witness == ticket) {
                knownHead.setOpaque(ticket + count);
                long bytes = count * elementBytes;
                MemorySegment.copy(batch.buffer(bytes), 0, target, position, bytes);
            }
            return witness;
        }
    }

    /** As {@link #readAndTake}: one after the other, and no element is read in vain. */
    private long takeAndThenRead(long ticket, MemorySegment target, long position, long count) {
        long witness = endpoint.compareAndExchange(host, headWord, ticket, ticket + count);
        if (witness == ticket) {
            knownHead.setOpaque(ticket + count);
            readTaken(ticket, target, position, count);
        }
        return witness;
    }

    /** Makes a second attempt if an error strikes the first: no other thread pops what is taken. */
    private void readTaken(long ticket, MemorySegment target, long position, long count) {
        try {
            read(ticket, target, position, count);
        } catch (VirtualMachineError | LinkageError first) {
            Aftermath.warn("elements are read in a second attempt", first);
            read(ticket, target, position, count);
        }
    }

    private void read(long ticket, MemorySegment target, long position, long count) {
        long first = untilTheEnd(ticket, count);
        endpoint.read(host, offset(ticket), target, position, first * elementBytes);
        if (first < count) {
            endpoint.read(host, offset(ticket + first), target, position + first * elementBytes,
                    (count - first) * elementBytes);
        }
    }

    // --- at the host, alone ---

    /** Like {@link #pop}, of one element, for the only user, at the host. Cost: no verb. */
    long popLocal(MemorySegment target, long position) {
        LocalMemory own = ofHost();
        long head = own.getAcquire(headWord);
        if (head == own.getAcquire(tailWord)) {
            return 0;
        }
        own.load(offset(head), target, position, elementBytes);
        own.setRelease(headWord, head + 1);
        knownHead.setOpaque(head + 1);
        return 1;
    }

    /** Drops {@code count} elements, or all there are. */
    void skipLocal(long count) {
        LocalMemory own = ofHost();
        long head = Math.min(own.getAcquire(headWord) + count, own.getAcquire(tailWord));
        own.setRelease(headWord, head);
        knownHead.setOpaque(head);
    }

    /** Returns the bytes of all elements: in one piece, or in two where the ring's end lies between. */
    List<MemorySegment> local() {
        LocalMemory own = ofHost();
        long head = own.getAcquire(headWord);
        long count = own.getAcquire(tailWord) - head;
        long first = untilTheEnd(head, count);
        List<MemorySegment> pieces = new ArrayList<>();
        if (count > 0) {
            pieces.add(own.view(offset(head), first * elementBytes));
        }
        if (first < count) {
            pieces.add(own.view(offset(head + first), (count - first) * elementBytes));
        }
        return pieces;
    }

    /** Returns true if the queue has moved on. Cost: R; no verb at the host. */
    boolean isLeft() {
        long next = endpoint.rank() == host
                ? endpoint.fabric().local().getAcquire(header + NEXT)
                : endpoint.readWord(host, header + NEXT);
        return next != 0;
    }

    /** Returns the header that follows this ring, 0 if the ring is not left. Cost: R. */
    long follower() {
        // Does not use the thread's batch: its buffer may hold the element that is being pushed.
        return endpoint.readWord(host, header + NEXT);
    }

    private LocalMemory ofHost() {
        if (endpoint.rank() != host) {
            throw new IllegalStateException("local operations are the host's: queue=" + name + " host=" + host
                    + " rank=" + endpoint.rank());
        }
        return endpoint.fabric().local();
    }

    // --- words ---

    /** Returns how many tickets are in the queue, or {@link #MOVED}. Cost: R. */
    long size() {
        Batch batch = endpoint.batch(host);
        batch.read(host, tailWord, 0, HEAD + Layouts.WORD - TAIL);
        batch.complete();
        return batch.word(0) == MOVED ? MOVED : Math.clamp(batch.word(0) - batch.word(HEAD - TAIL), 0, capacity);
    }

    /**
     * Decides that the queue goes on in the other ring, which must have arrived completely. Returns the header that
     * follows: another one if another rank was faster. Cost: A.
     */
    long link(FastRing other) {
        long witness = endpoint.compareAndExchange(host, header + NEXT, 0, other.reference());
        return witness == 0 ? other.reference() : witness;
    }

    /** Returns the place of the word that decides if the ring is left. */
    GlobalPointer next() {
        return new GlobalPointer(host, header + NEXT);
    }

    /**
     * Returns the header that follows this ring if it is left, 0 otherwise. Lets operations that look at head or tail
     * go on there. Cost: R; 2 R more if it is left; 2 W and a flush more for the first.
     */
    long close() {
        long next = follower();
        if (next != 0 && (tail() != MOVED || head() != MOVED)) {
            endpoint.writeWord(host, headWord, MOVED);
            endpoint.writeWord(host, tailWord, MOVED);
            endpoint.flush(host);
        }
        return next;
    }

    /**
     * Returns when everything that this process sent to the host before it lost the connection has arrived, or never
     * will. Cost: A.
     */
    void settle() {
        endpoint.compareAndExchange(host, header + NEXT, MOVED, MOVED);
    }

    /** Returns the word that leads other ranks to the ring. */
    long reference() {
        return new RingReference(host, born, header).toWord();
    }

    /**
     * Writes the header of a new ring, before any other rank knows it.
     *
     * @param left the ring that {@code count} elements were copied from
     */
    void begin(FastRing left, long count) {
        MemorySegment words = MemorySegment.ofArray(new long[(int) (HEADER_BYTES / Layouts.WORD)]);
        words.set(ValueLayout.JAVA_LONG, TAIL, count);
        words.set(ValueLayout.JAVA_LONG, CAPACITY, capacity);
        words.set(ValueLayout.JAVA_LONG, ELEMENTS, elements);
        words.set(ValueLayout.JAVA_LONG, MOVES, endpoint.readWord(left.host, left.header + MOVES) + 1);
        endpoint.write(host, header, words, 0, HEADER_BYTES);
        endpoint.flush(host);
    }

    /**
     * Copies all elements to the beginning of another ring. Returns how many. Cost: 2 R and, for each {@code
     * bytesAtOnce} bytes, R + W.
     */
    long copyTo(FastRing other, long bytesAtOnce) {
        long head = head();
        long count = tail() - head;
        if (count > other.capacity) {
            throw new IllegalArgumentException(
                    "a queue is not made smaller than what is in it: queue=" + name + " elements="
                            + count + " capacity=" + other.capacity);
        }
        long atOnce = Math.max(1, bytesAtOnce / elementBytes);
        MemorySegment some = MemorySegment
                .ofArray(new long[(int) (Math.min(atOnce, count) * elementBytes / Layouts.WORD)]);
        for (long from = 0; from < count; from += atOnce) {
            long next = Math.min(atOnce, count - from);
            read(head + from, some, 0, next);
            other.write(from, some, 0, next);
        }
        return count;
    }

    private long head() {
        long head = endpoint.readWord(host, headWord);
        knownHead.setOpaque(head);
        return head;
    }

    private long tail() {
        long tail = endpoint.readWord(host, tailWord);
        knownTail.setOpaque(tail);
        return tail;
    }

    private long offset(long ticket) {
        return elements + ticket % capacity * elementBytes;
    }

    /** Returns how many of the tickets have elements that lie one behind the other, before the ring's end. */
    private long untilTheEnd(long ticket, long count) {
        return Math.min(count, capacity - ticket % capacity);
    }
}
