package io.atoll.queue;

import io.atoll.memory.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;

/**
 * A ring as it lies in the segment of its host: a header, and slots, behind it in the first ring of a queue, elsewhere in the segment in all others.
 * <pre>
 *       0        8        16       24       32       40       48      64       72     128                128 + 8 m
 *       +--------+--------+--------+--------+--------+--------+--//---+--------+--//---+--------//---------+
 *       |  tail  |  next  |capacity| slots  | moves  |sweeper |       |  head  |       | users, one a rank |
 *       +--------+--------+--------+--------+--------+--------+--//---+--------+--//---+--------//---------+
 * </pre>
 * There are users for the m ranks that may ever be in the world, in whole lines. Nobody looks at those of ranks that it
 * does not have yet.
 *
 * <p>Head and tail only grow, each until its mark is set, once and for ever: the tail's when the ring is closed, so that no ticket is drawn from it any more, and then the
 * head's when it is drained. Without marks {@code head <= tail <= head + capacity}. Tickets from head to tail are in the queue: drawn, and written or being written. The
 * slot of a ticket is the ticket modulo the capacity.
 *
 * <p>All zero it is the first ring of an empty queue.
 */
final class RingBlock {

    private static final StructLayout LAYOUT = MemoryLayout.structLayout( //
            Layouts.word("tail"), // next ticket to draw; pushers compareAndExchange, who moves the queue sets the mark
            Layouts.word("next"), // RingReference to the ring that follows; who moves the queue compareAndExchanges, once
            Layouts.word("capacity"), // in slots; constant, 0 in the first ring, which has what the queue was opened with
            Layouts.word("slots"), // where they begin; 0 in the first ring, and when they are freed; the sweeper compareAndExchanges
            Layouts.word("moves"), // how many rings the queue had before; constant
            Layouts.word("sweeper"), // Lease of who frees the slots, 0 as long as nobody has begun; compareAndExchange
            Layouts.padToCacheLine(6 * Layouts.WORD), //
            Layouts.word("head"), Layouts.padToCacheLine(Layouts.WORD)); // next ticket to pop; poppers compareAndExchange

    public static final long TAIL = Layouts.offsetOf(LAYOUT, "tail");
    public static final long NEXT = Layouts.offsetOf(LAYOUT, "next");
    public static final long CAPACITY = Layouts.offsetOf(LAYOUT, "capacity");
    public static final long SLOTS = Layouts.offsetOf(LAYOUT, "slots");
    public static final long MOVES = Layouts.offsetOf(LAYOUT, "moves");
    public static final long SWEEPER = Layouts.offsetOf(LAYOUT, "sweeper");
    public static final long HEAD = Layouts.offsetOf(LAYOUT, "head");

    /** A word for each rank: the last incarnation of it that has used the ring, 0 if none has. */
    public static final long USERS = LAYOUT.byteSize();

    /** Of a tail that is closed, of a head that is drained. */
    private static final long MARK = Long.MIN_VALUE;

    public final int host;
    public final int born; // the incarnation in which that segment was made; 0 in the first ring, which nothing leads to
    public final long header; // offset of it in the host's segment
    public final long slots; // offset of them
    public final long capacity;
    public final Slot slot;

    /** @param capacity in slots */
    public RingBlock(RingReference place, long slots, long capacity, Slot slot) {
        this.host = place.host();
        this.born = place.born();
        this.header = place.header();
        this.slots = slots;
        this.capacity = capacity;
        this.slot = slot;
    }

    /**
     * Whose slots lie behind its header.
     *
     * @param maxSize ranks that may ever be in the world
     */
    public static RingBlock first(int maxSize, int host, long header, long capacity, Slot slot) {
        return new RingBlock(new RingReference(host, 0, header), header + headerBytes(maxSize), capacity, slot);
    }

    /** @param maxSize ranks that may ever be in the world */
    public static long headerBytes(int maxSize) {
        return Layouts.roundUp(user(maxSize), Layouts.CACHE_LINE);
    }

    public static long user(int rank) {
        return USERS + rank * Layouts.WORD;
    }

    /**
     * Whether that byte is the ring's.
     *
     * @param maxSize ranks that may ever be in the world
     */
    public boolean contains(int rank, long offset, int maxSize) {
        return rank == host
                && (isWithin(offset, header, headerBytes(maxSize)) || isWithin(offset, slots, slotsBytes()));
    }

    private static boolean isWithin(long offset, long begin, long bytes) {
        return offset >= begin && offset - begin < bytes;
    }

    public long slotsBytes() {
        return capacity * slot.size;
    }

    /** Where the ticket's slot begins. */
    public long slot(long ticket) {
        return slots + ticket % capacity * slot.size;
    }

    /** By which others find it. */
    public long reference() {
        return new RingReference(host, born, header).toWord();
    }

    // --- head and tail ---

    /** Whether head or tail are at their end. */
    public static boolean isMarked(long word) {
        return word < 0;
    }

    public static long marked(long ticket) {
        return ticket | MARK;
    }

    /** The ticket in a head or tail, marked or not. */
    public static long ticket(long word) {
        return word & ~MARK;
    }
}
