package io.atoll;

import java.util.Collections;
import java.util.stream.Stream;
import junit.framework.Test;
import junit.framework.TestFailure;
import junit.framework.TestResult;
import junit.framework.TestSuite;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;

/** Turns Guava's suites for collections of the JDK's kinds into tests of today's JUnit. */
public final class GuavaSuite {

    private GuavaSuite() {}

    public static Stream<DynamicNode> nodes(TestSuite suite) {
        return Collections.list(suite.tests()).stream().map(GuavaSuite::node);
    }

    private static DynamicNode node(Test test) {
        return test instanceof TestSuite suite
                ? DynamicContainer.dynamicContainer(suite.getName(), nodes(suite))
                : DynamicTest.dynamicTest(test.toString(), () -> run(test));
    }

    private static void run(Test test) throws Throwable {
        var result = new TestResult();
        test.run(result);
        for (TestFailure failure : Collections.list(result.failures())) {
            throw failure.thrownException();
        }
        for (TestFailure error : Collections.list(result.errors())) {
            throw error.thrownException();
        }
    }
}
