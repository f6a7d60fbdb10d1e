package io.atoll.app.node;

import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalysisReporter;

/**
 * Says in one line why the node cannot start, and what to do about it. Spring Boot finds this class in
 * {@code META-INF/spring.factories}.
 */
final class OneLineFailure implements FailureAnalysisReporter {

    @Override
    public void report(FailureAnalysis analysis) {
        String action = analysis.getAction() == null ? "" : " " + analysis.getAction();
        System.err.println(
                "atoll: " + RankPrefix.name() + (analysis.getDescription() + action).strip().replaceAll("\\s+", " "));
    }
}
