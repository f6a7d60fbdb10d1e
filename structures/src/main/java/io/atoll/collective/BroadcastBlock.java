package io.atoll.collective;

import io.atoll.memory.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;

/**
 * A member's part of a window, in its segment. Each part begins with a cache line of its own. There are as many rounds
 * as positions have bits.
 * <pre>
 *   +-----------+-----------+------------+-------+----------------+--------------------+---------//---
 *   |  entered  |  arrived  |  finished  | count |  acknowledged  |  requests          |  data
 *   |  a word a member's position        |       |  line a round  |  slots lines a round |
 *   +-----------+-----------+------------+-------+----------------+--------------------+---------//---
 * </pre>
 * The members of a team never change. So a part has room for them, not for all ranks that the world may ever have. For
 * 64 members the requests take 24 KiB, for two members 4 KiB.
 *
 * <p>Zeroed memory is a window in which nothing was ever sent: no generation's number is 0.
 */
final class BroadcastBlock {

    /**
     * The default number of requests over one bit that can be under way at the same time. A sender that has sent all of
     * them has filled the time until the receiver gets a processor.
     */
    public static final int SLOTS = 64;

    private final int slots;
    private final long entered;
    private final long arrived;
    private final long finished;
    private final long count;
    private final long acknowledged;
    private final long requests;
    private final long data;
    private final long bytes;

    public BroadcastBlock(int members, long dataBytes) {
        this(members, dataBytes, SLOTS);
    }

    public BroadcastBlock(int members, long dataBytes, int slots) {
        this.slots = slots;
        long words = Layouts.roundUp(members * Layouts.WORD, Layouts.CACHE_LINE) / Layouts.WORD;
        long lineWords = Layouts.CACHE_LINE / Layouts.WORD;
        int rounds = BinomialTree.rounds(members);
        StructLayout layout = MemoryLayout.structLayout( //
                Layouts.words("entered", words), // the generation that a member has entered; written by that member
                // the last broadcast of a root that is whole here; written by the own rank, or by the root
                Layouts.words("arrived", words),
                // the last broadcast of a root that this rank is done with, its addition included; written by the own
                // rank
                Layouts.words("finished", words),
                // the number of members that have what this rank has sent, ever; each of them does getAndAdd
                Layouts.words("count", lineWords),
                // bit k: the requests of this rank that the member 2^k further on is done with; written by that member
                Layouts.words("acknowledged", rounds * lineWords),
                // bit k: the requests of the member 2^k before, see Request; written by that member
                Layouts.words("requests", rounds * slots * lineWords),
                // written by the root, and by the members that pass it on
                Layouts.words("data", dataBytes / Layouts.WORD));
        this.entered = Layouts.offsetOf(layout, "entered");
        this.arrived = Layouts.offsetOf(layout, "arrived");
        this.finished = Layouts.offsetOf(layout, "finished");
        this.count = Layouts.offsetOf(layout, "count");
        this.acknowledged = Layouts.offsetOf(layout, "acknowledged");
        this.requests = Layouts.offsetOf(layout, "requests");
        this.data = Layouts.offsetOf(layout, "data");
        this.bytes = layout.byteSize();
    }

    public int slots() {
        return slots;
    }

    public long entered() {
        return entered;
    }

    public long arrived(int root) {
        return arrived + root * Layouts.WORD;
    }

    public long finished(int root) {
        return finished + root * Layouts.WORD;
    }

    public long count() {
        return count;
    }

    public long acknowledged(int bit) {
        return acknowledged + bit * Layouts.CACHE_LINE;
    }

    /** Returns the offset of the n-th request over that bit in a generation, counted from 0. */
    public long request(int bit, long number) {
        return requests + (bit * slots + number % slots) * Layouts.CACHE_LINE;
    }

    public long data(long place) {
        return data + place;
    }

    /** Returns the bytes of the whole part. */
    public long bytes() {
        return bytes;
    }
}
