package io.atoll.collective;

import io.atoll.memory.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;

/**
 * A member's part of a window, in its segment. Each part begins with a cache line of its own; there are as many rounds as positions have bits.
 * <pre>
 *   +-----------+-----------+------------+-------+----------------+--------------------+---------//---
 *   |  entered  |  arrived  |  finished  | count |  acknowledged  |  requests          |  data
 *   |  a word a member's position        |       |  line a round  |  slots lines a round |
 *   +-----------+-----------+------------+-------+----------------+--------------------+---------//---
 * </pre>
 * The members of a team never change. So a part is laid out by them, and not by the ranks that may ever be in the world: for 64
 * of them the requests take 24 KiB, for two of them 4 KiB.
 *
 * <p>Zeroed memory is a window in which nothing was ever sent: no era's number is 0.
 */
final class BroadcastBlock {

    /**
     * Requests over one bit that are under way at the same time, unless told: so many that whoever has sent as many as it may has filled the time until the receiver gets a processor.
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
                Layouts.words("entered", words), // the era that a member has entered; by that member
                Layouts.words("arrived", words), // the last broadcast of a root that is whole here; by the own rank, or by the root
                Layouts.words("finished", words), // the last broadcast of a root that this rank is done with, its addition included; by the own rank
                Layouts.words("count", lineWords), // of members that have what this rank has sent, ever; getAndAdd by each of them
                Layouts.words("acknowledged", rounds * lineWords), // bit k: requests of this rank that the one 2^k further on is done with; by that one
                Layouts.words("requests", rounds * slots * lineWords), // bit k: from the rank 2^k before, see Request; by that one
                Layouts.words("data", dataBytes / Layouts.WORD)); // by whoever broadcasts, and those who pass it on
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

    /** Of the n-th request over that bit in an era, counted from 0. */
    public long request(int bit, long number) {
        return requests + (bit * slots + number % slots) * Layouts.CACHE_LINE;
    }

    public long data(long place) {
        return data + place;
    }

    /** All of it. */
    public long bytes() {
        return bytes;
    }
}
