package io.atoll.queue.ring;

import io.atoll.memory.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;

/**
 * What a circular queue has in each segment. In every rank's:
 * <pre>
 *       0                 64
 *       +--------//-------+
 *       |  announcements  |     a word each: the lowest ticket that a push of this rank may hold or draw, plus 1; 0 if there is none
 *       +--------//-------+
 * </pre>
 * and in the host's thereafter
 * <pre>
 *       64       72      128      136     192                192 + 8 ranks    to a line
 *       +--------+--//---+--------+--//---+--------//---------+-----//------+---------//---------
 *       |  tail  |       |  head  |       | users, one a rank |   padding   |  slots ...
 *       +--------+--//---+--------+--//---+--------//---------+-----//------+---------//---------
 * </pre>
 * Always {@code head <= tail <= head + capacity}. Both only grow. Tickets from head to tail are in the queue: drawn, and written or being
 * written. The slot of a ticket is the ticket modulo the capacity.
 */
final class CircularBlock {

    /** Pushes of one rank that can be under way at once, as many as one read shows; more wait for each other. */
    static final int PUSHES = (int) (Layouts.CACHE_LINE / Layouts.WORD);

    private static final StructLayout LAYOUT = MemoryLayout.structLayout( //
            Layouts.words("announcements", PUSHES), // by the CPU of their rank alone; read by poppers who doubt whether a pusher lives
            Layouts.word("tail"), Layouts.padToCacheLine(Layouts.WORD), // next ticket to draw; pushers compareAndExchange
            Layouts.word("head"), Layouts.padToCacheLine(Layouts.WORD)); // next ticket to pop; poppers compareAndExchange

    static final long ANNOUNCEMENTS = Layouts.offsetOf(LAYOUT, "announcements");
    static final long ANNOUNCEMENTS_BYTES = PUSHES * Layouts.WORD;
    static final long TAIL = Layouts.offsetOf(LAYOUT, "tail");
    static final long HEAD = Layouts.offsetOf(LAYOUT, "head");

    /** A word for each rank: the last incarnation of it that has opened the queue, 0 if none has. */
    static final long USERS = LAYOUT.byteSize();

    final Slot slot;
    final long capacity;
    final int ranks;

    /** @param capacity in slots */
    CircularBlock(int ranks, Slot slot, long capacity) {
        this.ranks = ranks;
        this.slot = slot;
        this.capacity = capacity;
    }

    static long user(int rank) {
        return USERS + rank * Layouts.WORD;
    }

    /** Where the ticket's slot begins. */
    long slot(long ticket) {
        return slots() + ticket % capacity * slot.size;
    }

    private long slots() {
        return Layouts.roundUp(user(ranks), Layouts.CACHE_LINE);
    }

    /** Bytes of the block in a rank's segment. */
    long bytes(boolean host) {
        return host ? slots() + capacity * slot.size : ANNOUNCEMENTS_BYTES;
    }
}
