package io.atoll.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.Patch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The tests of guarded verbs and of searches find mistakes in {@link FrameExecutor}, which decides at the owner. */
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

    private static final class Move implements Runnable {
        @Override
        public void run() {
            GuardMutationTest.run(() -> new FrameExecutorTest().displacementsOfGuardsAddUp());
        }
    }

    private static final class Found implements Runnable {
        @Override
        public void run() {
            GuardMutationTest.run(() -> new FrameExecutorTest()
                    .anExchangeOfTheFoundWordKeepsBitsAndAddsIfTheWordIsStillTheSame());
        }
    }

    private static final class Later implements Runnable {
        @Override
        public void run() {
            GuardMutationTest.run(() -> new FrameExecutorTest().noGuardOfAnEarlierFrameMovesAnything());
        }
    }

    private static final class SearchCheck implements Runnable {
        @Override
        public void run() {
            GuardMutationTest.run(() -> {
                new FrameExecutorTest().aSearchThatNoRankSendsIsRefusedAsAWhole();
                new FrameExecutorTest().anExchangeOfAFoundWordWithoutASearchIsRefusedAsAWhole();
            });
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

    @Test
    void whatIsGuardedAndDoesNotMoveIsFound() {
        assertIsFound(RIGHT.replace("verb + Frame.OFFSET) + displacements[guard];", "verb + Frame.OFFSET);"),
                Move.class);
    }

    @Test
    void aGuardThatForgetsItsOwnGuardIsFound() {
        assertIsFound(RIGHT.replace("displacements[number] = displacements[guard];", "displacements[number] = 0;"),
                Move.class);
    }

    @Test
    void displacementsOfAnEarlierFrameAreFound() {
        assertIsFound(RIGHT.replace("displacements[number] = displacements[guard];",
                "displacements[number] += displacements[guard];"), Later.class);
    }

    @Test
    void anExchangeThatReplacesAnyWordIsFound() {
        assertIsFound(RIGHT.replace("segment.compareAndExchange(offset, expected,\n                        (expected",
                "segment.getAndSet(offset,\n                        (expected"), Found.class);
    }

    @Test
    void searchesThatAreNotCheckedAreFound() {
        assertIsFound(RIGHT.replace("kind == Frame.SEARCH && !isSearch(", "index < 0 && !isSearch("),
                SearchCheck.class);
        assertIsFound(RIGHT.replace("kind == Frame.EXCHANGE_FOUND && (guard == 0 ", "index < 0 && (guard == 0 "),
                SearchCheck.class);
    }
}
