package io.atoll.filter;

import io.atoll.world.Handle;
import io.atoll.world.OnLoss;
import io.atoll.world.Participant;
import io.atoll.world.StructureBuilder;
import java.util.function.Supplier;

/** The configuration that a Bloom filter is opened with. */
abstract class FilterBuilder<S, B extends FilterBuilder<S, B>> extends StructureBuilder<S, B> {

    private long expectedElements = 1 << 16;
    private double falsePositiveRate = 0.01;

    FilterBuilder(String name, Supplier<Participant> participant) {
        super(name, participant);
    }

    /** Sets how many different elements it is made for, over all ranks. Defaults to 65,536. */
    public B expectedElements(long elements) {
        expectedElements = elements;
        return self();
    }

    /** Sets the rate of false positives. {@link FilterSize} tells what it costs. Defaults to 0.01. */
    public B falsePositiveRate(double rate) {
        falsePositiveRate = rate;
        return self();
    }

    /**
     * Sets what becomes of the part of a rank that has lost its segment. By default, operations on it fail with a
     * {@link io.atoll.failure.SegmentLostException}, and the filter cannot be opened any more. With {@link
     * OnLoss#EMPTY} the part begins empty: what was added there is not found any more.
     */
    @Override
    public B onLoss(OnLoss becomes) {
        return super.onLoss(becomes);
    }

    final FilterSize size() {
        return FilterSize.of(expectedElements, falsePositiveRate);
    }

    /** @param elements the name of the hash function of the elements */
    final Handle<FilterBlocks> blocks(String elements, FilterSize size) {
        String filter = name();
        OnLoss becomes = onLoss();
        return handle(self -> FilterBlocks.open(self, filter, elements, size, becomes));
    }
}
