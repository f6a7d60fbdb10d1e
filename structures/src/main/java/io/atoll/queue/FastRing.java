package io.atoll.queue;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The protocol of a {@link FastQueue}, on its block in the host's segment:
 * <pre>
 *       0        8      64       72     128
 *       +--------+--//---+--------+--//---+-----------+-----------+--//--+---------------------+
 *       |  tail  |       |  head  |       | element 0 | element 1 |      | element capacity-1  |
 *       +--------+--//---+--------+--//---+-----------+-----------+--//--+---------------------+
 * </pre>
 * Always {@code head <= tail <= head + capacity}. Both only grow. The element of a ticket is the ticket modulo the capacity; those of one push lie one
 * behind the other, around the ring's end if need be. Nothing says whether an element is written: that is what the barrier between two phases says.
 */
final class FastRing {

    private static final StructLayout LAYOUT = MemoryLayout.structLayout( //
            Layouts.word("tail"), Layouts.padToCacheLine(Layouts.WORD), // next ticket to draw; pushers compareAndExchange
            Layouts.word("head"), Layouts.padToCacheLine(Layouts.WORD)); // next ticket to pop; poppers compareAndExchange

    static final long TAIL = Layouts.offsetOf(LAYOUT, "tail");
    static final long HEAD = Layouts.offsetOf(LAYOUT, "head");
    static final long ELEMENTS = LAYOUT.byteSize();

    final Endpoint endpoint;
    final int host;
    final long capacity;
    private final String name;
    private final long elementBytes;
    private final long tailWord;
    private final long headWord;
    private final long elements; // where they begin in the host's segment
    // Opaque: each value was true once, and stays a lower bound.
    private final AtomicLong knownTail = new AtomicLong();
    private final AtomicLong knownHead = new AtomicLong();

    FastRing(String name, Endpoint endpoint, int host, long block, long elementBytes, long capacity) {
        this.name = name;
        this.endpoint = endpoint;
        this.host = host;
        this.elementBytes = elementBytes;
        this.capacity = capacity;
        this.tailWord = block + TAIL;
        this.headWord = block + HEAD;
        this.elements = block + ELEMENTS;
    }

    /** Bytes of the block. */
    static long bytes(long elementBytes, long capacity) {
        return ELEMENTS + elementBytes * capacity;
    }

    // --- push ---

    /** Pushes so many encoded elements or, if there is no room for all, none. Cost: A + W; W more around the ring's end. */
    boolean push(MemorySegment source, long position, long count) {
        long tail = knownTail.getOpaque();
        while (tail + count - knownHead.getOpaque() <= capacity || tail + count - head() <= capacity) {
            long witness = endpoint.compareAndExchange(host, tailWord, tail, tail + count);
            if (witness == tail) {
                knownTail.setOpaque(tail + count);
                write(tail, source, position, count);
                return true;
            }
            tail = witness;
            knownTail.setOpaque(tail);
        }
        return false;
    }

    /** Not awaited: the barrier that ends the phase does. */
    private void write(long ticket, MemorySegment source, long position, long count) {
        long first = untilTheEnd(ticket, count);
        endpoint.write(host, offset(ticket), source, position, first * elementBytes);
        if (first < count) {
            endpoint.write(host, offset(ticket + first), source, position + first * elementBytes,
                    (count - first) * elementBytes);
        }
    }

    // --- pop ---

    /** Pops as many encoded elements as there are, so many at most; returns how many. Cost: A + R; R more if there may not be so many, or around the ring's end. */
    long pop(MemorySegment target, long position, long most) {
        long head = knownHead.getOpaque();
        while (true) {
            long count = Math.min(most, knownTail.getOpaque() - head);
            if (count < most) {
                // What was head before it cannot be beyond it: if they are the same, the queue was empty.
                count = Math.min(most, tail() - head);
            }
            if (count == 0) {
                return 0;
            }
            long witness = endpoint.compareAndExchange(host, headWord, head, head + count);
            if (witness == head) {
                knownHead.setOpaque(head + count);
                read(head, target, position, count);
                return count;
            }
            head = witness;
            knownHead.setOpaque(head);
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

    /** As {@link #pop}, of the only user, at the host. Cost: no verb. */
    boolean popLocal(MemorySegment target, long position) {
        LocalMemory own = ofHost();
        long head = own.getAcquire(headWord);
        boolean there = head < own.getAcquire(tailWord);
        if (there) {
            own.load(offset(head), target, position, elementBytes);
            own.setRelease(headWord, head + 1);
            knownHead.setOpaque(head + 1);
        }
        return there;
    }

    /** The bytes of all elements: in one piece, or in two where the ring's end lies between. */
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

    private LocalMemory ofHost() {
        if (endpoint.rank() != host) {
            throw new IllegalStateException("local operations are the host's: queue=" + name + " host=" + host
                    + " rank=" + endpoint.rank());
        }
        return endpoint.fabric().local();
    }

    // --- words ---

    /** How many tickets are in the queue. Cost: R. */
    long size() {
        Batch batch = endpoint.batch(host);
        batch.read(host, tailWord, 0, HEAD + Layouts.WORD - TAIL);
        batch.complete();
        return Math.clamp(batch.word(0) - batch.word(HEAD - TAIL), 0, capacity);
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

    /** How many of the tickets have elements that lie one behind the other, before the ring's end. */
    private long untilTheEnd(long ticket, long count) {
        return Math.min(count, capacity - ticket % capacity);
    }
}
