package io.atoll.spring.autoconfigure.diagnostics;

import io.atoll.failure.LayoutMismatchException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

final class LayoutMismatchFailureAnalyzer extends AbstractFailureAnalyzer<LayoutMismatchException> {

    private static final String LEFT_BEHIND = "If it was left behind, stop all processes of the world and remove its"
            + " files from atoll.fabric.shared-memory.folder (/dev/shm by default): atoll-<world>-<rank>.segment.";

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, LayoutMismatchException cause) {
        return switch (cause.mismatch()) {
            case VERSION_OF_PROCESS -> new FailureAnalysis(
                    "Another process of the world runs another version of Atoll: " + cause.getMessage(),
                    "Run the same version of Atoll in all processes of the world. To change the version, stop all of"
                            + " them first.",
                    cause);
            case WORLD_OF_PROCESS -> new FailureAnalysis(
                    "A process of another world answers: " + cause.getMessage(),
                    "Set the same atoll.world.name, atoll.world.size and atoll.world.max-size in all processes of the"
                            + " world. If they are the same, correct the addresses: another world listens there.",
                    cause);
            case VERSION_OF_FILE -> new FailureAnalysis(
                    "The segment of a world was made by another version of Atoll: " + cause.getMessage(),
                    "If that world still runs, run its version of Atoll, or use another atoll.world.name. "
                            + LEFT_BEHIND,
                    cause);
            case SEGMENT -> new FailureAnalysis(
                    "A segment is in the way that this process cannot use: " + cause.getMessage(),
                    "If the segment is that of a world which still runs, use its atoll.world.size and"
                            + " atoll.segment.size, or another atoll.world.name. " + LEFT_BEHIND,
                    cause);
        };
    }
}
