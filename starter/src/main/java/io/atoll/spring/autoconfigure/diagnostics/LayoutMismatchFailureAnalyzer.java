package io.atoll.spring.autoconfigure.diagnostics;

import io.atoll.failure.LayoutMismatchException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

final class LayoutMismatchFailureAnalyzer extends AbstractFailureAnalyzer<LayoutMismatchException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, LayoutMismatchException cause) {
        return new FailureAnalysis("A segment is in the way that this process cannot use: " + cause.getMessage(),
                "If the segment is that of a world which still runs, use its atoll.world.size and atoll.segment.size"
                        + " and the same version of Atoll, or another atoll.world.name. If it was left behind, stop all"
                        + " processes of the world and remove its files from atoll.fabric.shared-memory.folder"
                        + " (/dev/shm by default): atoll-<world>-<rank>.segment.",
                cause);
    }
}
