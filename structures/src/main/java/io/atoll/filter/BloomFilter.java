package io.atoll.filter;

import io.atoll.codec.Codec;
import io.atoll.codec.KeyHash;
import io.atoll.completion.Completions;
import io.atoll.world.Handle;
import io.atoll.world.Participant;
import io.atoll.world.StructureStats;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A set that answers "certainly not" or "perhaps" (BCL, section 5.4). It takes a few bits for each element, spread over
 * all ranks. Elements are never removed one by one, and forgotten only all together: there are no false negatives. The
 * caller that opens the filter chooses how often it says "perhaps" of an element that was never added. That rate is
 * kept until more than the expected elements have been added.
 *
 * <p>{@link #add} and {@link #mightContain} are atomic with each other (linearizable) and never wait for another
 * thread. On an element that this rank owns they cost no verb where the fabric's atomics are the CPU's. While the rank
 * that owns the element is not there, they fail with a {@link io.atoll.failure.RankUnreachableException}. If a call of
 * add fails so, it is unknown if it has added its element. The caller may add the element again.
 *
 * @param <T> the elements; null is none
 */
public final class BloomFilter<T> {

    /** The figures that a filter shows to monitoring. */
    public static final StructureStats FIGURES = new FilterStats();

    private final String name;
    private final ElementHash<T> hash;
    private final Handle<FilterBlocks> handle;
    private final FilterSize size;

    BloomFilter(String name, ElementHash<T> hash, Handle<FilterBlocks> handle, FilterSize size) {
        this.name = name;
        this.hash = hash;
        this.handle = handle;
        this.size = size;
    }

    /**
     * Begins to open the filter of this name. Elements are texts, types that have a codec, or any other type with a
     * hash of its own.
     */
    public static <T> Builder<T> builder(String name, Class<T> elements, Supplier<Participant> participant) {
        return new Builder<>(name, elements, participant);
    }

    public String name() {
        return name;
    }

    /** Returns the blocks for an operation, and counts the operation. */
    private FilterBlocks blocks() {
        return handle.use();
    }

    /** Returns this filter for asynchronous operations. Cost: none. */
    public AsyncBloomFilter<T> async(Completions completions) {
        return new AsyncBloomFilter<>(this, completions);
    }

    CompletionStage<Boolean> submit(Completions completions, T element, boolean adds) {
        FilterBlocks blocks = blocks();
        return blocks.submit(completions, hash.of(element, blocks.hashing()), adds);
    }

    /**
     * Adds the element. Returns true if it was new, like {@link java.util.Set#add}. Exactly one of all calls for one
     * element, at any ranks, returns true. None does if {@link #mightContain} was already true of it by mistake.
     * Wait-free. Cost: A where the fabric has a fetch-or, else R + A, and R alone if the element was there.
     */
    public boolean add(T element) {
        FilterBlocks blocks = blocks();
        return blocks.add(hash.of(element, blocks.hashing()));
    }

    /** Returns false if the element was certainly never added. Wait-free. Cost: R. */
    public boolean mightContain(T element) {
        FilterBlocks blocks = blocks();
        return blocks.mightContain(hash.of(element, blocks.hashing()));
    }

    /**
     * Adds the elements. Returns for each, like {@link #add}, true if it was new. Lock-free. Cost: A for each where the
     * fabric has a fetch-or, and each {@value io.atoll.fabric.Batch#ATOMICS} elements share one round trip. Elsewhere R
     * + A for each, R alone for one that was there. Each {@value io.atoll.fabric.Batch#ATOMICS} share one round trip of
     * reads and one of atomics then. It takes one more whenever other threads change the same words meanwhile. Where
     * verbs are executed at once, as on shared memory, it costs what the single calls cost.
     *
     * <p>If it fails, any of them may have been added, and all may be added again.
     */
    public boolean[] addAll(List<? extends T> elements) {
        return many(elements).add();
    }

    /**
     * Returns for each what {@link #mightContain} returns. Wait-free. Cost: R for each, in one round trip for each 256.
     */
    public boolean[] mightContainAll(List<? extends T> elements) {
        return many(elements).mightContain();
    }

    private ManyElements many(List<? extends T> elements) {
        FilterBlocks blocks = handle.use(elements.size());
        KeyHash hashing = blocks.hashing();
        return new ManyElements(blocks, elements.stream().mapToLong(element -> hash.of(element, hashing)).toArray());
    }

    /**
     * Adds every element of another filter, which is not changed. Other threads may add to both meanwhile. The union
     * may miss what they add to the other filter. Lock-free. Cost: 2 R for each 32 KiB of the filter, and A for each
     * word that gains bits. Each {@value io.atoll.fabric.Batch#ATOMICS} atomics take one round trip.
     *
     * @param other a filter of the same world. Its elements are hashed alike, and it expects as many of them, at the
     * same rate
     * @throws IllegalArgumentException if it is of another size, or its elements of another type
     */
    public void union(BloomFilter<T> other) {
        if (!hash.name().equals(other.hash.name()) || !size.equals(other.size)) {
            throw new IllegalArgumentException("only filters alike have a union: filter=" + name + " elements="
                    + hash.name() + " size=" + size + " other=" + other.name + " otherElements=" + other.hash.name()
                    + " otherSize=" + other.size);
        }
        new WholeFilter(blocks()).union(other.handle.opened());
    }

    /**
     * Forgets all elements that were added before the call; one that is added meanwhile may be forgotten, too. Elements
     * do not all vanish at the same moment. Cost: W for each 32 KiB of the filter where the fabric's atomics are the
     * CPU's. Otherwise R for each, and A for each word with bits. Each {@value io.atoll.fabric.Batch#ATOMICS} atomics
     * take one round trip.
     */
    public void clear() {
        new WholeFilter(blocks()).clear();
    }

    /** Returns the size that the filter was made with. */
    public FilterSize size() {
        return size;
    }

    /**
     * Returns how full the filter is. Other threads may go on adding meanwhile. Cost: R for each 32 KiB of the filter.
     */
    public Occupancy occupancy() {
        return new WholeFilter(handle.opened()).occupancy();
    }

    @Override
    public String toString() {
        return "BloomFilter[" + name + "]";
    }

    /** The configuration that a filter is opened with. Every rank that opens it must ask for the same. */
    public static final class Builder<T> extends FilterBuilder<BloomFilter<T>, Builder<T>> {

        private final Class<T> elements;
        private @Nullable ElementHash<T> hash;

        private Builder(String name, Class<T> elements, Supplier<Participant> participant) {
            super(name, participant);
            this.elements = elements;
        }

        /** Sets a codec of the caller's own, whose words are hashed. */
        public Builder<T> codec(Codec<T> codec) {
            this.hash = ElementHash.forCodec(codec.within(name()));
            return this;
        }

        /**
         * Sets a hash of the caller's own. Equal elements must have equal hashes, on every rank. The filter mixes the
         * hash, so it may be weak.
         */
        public Builder<T> hash(ToLongFunction<? super T> own) {
            this.hash = ElementHash.own(elements, own);
            return this;
        }

        @Override
        public BloomFilter<T> openLazily() {
            ElementHash<T> agreed = hash == null ? ElementHash.forType(name(), elements) : hash;
            FilterSize size = size();
            return new BloomFilter<>(name(), agreed, blocks(agreed.name(), size), size);
        }

        @Override
        protected Handle<?> handle(BloomFilter<T> filter) {
            return filter.handle;
        }
    }
}
