package io.atoll.completion;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.completion.Parts.Part;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Operations of one combiner that go on without rounds do so one at a time. */
@Timeout(30)
class CombinerTest {

    private static final int OPERATIONS = 4;
    private static final int TOGETHER = 2;

    @TempDir
    private Path folder;

    /** Goes on without rounds from their beginning, or after a round. */
    private static final class Yielding extends Parts {

        Yielding(Endpoint endpoint, int most, Step first) {
            super(endpoint, most, first);
        }

        @Override
        protected Step take(Batch batch, long position) {
            return Step.ALONE;
        }
    }

    private void oneAtATime(Operation.Step first) {
        try (World world = World.named("combiner")
                .segment(4 << 20)
                .fabric(Fabrics.sharedMemory(folder, false))
                .open()) {
            Endpoint endpoint = world.participant().endpoint();
            Queue<Runnable> tasks = new ArrayDeque<>();
            Completions completions = new Completions(64, tasks::add, false);
            Combiner<Part> combiner = new Combiner<>(TOGETHER, OPERATIONS,
                    most -> new Yielding(endpoint, most, first));
            List<CompletableFuture<Integer>> stages = new ArrayList<>();
            for (int request = 0; request < OPERATIONS * TOGETHER; request++) {
                stages.add(completions.submit(new Part(endpoint, combiner)).toCompletableFuture());
            }
            int ran = 0;
            while (completions.underWay() > 0) {
                completions.poll();
                assertThat(tasks).hasSizeLessThanOrEqualTo(1);
                if (!tasks.isEmpty()) {
                    tasks.remove().run();
                    ran++;
                }
            }
            assertThat(ran).isGreaterThanOrEqualTo(OPERATIONS);
            assertThat(stages).allMatch(CompletableFuture::isDone);
            completions.close();
        }
    }

    @Test
    void thoseThatNeverHaveARoundGoOnOneAtATime() {
        oneAtATime(Operation.Step.ALONE);
    }

    @Test
    void thoseThatGiveUpTheirRoundsTogetherGoOnOneAtATime() {
        oneAtATime(Operation.Step.AGAIN);
    }
}
