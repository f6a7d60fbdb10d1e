package io.atoll.world;

import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The configuration that a structure is opened with. Every rank that opens it must ask for the same. A builder of a
 * structure makes those settings public that its structure has.
 *
 * @param <S> the structure
 * @param <B> its builder
 */
public abstract class StructureBuilder<S, B extends StructureBuilder<S, B>> {

    private final String name;
    private final Supplier<Participant> participant;
    private int host;
    private OnLoss onLoss = OnLoss.FAIL;

    protected StructureBuilder(String name, Supplier<Participant> participant) {
        this.name = name;
        this.participant = participant;
    }

    protected final String name() {
        return name;
    }

    protected final int host() {
        return host;
    }

    protected final OnLoss onLoss() {
        return onLoss;
    }

    @SuppressWarnings("unchecked") // as its type parameter says
    protected final B self() {
        return (B) this;
    }

    /** Sets the rank in whose segment the structure lies. Defaults to 0. */
    protected B host(int rank) {
        host = rank;
        return self();
    }

    /**
     * Sets what becomes of the part of a rank that has lost its segment. By default, operations on it fail with a
     * {@link io.atoll.failure.SegmentLostException}, and the structure cannot be opened any more. With
     * {@link OnLoss#EMPTY} the part begins empty.
     */
    protected B onLoss(OnLoss becomes) {
        onLoss = becomes;
        return self();
    }

    /** Returns a handle that opens the structure as {@link #onLoss} says. */
    protected final <T> Handle<T> handle(Function<Participant, T> opening) {
        return Handle.of(name, onLoss, participant, opening);
    }

    /** As {@link Handle#ofReplacedParts}. */
    protected final <T> Handle<T> handleOfReplacedParts(Function<Participant, T> opening) {
        return Handle.ofReplacedParts(name, participant, opening);
    }

    /**
     * Attaches to the structure, or creates it.
     *
     * @throws io.atoll.failure.ConfigurationMismatchException if the name exists with another configuration
     * @throws io.atoll.failure.SegmentFullException if there is no room for it
     * @throws IllegalArgumentException if the world has no such host, or if a setting cannot be met
     */
    public final S open() {
        S structure = openLazily();
        handle(structure).opened();
        return structure;
    }

    /**
     * As {@link #open()}, but opens the structure on first use. That use waits for missing ranks and throws what
     * {@code open} throws. If it fails, the next use tries again. What is set later does not count for this structure.
     */
    public abstract S openLazily();

    /** Returns the handle by which the structure that {@link #openLazily} made is opened. */
    protected abstract Handle<?> handle(S structure);
}
