package io.atoll.epoch;

import io.atoll.fabric.Endpoint;
import io.atoll.world.NamedStructure;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;

/**
 * Shows the state of a world's reclamation to a process that takes no part in it, by reads alone. Any thread may use
 * it.
 */
public final class EpochObserver {

    /** The name of a world's reclamation in the directory. */
    public static final String NAME = EpochStructure.NAME;

    private final EpochReader reader = new EpochReader();

    /**
     * Returns the state. Returns empty if no process has used epochs, or if the rank that has the epoch is left out.
     * Cost: R for the epoch, and R for each rank.
     *
     * @param blocks returns a rank's part of the structure of this {@linkplain #NAME name}, as the rank's directory
     * lists it. Empty if that cannot be read
     * @param isRead is asked for each rank right before the rank is read. A rank that is left out is shown as it was
     * last seen
     * @throws io.atoll.failure.RankUnreachableException if the rank that has the epoch is not there
     */
    public Optional<EpochSnapshot> look(Endpoint endpoint, IntFunction<Optional<NamedStructure>> blocks,
            IntPredicate isRead) {
        // This rank's own directory first: it lists the same as any other, and costs the least.
        OptionalLong tokens = blocks.apply(endpoint.rank())
                .flatMap(_ -> blocks.apply(EpochBlock.HOME))
                .map(EpochStructure::tokens)
                .orElse(OptionalLong.empty());
        if (tokens.isEmpty()) {
            return Optional.empty();
        }
        long[] offsets = new long[endpoint.size()];
        for (int rank = 0; rank < offsets.length; rank++) {
            offsets[rank] = blocks.apply(rank).map(NamedStructure::offset).orElse(0L);
        }
        return reader.read(endpoint, offsets, Math.toIntExact(tokens.getAsLong()), isRead);
    }
}
