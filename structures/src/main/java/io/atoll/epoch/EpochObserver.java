package io.atoll.epoch;

import io.atoll.fabric.Endpoint;
import io.atoll.world.NamedStructure;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;

/** Shows how the reclamation of a world stands to processes that take no part in it: only reads. Any thread may use it. */
public final class EpochObserver {

    /** Of the structure that a world's reclamation is. */
    public static final String NAME = EpochStructure.NAME;

    private final EpochReader reader = new EpochReader();

    /**
     * Empty if nobody has used it, or the rank that has the epoch is left out. Cost: R for the epoch, and R for each
     * rank.
     *
     * @param blocks a rank's part of the structure of this {@linkplain #NAME name}, as its directory lists it, as far as that can be read
     * @param isRead is asked for a rank right before it is read; one that is left out is shown as it was seen last
     * @throws io.atoll.failure.RankUnreachableException when the rank that has the epoch is not there
     */
    public Optional<EpochSnapshot> look(Endpoint endpoint, IntFunction<Optional<NamedStructure>> blocks,
            IntPredicate isRead) {
        // The own directory first: it lists what any other does, and costs the least.
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
