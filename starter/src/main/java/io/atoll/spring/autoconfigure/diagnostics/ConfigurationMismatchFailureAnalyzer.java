package io.atoll.spring.autoconfigure.diagnostics;

import io.atoll.failure.ConfigurationMismatchException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

final class ConfigurationMismatchFailureAnalyzer extends AbstractFailureAnalyzer<ConfigurationMismatchException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, ConfigurationMismatchException cause) {
        return new FailureAnalysis(
                "Another process of the world has a structure of this name that was made differently: "
                        + cause.getMessage(),
                "Say the same of the structure at all processes, all that stands under its name, such as"
                        + " atoll.maps.orders. To change it, stop all processes of the world first.",
                cause);
    }
}
