package io.atoll.failure;

import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An access to a segment failed. The exception tells what was accessed: the structure, the verb, the rank and the
 * offset in bytes. The message is a sentence that says what to do, followed by these facts.
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
     * Names that structure in the message from now on. The caller of a verb may set it after the fabric has: the caller
     * knows better.
     *
     * @param accessed the structure; null, which changes nothing, if it is not known
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

    /** Takes over the structure of that failure. */
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

    /** Returns the structure's kind, such as {@code long-map}. Returns empty if {@link #structure} does. */
    public final Optional<String> kind() {
        return Optional.ofNullable(structure).map(StructureName::kind);
    }

    public final String verb() {
        return verb;
    }

    public final int rank() {
        return rank;
    }

    /** Returns the offset in bytes, or {@link #WHOLE_SEGMENT}. */
    public final long offset() {
        return offset;
    }
}
