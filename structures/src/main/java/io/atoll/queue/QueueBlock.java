package io.atoll.queue;

import io.atoll.memory.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;

/**
 * The words that a circular queue has in each segment under its name. In every rank's segment:
 * <pre>
 *       0                 64            72     128
 *       +--------//-------+-------------+--//---+
 *       |  announcements  | incarnation |       |
 *       +--------//-------+-------------+--//---+
 * </pre>
 * In the segment of its home, the rank that it was opened at, these follow:
 * <pre>
 *      128      136     192                       to a line
 *       +--------+--//---+-----------//-----------+-----//-----
 *       | oldest |       | header of the first ring |  its slots
 *       +--------+--//---+-----------//-----------+-----//-----
 * </pre>
 */
final class QueueBlock {

    /**
     * The pushes of one rank that can be under way at once. One read brings the announcements of all. More pushes wait
     * for each other.
     */
    public static final int PUSHES = (int) (Layouts.CACHE_LINE / Layouts.WORD);

    private static final StructLayout LAYOUT = MemoryLayout.structLayout( //
            Layouts.words("announcements", PUSHES), // written by their rank's CPU alone; read by ranks in doubt
            // the incarnation of the rank whose announcements these are
            Layouts.word("incarnation"), Layouts.padToCacheLine(Layouts.WORD),
            // RingReference, 0 for the first ring: earlier ones are freed; compareAndExchange
            Layouts.word("oldest"), Layouts.padToCacheLine(Layouts.WORD));

    public static final long ANNOUNCEMENTS = Layouts.offsetOf(LAYOUT, "announcements");
    public static final long ANNOUNCEMENTS_BYTES = PUSHES * Layouts.WORD;
    public static final long INCARNATION = Layouts.offsetOf(LAYOUT, "incarnation");
    public static final long OLDEST = Layouts.offsetOf(LAYOUT, "oldest");
    public static final long FIRST_RING = LAYOUT.byteSize();

    private QueueBlock() {}

    /** Returns the bytes of the block elsewhere than at home. */
    public static long bytes() {
        return OLDEST;
    }

    /** @param maxSize the number of ranks that may ever be in the world */
    public static long bytesAtHome(int maxSize, long capacity, Slot slot) {
        return FIRST_RING + RingBlock.headerBytes(maxSize) + capacity * slot.size;
    }
}
