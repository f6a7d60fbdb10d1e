package io.atoll.filter;

import io.atoll.world.Handle;
import io.atoll.world.OnLoss;
import io.atoll.world.Participant;
import java.util.function.Supplier;
import java.util.stream.LongStream;

/**
 * A {@link BloomFilter} of longs, without boxing: no operation on one element allocates. Other ranks can open the same
 * filter as one of {@code Long}.
 */
public final class LongBloomFilter {

    private final String name;
    private final Handle<FilterBlocks> handle;
    private final FilterSize size;

    LongBloomFilter(String name, Handle<FilterBlocks> handle, FilterSize size) {
        this.name = name;
        this.handle = handle;
        this.size = size;
    }

    /** Begins to open the filter of this name. */
    public static Builder builder(String name, Supplier<Participant> participant) {
        return new Builder(name, participant);
    }

    public String name() {
        return name;
    }

    /** Returns the blocks for an operation, and counts the operation. */
    private FilterBlocks blocks() {
        return handle.use();
    }

    /** @see BloomFilter#add */
    public boolean add(long element) {
        FilterBlocks blocks = blocks();
        return blocks.add(blocks.hashing().of(element));
    }

    /** @see BloomFilter#mightContain */
    public boolean mightContain(long element) {
        FilterBlocks blocks = blocks();
        return blocks.mightContain(blocks.hashing().of(element));
    }

    /** @see BloomFilter#addAll */
    public boolean[] addAll(long[] elements) {
        return many(elements).add();
    }

    /** @see BloomFilter#mightContainAll */
    public boolean[] mightContainAll(long[] elements) {
        return many(elements).mightContain();
    }

    private ManyElements many(long[] elements) {
        FilterBlocks blocks = handle.use(elements.length);
        return new ManyElements(blocks, LongStream.of(elements).map(blocks.hashing()::of).toArray());
    }

    /**
     * Like {@link BloomFilter#union}.
     *
     * @throws IllegalArgumentException if it is of another size
     */
    public void union(LongBloomFilter other) {
        if (!size.equals(other.size)) {
            throw new IllegalArgumentException("only filters alike have a union: filter=" + name + " size=" + size
                    + " other=" + other.name + " otherSize=" + other.size);
        }
        new WholeFilter(blocks()).union(other.handle.opened());
    }

    /** @see BloomFilter#clear */
    public void clear() {
        new WholeFilter(blocks()).clear();
    }

    /** @see BloomFilter#size */
    public FilterSize size() {
        return size;
    }

    /** @see BloomFilter#occupancy */
    public Occupancy occupancy() {
        return new WholeFilter(handle.opened()).occupancy();
    }

    @Override
    public String toString() {
        return "LongBloomFilter[" + name + "]";
    }

    /** The configuration that a filter is opened with. Every rank that opens it must ask for the same. */
    public static final class Builder {

        private final String name;
        private final Supplier<Participant> participant;
        private long expectedElements = 1 << 16;
        private double falsePositiveRate = 0.01;
        private OnLoss onLoss = OnLoss.FAIL;

        private Builder(String name, Supplier<Participant> participant) {
            this.name = name;
            this.participant = participant;
        }

        /** Sets how many different elements it is made for, over all ranks. Defaults to 65,536. */
        public Builder expectedElements(long elements) {
            this.expectedElements = elements;
            return this;
        }

        /** Sets the rate of false positives. {@link FilterSize} tells what it costs. Defaults to 0.01. */
        public Builder falsePositiveRate(double rate) {
            this.falsePositiveRate = rate;
            return this;
        }

        /**
         * Sets what becomes of the part of a rank that has lost its segment. By default, operations on it fail with a
         * {@link io.atoll.failure.SegmentLostException}, and the filter cannot be opened any more. With {@link
         * OnLoss#EMPTY} the part begins empty: what was added there is not found any more.
         */
        public Builder onLoss(OnLoss becomes) {
            this.onLoss = becomes;
            return this;
        }

        /**
         * Attaches to the filter, or creates it.
         *
         * @throws io.atoll.failure.ConfigurationMismatchException when the name exists with another configuration
         * @throws io.atoll.failure.SegmentFullException when there is no room for it
         */
        public LongBloomFilter open() {
            LongBloomFilter filter = openLazily();
            filter.handle.opened();
            return filter;
        }

        /**
         * Like {@link #open()}, but on first use. The first use waits for missing ranks and throws what {@code open}
         * throws. If it fails, the next use tries again.
         */
        public LongBloomFilter openLazily() {
            FilterSize size = FilterSize.of(expectedElements, falsePositiveRate);
            return new LongBloomFilter(name, FilterBlocks.handle(participant, name, ElementHash.LONG, size, onLoss),
                    size);
        }
    }
}
