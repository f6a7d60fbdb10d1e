package io.atoll.linked;

import io.atoll.world.OnLoss;
import io.atoll.world.Participant;
import io.atoll.world.StructureBuilder;
import java.util.function.Supplier;

/**
 * The configuration that a linked structure is opened with. Every rank that opens it must ask for the same.
 *
 * @param <S> the structure
 */
public abstract class LinkedBuilder<S> extends StructureBuilder<S, LinkedBuilder<S>> {

    LinkedBuilder(String name, Supplier<Participant> participant) {
        super(name, participant);
    }

    /** Sets the rank in whose segment it is. Defaults to 0. */
    @Override
    public LinkedBuilder<S> host(int rank) {
        return super.host(rank);
    }

    /**
     * Sets what becomes of it when that rank loses its segment. By default, operations fail with a {@link
     * io.atoll.failure.SegmentLostException}, and it cannot be opened any more. With {@link OnLoss#EMPTY} it begins
     * empty. All its memory lies in that segment, so nothing is left elsewhere.
     */
    @Override
    public LinkedBuilder<S> onLoss(OnLoss becomes) {
        return super.onLoss(becomes);
    }
}
