package io.atoll.spring.autoconfigure.diagnostics;

import io.atoll.failure.MissingRanksException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

final class MissingRanksFailureAnalyzer extends AbstractFailureAnalyzer<MissingRanksException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, MissingRanksException cause) {
        return new FailureAnalysis(
                "A structure was used while the application started, and not all ranks of the world came in time: "
                        + cause.getMessage(),
                "Start the missing ranks, with the same atoll.world.name and atoll.world.size, or raise"
                        + " atoll.world.join-timeout. An application that must start without the others uses its"
                        + " structures only later.",
                cause);
    }
}
