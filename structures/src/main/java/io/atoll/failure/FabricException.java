package io.atoll.failure;

import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An access to a segment failed. Carries what was accessed: the structure, the verb, the rank and the offset in bytes. The
 * message is a sentence that says what to do, then these facts.
 */
public abstract sealed class FabricException extends AtollException
        permits RankUnreachableException, FabricTimeoutException, SegmentFullException, LayoutMismatchException,
        SegmentFileException, FencedException {

    private static final long serialVersionUID = 1L;

    /** The offset of a failure that concerns a segment as a whole. */
    public static final long WHOLE_SEGMENT = -1;

    private final String reason;
    private final String facts;
    private final String verb;
    private final int rank;
    private final long offset;
    private @Nullable StructureName structure;

    /**
     * @param reason a sentence without facts
     * @param facts that no other failure has, as {@code key=value}; may be empty
     */
    FabricException(String reason, String facts, String verb, int rank, long offset) {
        super(reason);
        this.reason = reason;
        this.facts = facts;
        this.verb = verb;
        this.rank = rank;
        this.offset = offset;
    }

    /**
     * From now on the message names that structure. The caller of a verb may say so after the fabric has: it knows better.
     *
     * @param accessed null if nobody knows: then nothing changes
     * @return this failure, to be thrown
     */
    public final FabricException in(@Nullable StructureName accessed) {
        if (accessed != null) {
            structure = accessed;
        }
        return this;
    }

    final String reason() {
        return reason;
    }

    final String facts() {
        return facts;
    }

    /** As that failure says. */
    final FabricException inThatOf(FabricException other) {
        return in(other.structure);
    }

    @Override
    public final String getMessage() {
        return reason + ": " + Stream
                .of(structure == null ? "" : structure.toString(), "verb=" + verb, "rank=" + rank,
                        offset == WHOLE_SEGMENT ? "" : "offset=" + offset, facts)
                .filter(fact -> !fact.isEmpty())
                .collect(Collectors.joining(" "));
    }

    @Override
    public final Optional<String> structure() {
        return Optional.ofNullable(structure).map(StructureName::name);
    }

    /** What the structure is, such as {@code long-map}; empty where {@link #structure} is. */
    public final Optional<String> kind() {
        return Optional.ofNullable(structure).map(StructureName::kind);
    }

    public final String verb() {
        return verb;
    }

    public final int rank() {
        return rank;
    }

    /** In bytes, or {@link #WHOLE_SEGMENT}. */
    public final long offset() {
        return offset;
    }
}
