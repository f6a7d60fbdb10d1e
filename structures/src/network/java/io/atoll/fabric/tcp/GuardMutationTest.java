package io.atoll.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.Patch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The tests of guarded verbs find mistakes in {@link FrameExecutor}, which decides at the owner. */
@Tag("network")
class GuardMutationTest {

    private static final Patch RIGHT = new Patch(FrameExecutor.class);

    /** What a test does, without its declared exceptions. */
    private interface Trial {
        void run() throws Exception;
    }

    private static void run(Trial trial) {
        try {
            trial.run();
        } catch (Exception failure) {
            throw new AssertionError("another failure than the mistake's", failure);
        }
    }

    private static final class Execution implements Runnable {
        @Override
        public void run() {
            GuardMutationTest.run(() -> new FrameExecutorTest().aGuardedVerbIsExecutedOnlyIfItsExchangeTookPlace());
        }
    }

    private static final class Check implements Runnable {
        @Override
        public void run() {
            GuardMutationTest.run(() -> new FrameExecutorTest().aGuardThatIsNoEarlierExchangeIsRefusedAsAWhole());
        }
    }

    private static void assertIsFound(Patch mistake, Class<? extends Runnable> trial) {
        RIGHT.run(trial);
        assertThatThrownBy(() -> mistake.run(trial)).isInstanceOf(AssertionError.class)
                .hasMessageNotContaining("another failure");
    }

    @Test
    void anExecutorThatIgnoresGuardsIsFound() {
        assertIsFound(RIGHT.replace("boolean isSkipped = !Frame.isOneOf(succeeded, guard);",
                "boolean isSkipped = false;"), Execution.class);
    }

    @Test
    void anExchangeThatGuardsThoughItFoundAnotherWordIsFound() {
        assertIsFound(RIGHT.replace(" && former == expected", ""), Execution.class);
    }

    @Test
    void resultsOfSkippedVerbsThatAreNoZerosAreFound() {
        assertIsFound(RIGHT.replace("out.asSlice(result, resultBytes).fill((byte) 0);", ""), Execution.class);
    }

    @Test
    void guardsThatAreNotCheckedAreFound() {
        assertIsFound(RIGHT.replace("if (!Frame.isOneOf(guards, guard)) {",
                "if (index < 0) {"), Check.class);
    }
}
