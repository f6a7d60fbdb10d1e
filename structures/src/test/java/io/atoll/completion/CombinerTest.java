package io.atoll.completion;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.epoch.EpochManager;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.memory.Layouts;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
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

    private Endpoint endpoint;

    private final class Part extends Request<Integer> {

        private final Combiner<Part> combiner;

        Part(Combiner<Part> combiner) {
            this.combiner = combiner;
        }

        @Override
        protected Endpoint endpoint() {
            return endpoint;
        }

        @Override
        protected Combiner<?> combiner() {
            return combiner;
        }
    }

    /** Goes on without rounds from its beginning, or after a round. */
    private final class Parts extends CombinedOperation<Part> {

        private final Step first;

        Parts(int most, Step first) {
            super(most);
            this.first = first;
        }

        @Override
        protected Endpoint endpoint() {
            return endpoint;
        }

        @Override
        protected int owner() {
            return 0;
        }

        @Override
        protected @Nullable EpochManager epochs() {
            return null;
        }

        @Override
        protected long bytes() {
            return Layouts.WORD;
        }

        @Override
        protected int atomics() {
            return 0;
        }

        @Override
        protected Step begin() {
            return first;
        }

        @Override
        protected void add(Batch batch, long position) {
            batch.read(0, 0, position, Layouts.WORD);
        }

        @Override
        protected Step take(Batch batch, long position) {
            return Step.ALONE;
        }

        @Override
        protected void aloneWithLeft() {
            while (left() > 0) {
                left(0).answer(0);
            }
        }
    }

    private void oneAtATime(Operation.Step first) {
        try (World world = World.named("combiner")
                .segment(4 << 20)
                .fabric(Fabrics.sharedMemory(folder, false))
                .open()) {
            endpoint = world.participant().endpoint();
            Queue<Runnable> tasks = new ArrayDeque<>();
            Completions completions = new Completions(64, tasks::add, false);
            Combiner<Part> combiner = new Combiner<>(TOGETHER, OPERATIONS, most -> new Parts(most, first));
            List<CompletableFuture<Integer>> stages = new ArrayList<>();
            for (int request = 0; request < OPERATIONS * TOGETHER; request++) {
                stages.add(completions.submit(new Part(combiner)).toCompletableFuture());
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
