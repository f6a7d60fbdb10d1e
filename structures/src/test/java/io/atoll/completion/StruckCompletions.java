package io.atoll.completion;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.completion.Parts.Part;
import io.atoll.epoch.EpochManager;
import io.atoll.epoch.EpochSettings;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.fabric.interleaving.Strike;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Operations of every kind, while an error strikes at each step, one after the other. After each error every operation
 * that was submitted ends, has had its effect at most once, and holds nothing.
 */
final class StruckCompletions implements Function<Path, Integer> {

    private static final int MOST_STEPS = 5_000;
    private static final int MOST_LOOKS = 200;
    private static final int REQUESTS = 5;
    private static final int TOGETHER = 2;

    private Endpoint endpoint;
    private EpochManager epochs;

    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final List<CompletableFuture<Integer>> stages = new ArrayList<>();
    private final List<Part> parts = new ArrayList<>();
    private final List<Work> works = new ArrayList<>();
    private int held;

    /** Returns the number of errors. */
    @Override
    public Integer apply(Path folder) {
        try (World world = World.named("struck").fabric(Fabrics.sharedMemory(folder, false)).segment(4 << 20).open()) {
            endpoint = world.participant().endpoint();
            epochs = new EpochManager(world::participant, EpochSettings.DEFAULT);
            int step = 1;
            while (isStruckAt(step)) {
                assertThat(++step).as("steps").isLessThan(MOST_STEPS);
            }
            epochs.close();
            return step - 1;
        }
    }

    private boolean isStruckAt(int step) {
        stages.clear();
        works.clear();
        parts.clear();
        tasks.clear();
        held = 0;
        String thread = Thread.currentThread().getName();
        Completions completions = new Completions(64, tasks::add, false);
        Combiner<Part> rounds = combiner(Operation.Step.AGAIN);
        Combiner<Part> alone = combiner(Operation.Step.ALONE);
        boolean isMade;
        try (Strike strike = new Strike(thread::equals, step)) {
            submitAll(completions, rounds, alone);
            takeFurther(completions);
            isMade = strike.isMade();
        }
        String what = "with an error at step " + step;
        assertThat(stages).as(what).allMatch(CompletableFuture::isDone);
        assertThat(completions.underWay()).as(what).isZero();
        assertThat(held).as("held %s", what).isZero();
        assertThat(works).as(what).allMatch(work -> work.effects <= 1);
        assertThat(parts).as(what).allMatch(part -> part.effects() <= 1);
        long effects = works.stream().mapToInt(work -> work.effects).sum()
                + parts.stream().mapToInt(Part::effects).sum();
        long succeeded = stages.stream().filter(stage -> !stage.isCompletedExceptionally()).count();
        assertThat(effects).as("effects %s", what).isGreaterThanOrEqualTo(succeeded);
        submit(() -> completions.submit(part(rounds)));
        submit(() -> completions.submit(part(alone)));
        submit(() -> completions.submit(new Work(Operation.Step.DONE)));
        takeFurther(completions);
        assertThat(stages).as("the next ones %s", what).allMatch(CompletableFuture::isDone);
        completions.close();
        assertThat(epochs.snapshot().ranks().getFirst().tokens()).as("pins %s", what)
                .noneMatch(token -> token.pinned());
        return isMade;
    }

    private Combiner<Part> combiner(Operation.Step first) {
        return new Combiner<>(TOGETHER, 2, most -> new Parts(endpoint, most, first));
    }

    private Part part(Combiner<Part> combiner) {
        var part = new Part(endpoint, combiner);
        parts.add(part);
        return part;
    }

    private void submitAll(Completions completions, Combiner<Part> rounds, Combiner<Part> alone) {
        for (Operation.Step last : List.of(Operation.Step.DONE, Operation.Step.AFTERWARDS, Operation.Step.ALONE)) {
            submit(() -> completions.submit(new Work(last)));
        }
        for (int request = 0; request < REQUESTS; request++) {
            submit(() -> completions.submit(part(rounds)));
            submit(() -> completions.submit(part(alone)));
        }
    }

    private void submit(Supplier<CompletionStage<Integer>> submission) {
        try {
            stages.add(submission.get().toCompletableFuture());
        } catch (OutOfMemoryError struck) {
            // Nothing was submitted. What it made has no effect, which effects and failures show.
        }
    }

    private void takeFurther(Completions completions) {
        for (int look = 0; look < MOST_LOOKS && (completions.underWay() > 0 || !tasks.isEmpty()); look++) {
            try {
                completions.poll();
                if (!tasks.isEmpty()) {
                    tasks.remove().run();
                }
            } catch (OutOfMemoryError struck) {
                // A caller may look again.
            }
        }
    }

    /** Two rounds under a pin, and a hold. */
    private final class Work extends OneWordOperation<Integer> {

        private final Step last;
        private boolean isHeld;
        private int rounds;
        private int effects;

        Work(Step last) {
            super(endpoint);
            this.last = last;
            works.add(this);
        }

        @Override
        protected EpochManager epochs() {
            return epochs;
        }

        @Override
        protected Step begin() {
            isHeld = true;
            held++;
            return Step.AGAIN;
        }

        @Override
        protected Step take(Batch batch, long position) {
            if (rounds++ == 0) {
                return Step.AGAIN;
            }
            if (last == Step.DONE) {
                release();
            }
            if (last != Step.ALONE) {
                effects++;
            }
            return last;
        }

        @Override
        protected Integer result() {
            return 0;
        }

        @Override
        protected Integer alone() {
            release();
            effects++;
            return 0;
        }

        @Override
        protected void afterwards() {
            release();
        }

        @Override
        protected boolean isInDoubt() {
            return isHeld;
        }

        @Override
        protected void undo() {
            release();
        }

        private void release() {
            if (isHeld) {
                isHeld = false;
                held--;
            }
        }
    }
}
