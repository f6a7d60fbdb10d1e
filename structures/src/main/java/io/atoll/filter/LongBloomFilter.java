package io.atoll.filter;

import io.atoll.completion.Completions;
import io.atoll.world.Handle;
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
    FilterBlocks blocks() {
        return handle.use();
    }

    /** Returns this filter for asynchronous operations. Cost: none. */
    public AsyncLongBloomFilter async(Completions completions) {
        return new AsyncLongBloomFilter(this, completions);
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
    public static final class Builder extends FilterBuilder<LongBloomFilter, Builder> {

        private Builder(String name, Supplier<Participant> participant) {
            super(name, participant);
        }

        @Override
        public LongBloomFilter openLazily() {
            FilterSize size = size();
            return new LongBloomFilter(name(), blocks(ElementHash.LONG, size), size);
        }

        @Override
        protected Handle<?> handle(LongBloomFilter filter) {
            return filter.handle;
        }
    }
}
