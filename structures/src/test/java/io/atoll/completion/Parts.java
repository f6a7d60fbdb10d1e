package io.atoll.completion;

import io.atoll.epoch.EpochManager;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.memory.Layouts;
import org.jspecify.annotations.Nullable;

/** Requests of tests that are carried out together: a round answers one, and without rounds all are answered. */
class Parts extends CombinedOperation<Parts.Part> {

    /** One of them, which counts its effects. */
    static final class Part extends Request<Integer> {

        private final Endpoint endpoint;
        private final Combiner<Part> combiner;
        private int effects;

        Part(Endpoint endpoint, Combiner<Part> combiner) {
            this.endpoint = endpoint;
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

        int effects() {
            return effects;
        }

        private void succeed() {
            effects++;
            answer(0);
        }
    }

    private final Endpoint endpoint;
    private final Step first;

    /** @param first what {@link #begin} says */
    Parts(Endpoint endpoint, int most, Step first) {
        super(most);
        this.endpoint = endpoint;
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
        left(0).succeed();
        return left() == 0 ? Step.DONE : Step.AGAIN;
    }

    @Override
    protected void aloneWithLeft() {
        while (left() > 0) {
            left(0).succeed();
        }
    }
}
