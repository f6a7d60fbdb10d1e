package io.atoll.node;

import java.util.function.Consumer;
import java.util.function.IntFunction;

/**
 * What a linked structure is opened with; every rank that opens it must ask for the same.
 *
 * @param <S> the structure
 */
public final class LinkedBuilder<S> {

    private final IntFunction<S> hostedBy;
    private final Consumer<? super S> opening;
    private int host;

    /**
     * @param hostedBy the structure of that rank, not opened yet
     * @param opening opens it
     */
    public LinkedBuilder(IntFunction<S> hostedBy, Consumer<? super S> opening) {
        this.hostedBy = hostedBy;
        this.opening = opening;
    }

    /** The rank whose segment it is in; 0 unless told. */
    public LinkedBuilder<S> host(int rank) {
        this.host = rank;
        return this;
    }

    /**
     * Attaches to the structure, or creates it.
     *
     * @throws io.atoll.failure.ConfigurationMismatchException when the name exists with another configuration
     * @throws io.atoll.failure.SegmentFullException when there is no room for it
     * @throws IllegalArgumentException when the world has no such host
     */
    public S open() {
        S structure = openLazily();
        opening.accept(structure);
        return structure;
    }

    /** As {@link #open()}, but on first use: that waits for missing ranks and throws what {@code open} throws, and if it fails the next use tries again. */
    public S openLazily() {
        return hostedBy.apply(host);
    }
}
