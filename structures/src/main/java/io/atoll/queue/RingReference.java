package io.atoll.queue;

import io.atoll.fabric.Endpoint;
import io.atoll.failure.RankUnreachableException;
import io.atoll.failure.SegmentLostException;
import io.atoll.memory.Layouts;
import io.atoll.memory.SegmentHeader;

/**
 * A word in one segment that leads to a ring in another. The other rank may have lost its segment since, and something
 * else may lie there now. So the word names the segment of the rank that it means: the one that was made in the
 * incarnation {@code born}.
 * <pre>
 *   63        52 51            36 35                                 0
 *   +-----------+----------------+------------------------------------+
 *   |    host   |      born      |   offset of the header, in words   |     0 is none
 *   +-----------+----------------+------------------------------------+
 * </pre>
 *
 * @param host the rank in whose segment the ring lies
 * @param born the incarnation in which that segment was made
 * @param header offset of the ring's header, less than 512 GiB
 */
record RingReference(int host, int born, long header) {

    /** The word that leads to no ring. */
    public static final long NONE = 0;

    private static final int BORN_BITS = 16;
    private static final int HEADER_BITS = 36;
    private static final long MOST_BYTES = Layouts.WORD << HEADER_BITS;

    public RingReference {
        if (header < 0 || header >= MOST_BYTES || header % Layouts.WORD != 0) {
            throw new IllegalArgumentException("a queue moves to the first " + MOST_BYTES
                    + " bytes of a segment, choose another rank: host=" + host + " offset=" + header);
        }
    }

    /** Returns a reference to what lies there now. Cost: R. */
    public static RingReference toPresent(Endpoint endpoint, int host, long header) {
        return new RingReference(host, born(endpoint, host), header);
    }

    public static RingReference fromWord(long word) {
        return new RingReference((int) (word >>> BORN_BITS + HEADER_BITS),
                (int) (word >>> HEADER_BITS) & (1 << BORN_BITS) - 1,
                (word & (1L << HEADER_BITS) - 1) * Layouts.WORD);
    }

    public long toWord() {
        return (long) host << BORN_BITS + HEADER_BITS | (long) born << HEADER_BITS | header / Layouts.WORD;
    }

    /**
     * Throws if the ring's segment is not there. Must be called before anything is read there. What the same endpoint
     * finds later is the ring's, or fails. Cost: R.
     *
     * @throws SegmentLostException if the segment that the ring lay in is lost
     * @throws RankUnreachableException also if the rank has the ring's segment, and this process has yet to learn so
     */
    public void requirePresent(Endpoint endpoint) {
        int present = born(endpoint, host);
        if (present > born) {
            throw new SegmentLostException(present, "read", host, header);
        }
        if (present < born) {
            throw new RankUnreachableException(
                    "this process has yet to learn that the rank has another segment, try again", "read", host,
                    header);
        }
    }

    private static int born(Endpoint endpoint, int host) {
        return (int) endpoint.readWord(host, SegmentHeader.bornWord());
    }
}
