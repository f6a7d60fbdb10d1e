package io.atoll.spring.autoconfigure.property;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

final class MissingPropertyFailureAnalyzer extends AbstractFailureAnalyzer<MissingPropertyException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, MissingPropertyException cause) {
        return new FailureAnalysis("The property '" + cause.name() + "' is missing.",
                "Set it to " + cause.expected() + ".", cause);
    }
}
