package io.atoll.spring.autoconfigure.property;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

final class UnknownPropertyFailureAnalyzer extends AbstractFailureAnalyzer<UnknownPropertyException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, UnknownPropertyException cause) {
        String where = cause.origin().map(origin -> " (" + origin + ")").orElse("");
        return new FailureAnalysis("There is no property '" + cause.name() + "'" + where + ".",
                cause.nearest().map(nearest -> "Most likely '" + nearest + "' is meant. ").orElse("")
                        + "Properties of the application's own must not begin with 'atoll.'.",
                cause);
    }
}
