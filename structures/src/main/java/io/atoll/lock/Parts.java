package io.atoll.lock;

import io.atoll.fabric.Endpoint;
import io.atoll.failure.FabricException;
import io.atoll.failure.RankUnreachableException;
import io.atoll.failure.SegmentLostException;
import io.atoll.memory.SegmentHeader;
import java.util.Arrays;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * The place of a table of locks: offsets in the present segments of the ranks, and the endpoint that reaches only these
 * segments. A thread that uses a word of the table takes offset and endpoint from one object. So an offset in a lost
 * segment never meets the segment that its rank has now.
 *
 * <p>A rank that has lost its segment has no part until the part is made anew.
 */
final class Parts {

    /** Value of a part's birth if there is no part. */
    private static final int NONE = 0;

    private final Endpoint endpoint;
    private final long[] lines; // offsets of the locks' lines, by rank
    private final long[] requests; // offsets of the requests, by rank
    private final int[] births; // incarnations in which the segments were made, as their headers say
    // The last incarnation that is known to have opened the table in the rank's segment. Opaque access is enough: each
    // value was read there, and a lower one costs only a read.
    private final AtomicIntegerArray opened;

    private Parts(Endpoint endpoint, long[] lines, long[] requests, int[] births) {
        this.opened = new AtomicIntegerArray(births.length);
        this.endpoint = endpoint;
        this.lines = lines;
        this.requests = requests;
        this.births = births;
    }

    /**
     * Returns the parts of ranks none of which has lost a segment.
     *
     * @param lines the offset of each rank's lines in its segment
     * @param requests the offset of each rank's requests
     */
    public static Parts of(Endpoint endpoint, long[] lines, long[] requests) {
        int[] births = new int[lines.length];
        Arrays.fill(births, 1);
        return of(endpoint, lines, requests, births);
    }

    /**
     * As {@link #of}, but ranks may have lost segments.
     *
     * @param births the incarnations in which the segments were made
     */
    public static Parts of(Endpoint endpoint, long[] lines, long[] requests, int[] births) {
        return new Parts(endpoint, lines.clone(), requests.clone(), births.clone());
    }

    private static int born(Endpoint endpoint, int rank) {
        return (int) endpoint.readWord(rank, SegmentHeader.bornWord());
    }

    /**
     * Returns the parts without those of ranks that have lost theirs, reached by an endpoint that knows of the losses.
     */
    public Parts without(Collection<Integer> lost, Endpoint renewed) {
        var rest = new Parts(renewed, lines.clone(), requests.clone(), births.clone());
        lost.forEach(rank -> rest.births[rank] = NONE);
        return rest;
    }

    /** Returns these parts, and that of a rank that has had none. Cost: R. */
    public Parts with(int rank, long firstLine, long firstRequest) {
        return with(rank, firstLine, firstRequest, born(endpoint, rank));
    }

    /** @param born the incarnation in which the rank's segment was made */
    public Parts with(int rank, long firstLine, long firstRequest, int born) {
        var more = new Parts(endpoint, lines.clone(), requests.clone(), births.clone());
        more.lines[rank] = firstLine;
        more.requests[rank] = firstRequest;
        more.births[rank] = born;
        return more;
    }

    public Endpoint endpoint() {
        return endpoint;
    }

    public int ranks() {
        return births.length;
    }

    public boolean contains(int rank) {
        return births[rank] != NONE;
    }

    /** Returns the incarnation in which the rank's segment was made; 0 if it has no part. */
    public int born(int rank) {
        return births[rank];
    }

    /** Returns the offset of the rank's lines. If the rank has no part, the offset must not be read. */
    public long lines(int rank) {
        return lines[rank];
    }

    /**
     * Returns the offset of a rank's requests.
     *
     * @throws RankUnreachableException if the rank has no part
     */
    public long requests(int rank) {
        require(rank);
        return requests[rank];
    }

    /**
     * Returns the offset of a rank's requests, for a request of that incarnation. Cost: none; R for the first request
     * of each incarnation.
     *
     * @throws RankUnreachableException if the incarnation has not opened the table in that segment. Its rank has lost
     * the segment, whose mapped memory can still be read
     * @throws SegmentLostException if the incarnation had ended before the segment was made
     */
    long requests(int rank, int incarnation) {
        long table = requests(rank);
        if (incarnation < births[rank]) {
            throw new SegmentLostException(births[rank], "lock", rank, FabricException.WHOLE_SEGMENT);
        }
        if (incarnation > opened.getOpaque(rank)) {
            int last = (int) endpoint.readWord(rank, table);
            if (last < incarnation) {
                throw another(rank);
            }
            opened.setOpaque(rank, last);
        }
        return table;
    }

    /** Returns the exception for a rank that has another segment than this process knows. */
    public static RankUnreachableException another(int rank) {
        return new RankUnreachableException(
                "the rank has another segment than this process knows yet, try again", "lock", rank,
                FabricException.WHOLE_SEGMENT);
    }

    /** @throws RankUnreachableException if the rank has no part */
    void require(int rank) {
        if (!contains(rank)) {
            endpoint.readWord(rank, SegmentHeader.bornWord()); // throws if the rank is away
            throw new RankUnreachableException(
                    "its part of a table of locks was lost and is being made anew, try again", "lock", rank,
                    FabricException.WHOLE_SEGMENT);
        }
    }
}
