package io.atoll.fabric.rdma;

import static org.junit.platform.launcher.EngineFilter.includeEngines;
import static org.junit.platform.launcher.TagFilter.includeTags;
import static org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder.request;

import java.io.PrintWriter;
import java.util.List;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * Runs tests inside the lab. The first argument chooses the tags of the tests, and the classes follow. Prints a line
 * for each test. Ends with 0 if all of them ran and succeeded.
 */
final class RdmaTests implements TestExecutionListener {

    private RdmaTests() {}

    public static void main(String[] arguments) {
        List<String> testClasses = List.of(arguments).subList(1, arguments.length);
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create()
                .execute(request().selectors(testClasses.stream().map(DiscoverySelectors::selectClass).toList())
                        .filters(includeEngines("junit-jupiter"), includeTags(arguments[0]))
                        .build(), listener, new RdmaTests());
        TestExecutionSummary summary = listener.getSummary();
        summary.printFailuresTo(new PrintWriter(System.out));
        System.out.printf("== rdma lab: %d tests, %d failed, %d skipped, %.0f s%n", summary.getTestsFoundCount(),
                summary.getTotalFailureCount(),
                summary.getContainersSkippedCount() + summary.getTestsSkippedCount() + summary.getTestsAbortedCount(),
                (summary.getTimeFinished() - summary.getTimeStarted()) / 1e3);
        boolean whole = summary.getTestsSucceededCount() + summary.getTestsAbortedCount() == summary
                .getTestsFoundCount();
        System.exit(whole && summary.getTestsSucceededCount() > 0 && summary.getTotalFailureCount() == 0 ? 0 : 1);
    }

    @Override
    public void executionSkipped(TestIdentifier test, String reason) {
        System.out.println("skipped  " + name(test) + ": " + reason);
    }

    @Override
    public void executionFinished(TestIdentifier test, TestExecutionResult result) {
        if (test.isTest() || result.getStatus() != Status.SUCCESSFUL) {
            String reason = result.getThrowable().map(failure -> ": " + failure).orElse("");
            System.out.println(result.getStatus().toString().toLowerCase() + "  " + name(test) + reason);
        }
    }

    private static String name(TestIdentifier test) {
        String type = test.getSource()
                .filter(MethodSource.class::isInstance)
                .map(MethodSource.class::cast)
                .map(source -> source.getJavaClass().getSimpleName() + ".")
                .orElse("");
        return type + test.getLegacyReportingName();
    }
}
