package io.atoll.spring.autoconfigure.diagnostics;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

final class UnknownFabricFailureAnalyzer extends AbstractFailureAnalyzer<UnknownFabricException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, UnknownFabricException cause) {
        return new FailureAnalysis("There is no fabric of the type '" + cause.type() + "'.",
                "Set atoll.fabric.type to one of: " + String.join(", ", cause.known()) + ".", cause);
    }
}
