package io.atoll.filter;

/**
 * A set that answers "certainly not" or "perhaps", in a few bits for each element, spread over all ranks (BCL, section 5.4).
 * Elements are never removed, and never forgotten: there are no false negatives. How often it says "perhaps" of what was
 * never added is chosen when it is opened, and kept until more than the expected elements have been added.
 *
 * <p>{@link #add} and {@link #mightContain} are atomic with each other (linearizable) and wait for nobody. On an element
 * that this rank owns they cost no verb where the fabric's atomics are the CPU's. They fail with a
 * {@link io.atoll.failure.RankUnreachableException} while the rank that owns the element is not there; whether an element
 * has been added by a call that failed so is unknown, and it may be added again.
 *
 * @param <T> the elements; null is none
 */
public final class BloomFilter<T> {

    private final String name;
    private final ElementHash<T> hash;
    private final FilterBlocks blocks;
    private final FilterSize size;

    BloomFilter(String name, ElementHash<T> hash, FilterBlocks blocks, FilterSize size) {
        this.name = name;
        this.hash = hash;
        this.blocks = blocks;
        this.size = size;
    }

    public String name() {
        return name;
    }

    /**
     * Adds the element; true if it was new, as {@link java.util.Set#add}. Of all calls for one element, at any ranks, exactly
     * one returns true; none does if {@link #mightContain} was already true of it by mistake. Wait-free. Cost: A where the
     * fabric has a fetch-or, else R + A, and R alone if the element was there.
     */
    public boolean add(T element) {
        return blocks.add(hash.function().applyAsLong(element));
    }

    /** False if the element was certainly never added. Wait-free. Cost: R. */
    public boolean mightContain(T element) {
        return blocks.mightContain(hash.function().applyAsLong(element));
    }

    /** What it was made for. */
    public FilterSize size() {
        return size;
    }

    /** How full it is. Others may go on adding meanwhile. Cost: R for each 32 KiB of the filter. */
    public Occupancy occupancy() {
        return blocks.occupancy();
    }

    @Override
    public String toString() {
        return "BloomFilter[" + name + "]";
    }
}
