package io.atoll.filter;

import io.atoll.completion.Completions;
import java.util.concurrent.CompletionStage;

/**
 * A {@link BloomFilter} whose operations return at once, and complete their stages later; {@link Completions} says when
 * and by whom. Cost: that of the filter's operations without a fetch-or, in rounds that all operations share which are
 * under way.
 *
 * <p>A callback of a stage may submit operations, and may wait for another stage. It blocks its thread alone: a virtual
 * thread polls meanwhile. It must not wait for what depends on itself, nor for another callback of its own stage.
 *
 * @param <T> the elements; null is none
 */
public final class AsyncBloomFilter<T> {

    private final BloomFilter<T> filter;
    private final Completions completions;

    AsyncBloomFilter(BloomFilter<T> filter, Completions completions) {
        this.filter = filter;
        this.completions = completions;
    }

    /** @see BloomFilter#add */
    public CompletionStage<Boolean> add(T element) {
        return filter.submit(completions, element, true);
    }

    /** @see BloomFilter#mightContain */
    public CompletionStage<Boolean> mightContain(T element) {
        return filter.submit(completions, element, false);
    }

    @Override
    public String toString() {
        return "Async" + filter;
    }
}
