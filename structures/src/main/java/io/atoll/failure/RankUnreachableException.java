package io.atoll.failure;

import java.util.List;
import java.util.stream.Collectors;

/**
 * The rank has not joined, has left, or has died. When it is back, what it holds can be used again, unless that is
 * lost: {@link SegmentLostException}.
 */
public sealed class RankUnreachableException extends FabricException permits SegmentLostException {

    private static final long serialVersionUID = 1L;

    /** @param reason a sentence without facts, which says what to do */
    public RankUnreachableException(String reason, String verb, int rank, long offset) {
        this(reason, "", verb, rank, offset);
    }

    /**
     * @param reason a sentence without facts, which says what to do
     * @param facts as {@code key=value}
     */
    public RankUnreachableException(String reason, String facts, String verb, int rank, long offset) {
        super(reason, facts, verb, rank, offset);
    }

    /** Returns one failure for several attempts to reach the rank, each with its own reason. */
    public static RankUnreachableException ofAll(List<? extends FabricException> attempts, String verb, int rank,
            long offset) {
        String tried = attempts.stream()
                .map(attempt -> attempt.reason() + ": " + attempt.facts())
                .collect(Collectors.joining("; "));
        return new RankUnreachableException(
                "the rank is at none of the addresses of its name, see what each attempt has failed by",
                "tried=[" + tried + "]", verb, rank, offset);
    }

    /** Returns the failure of another access to the rank for the same reason. */
    public RankUnreachableException alsoFor(String otherVerb, long otherOffset) {
        RankUnreachableException also = new RankUnreachableException(reason(), facts(), otherVerb, rank(), otherOffset);
        also.initCause(this);
        return also;
    }
}
