package io.atoll.spring.autoconfigure.diagnostics;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

final class RefusedSettingFailureAnalyzer extends AbstractFailureAnalyzer<RefusedSettingException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, RefusedSettingException cause) {
        return new FailureAnalysis("The property '" + cause.property() + "' is refused: " + cause.reason() + ".",
                cause.action(), cause);
    }
}
