package io.atoll.queue;

import io.atoll.memory.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;

/**
 * A ring as it lies in the segment of its host: a header and slots. The slots of a queue's first ring lie behind its
 * header, those of all other rings elsewhere in the segment.
 * <pre>
 *       0        8        16       24       32       40       48      64       72     128                128 + 8 m
 *       +--------+--------+--------+--------+--------+--------+--//---+--------+--//---+--------//---------+
 *       |  tail  |  next  |capacity| slots  | moves  |sweeper |       |  head  |       | users, one a rank |
 *       +--------+--------+--------+--------+--------+--------+--//---+--------+--//---+--------//---------+
 * </pre>
 * There are words for the m ranks that may ever be in the world, in whole lines. No rank reads the words of ranks that
 * are not in the world yet.
 *
 * <p>Head and tail only grow, each until its mark is set, once and for ever. The tail's mark is set when the ring is
 * closed, so that no ticket is drawn from it any more. Then the head's mark is set when the ring is drained. Without
 * marks {@code head <= tail <= head + capacity}. Tickets from head to tail are in the queue: drawn, and written or
 * being written. The slot of a ticket is the ticket modulo the capacity.
 *
 * <p>A ring of zeros is the first ring of an empty queue.
 */
final class RingBlock {

    private static final StructLayout LAYOUT = MemoryLayout.structLayout( //
            Layouts.word("tail"), // next ticket to draw; pushers compareAndExchange, a mover sets the mark
            Layouts.word("next"), // RingReference to the ring that follows; a mover compareAndExchanges, once
            Layouts.word("capacity"), // in slots; constant, 0 in the first ring, which has the opened capacity
            // offset of them; 0 in the first ring, and once freed; the sweeper compareAndExchanges
            Layouts.word("slots"),
            Layouts.word("moves"), // how many rings the queue had before; constant
            Layouts.word("sweeper"), // Lease of the rank that frees the slots, 0 until then; compareAndExchange
            Layouts.padToCacheLine(6 * Layouts.WORD), //
            Layouts.word("head"), Layouts.padToCacheLine(Layouts.WORD)); // next to pop; poppers compareAndExchange

    public static final long TAIL = Layouts.offsetOf(LAYOUT, "tail");
    public static final long NEXT = Layouts.offsetOf(LAYOUT, "next");
    public static final long CAPACITY = Layouts.offsetOf(LAYOUT, "capacity");
    public static final long SLOTS = Layouts.offsetOf(LAYOUT, "slots");
    public static final long MOVES = Layouts.offsetOf(LAYOUT, "moves");
    public static final long SWEEPER = Layouts.offsetOf(LAYOUT, "sweeper");
    public static final long HEAD = Layouts.offsetOf(LAYOUT, "head");

    /** A word for each rank: the last incarnation of it that has announced a ticket of the ring, 0 if none has. */
    public static final long USERS = LAYOUT.byteSize();

    /** The mark of a tail that is closed, and of a head that is drained. */
    private static final long MARK = Long.MIN_VALUE;

    public final int host;
    // the incarnation in which that segment was made; 0 in the first ring, which no reference leads to
    public final int born;
    public final long header; // offset of the header in the host's segment
    public final long slots; // offset of the slots in the host's segment
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
     * Returns the first ring of a queue, whose slots lie behind its header.
     *
     * @param maxSize the number of ranks that may ever be in the world
     */
    public static RingBlock first(int maxSize, int host, long header, long capacity, Slot slot) {
        return new RingBlock(new RingReference(host, 0, header), header + headerBytes(maxSize), capacity, slot);
    }

    /** @param maxSize the number of ranks that may ever be in the world */
    public static long headerBytes(int maxSize) {
        return Layouts.roundUp(user(maxSize), Layouts.CACHE_LINE);
    }

    public static long user(int rank) {
        return USERS + rank * Layouts.WORD;
    }

    /**
     * Returns true if that byte is the ring's.
     *
     * @param maxSize the number of ranks that may ever be in the world
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

    /** Returns the offset of the ticket's slot. */
    public long slot(long ticket) {
        return slots + ticket % capacity * slot.size;
    }

    /** Returns the word that leads other ranks to the ring. */
    public long reference() {
        return new RingReference(host, born, header).toWord();
    }

    // --- head and tail ---

    /** Returns true if the head or tail is at its end. */
    public static boolean isMarked(long word) {
        return word < 0;
    }

    public static long marked(long ticket) {
        return ticket | MARK;
    }

    /** Returns the ticket in a head or tail, marked or not. */
    public static long ticket(long word) {
        return word & ~MARK;
    }
}
