package io.atoll.autoconfigure.diagnostics;

import io.atoll.failure.ConfigurationMismatchException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

final class ConfigurationMismatchFailureAnalyzer extends AbstractFailureAnalyzer<ConfigurationMismatchException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, ConfigurationMismatchException cause) {
        return new FailureAnalysis(
                "Another process of the world has a structure of this name that was made differently: "
                        + cause.getMessage(),
                "Say the same of the structure at all processes: its type or types, capacity, expected elements, rate"
                        + " under atoll.maps, atoll.long-maps, atoll.filters or atoll.long-filters. To change them, stop"
                        + " all processes of the world first.",
                cause);
    }
}
