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
 * Where a table of locks lies in the segments that ranks have at a time, and the endpoint that reaches these segments and no others. Whoever uses a word of the table takes offset and
 * endpoint from one object: so an offset in a lost segment never meets the one that its rank has now.
 *
 * <p>A rank that has lost its segment has no part, until that is made anew.
 */
final class Parts {

    /** In the place of a part's birth: there is none. */
    private static final int NONE = 0;

    private final Endpoint endpoint;
    private final long[] lines; // where those of locks begin, by rank
    private final long[] requests; // likewise
    private final int[] births; // of segments, as their headers say
    // The last incarnation that is known to have opened the table in the rank's segment. Opaque: all were read there, and a lower one costs a read.
    private final AtomicIntegerArray opened;

    private Parts(Endpoint endpoint, long[] lines, long[] requests, int[] births) {
        this.opened = new AtomicIntegerArray(births.length);
        this.endpoint = endpoint;
        this.lines = lines;
        this.requests = requests;
        this.births = births;
    }

    /**
     * Of ranks none of which has lost a segment.
     *
     * @param lines where those of each rank's locks begin in its segment
     * @param requests where the requests of each rank begin
     */
    public static Parts of(Endpoint endpoint, long[] lines, long[] requests) {
        int[] births = new int[lines.length];
        Arrays.fill(births, 1);
        return new Parts(endpoint, lines.clone(), requests.clone(), births);
    }

    /** As {@link #of}, of ranks whatever they have lost. Cost: R for each rank. */
    public static Parts read(Endpoint endpoint, long[] lines, long[] requests) {
        Parts parts = of(endpoint, lines, requests);
        for (int rank = 0; rank < lines.length; rank++) {
            parts.births[rank] = born(endpoint, rank);
        }
        return parts;
    }

    private static int born(Endpoint endpoint, int rank) {
        return (int) endpoint.readWord(rank, SegmentHeader.bornWord());
    }

    /** Returns those of all ranks but some that have lost theirs, reached by an endpoint that knows of it. */
    public Parts without(Collection<Integer> lost, Endpoint renewed) {
        var rest = new Parts(renewed, lines.clone(), requests.clone(), births.clone());
        lost.forEach(rank -> rest.births[rank] = NONE);
        return rest;
    }

    /** Returns these, and that of a rank that has had none. Cost: R. */
    public Parts with(int rank, long firstLine, long firstRequest) {
        return with(rank, firstLine, firstRequest, born(endpoint, rank));
    }

    /** @param born in which incarnation the rank's segment was made */
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

    /** In which incarnation the rank's segment was made; 0 where it has no part. */
    public int born(int rank) {
        return births[rank];
    }

    /** Where the rank's lines begin. Nothing is to be read there if it has no part. */
    public long lines(int rank) {
        return lines[rank];
    }

    /**
     * Where the requests of a rank begin.
     *
     * @throws RankUnreachableException if it has no part
     */
    public long requests(int rank) {
        require(rank);
        return requests[rank];
    }

    /**
     * Where the requests of a rank begin, for one of that incarnation. Cost: none; R for the first one of each.
     *
     * @throws RankUnreachableException if the incarnation has not opened the table in that segment, which its rank has lost: mapped memory can be read still
     * @throws SegmentLostException if it had ended before the segment was made
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

    /** What is told of a rank that is there with another segment. */
    public static RankUnreachableException another(int rank) {
        return new RankUnreachableException(
                "the rank has another segment than this process knows yet, try again", "lock", rank,
                FabricException.WHOLE_SEGMENT);
    }

    /** @throws RankUnreachableException if the rank has no part */
    void require(int rank) {
        if (!contains(rank)) {
            endpoint.readWord(rank, SegmentHeader.bornWord()); // says so if the rank is away
            throw new RankUnreachableException(
                    "its part of a table of locks was lost and is being made anew, try again", "lock", rank,
                    FabricException.WHOLE_SEGMENT);
        }
    }
}
