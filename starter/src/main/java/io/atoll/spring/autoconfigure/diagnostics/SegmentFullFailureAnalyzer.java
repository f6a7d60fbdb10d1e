package io.atoll.spring.autoconfigure.diagnostics;

import io.atoll.failure.SegmentFullException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.util.unit.DataSize;

final class SegmentFullFailureAnalyzer extends AbstractFailureAnalyzer<SegmentFullException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, SegmentFullException cause) {
        String structure = cause.structure()
                .map(name -> "The structure " + name + ", which was used while the application started,")
                .orElse("A structure that was used while the application started");
        return new FailureAnalysis(
                structure + " does not fit into the segment of rank " + cause.rank() + ": it needs "
                        + size(cause.askedBytes()) + ", " + size(cause.freeBytes()) + " are free"
                        + (cause.largestFreeBytes() == cause.freeBytes()
                                ? "."
                                : ", and the largest free piece has " + size(cause.largestFreeBytes()) + "."),
                "Raise atoll.segment.size at all ranks, or lower the capacity or the expected elements of a structure.",
                cause);
    }

    private static String size(long bytes) {
        DataSize size = DataSize.ofBytes(bytes);
        return size.toMegabytes() > 0 ? size.toMegabytes() + "MB" : bytes + "B";
    }
}
