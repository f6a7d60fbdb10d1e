package io.atoll.linked;

import io.atoll.world.OnLoss;
import java.util.function.Consumer;

/**
 * The configuration that a linked structure is opened with. Every rank that opens it must ask for the same.
 *
 * @param <S> the structure
 */
public final class LinkedBuilder<S> {

    private final Making<S> making;
    private final Consumer<? super S> opening;
    private OnLoss onLoss = OnLoss.FAIL;
    private int host;

    /** Makes a structure that is not opened yet. */
    public interface Making<S> {

        S make(int host, OnLoss onLoss);
    }

    /** @param opening opens the structure that was made */
    public LinkedBuilder(Making<S> making, Consumer<? super S> opening) {
        this.making = making;
        this.opening = opening;
    }

    /** Sets the rank in whose segment it is. Defaults to 0. */
    public LinkedBuilder<S> host(int rank) {
        this.host = rank;
        return this;
    }

    /**
     * Sets what becomes of it when that rank loses its segment. By default, operations fail with a {@link
     * io.atoll.failure.SegmentLostException}, and it cannot be opened any more. With {@link OnLoss#EMPTY} it begins
     * empty. All its memory lies in that segment, so nothing is left elsewhere.
     */
    public LinkedBuilder<S> onLoss(OnLoss becomes) {
        this.onLoss = becomes;
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

    /**
     * Like {@link #open()}, but on first use. The first use waits for missing ranks and throws what {@code open}
     * throws. If it fails, the next use tries again.
     */
    public S openLazily() {
        return making.make(host, onLoss);
    }
}
