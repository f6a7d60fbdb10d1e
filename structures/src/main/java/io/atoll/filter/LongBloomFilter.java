package io.atoll.filter;

import io.atoll.codec.KeyHash;

/**
 * A {@link BloomFilter} of longs, without boxing: no operation allocates. The same filter can be opened as one of
 * {@code Long} elsewhere.
 */
public final class LongBloomFilter {

    private final String name;
    private final FilterBlocks blocks;
    private final FilterSize size;

    LongBloomFilter(String name, FilterBlocks blocks, FilterSize size) {
        this.name = name;
        this.blocks = blocks;
        this.size = size;
    }

    public String name() {
        return name;
    }

    /** @see BloomFilter#add */
    public boolean add(long element) {
        return blocks.add(KeyHash.of(element));
    }

    /** @see BloomFilter#mightContain */
    public boolean mightContain(long element) {
        return blocks.mightContain(KeyHash.of(element));
    }

    /** @see BloomFilter#size */
    public FilterSize size() {
        return size;
    }

    /** @see BloomFilter#occupancy */
    public Occupancy occupancy() {
        return blocks.occupancy();
    }

    @Override
    public String toString() {
        return "LongBloomFilter[" + name + "]";
    }
}
