package io.atoll.filter;

import io.atoll.completion.Completions;
import java.util.concurrent.CompletionStage;

/**
 * A {@link LongBloomFilter} whose operations return at once, and complete their stages later; {@link Completions} says
 * when and by whom. Cost: that of the filter's operations without a fetch-or, in rounds that all operations share which
 * are under way.
 *
 * <p>A callback of a stage may submit operations, and may wait for another stage. It blocks its thread alone: a virtual
 * thread polls meanwhile. It must not wait for what depends on itself, nor for another callback of its own stage.
 */
public final class AsyncLongBloomFilter {

    private final LongBloomFilter filter;
    private final Completions completions;

    AsyncLongBloomFilter(LongBloomFilter filter, Completions completions) {
        this.filter = filter;
        this.completions = completions;
    }

    /** @see BloomFilter#add */
    public CompletionStage<Boolean> add(long element) {
        return submit(element, true);
    }

    /** @see BloomFilter#mightContain */
    public CompletionStage<Boolean> mightContain(long element) {
        return submit(element, false);
    }

    private CompletionStage<Boolean> submit(long element, boolean adds) {
        FilterBlocks blocks = filter.blocks();
        return blocks.submit(completions, blocks.hashing().of(element), adds);
    }

    @Override
    public String toString() {
        return "Async" + filter;
    }
}
