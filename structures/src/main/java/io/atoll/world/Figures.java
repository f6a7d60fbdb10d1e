package io.atoll.world;

import io.atoll.fabric.Endpoint;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * What structures of one kind show of themselves to those who look on, also where this process has not opened them. Read one-sidedly, while others go on:
 * the figures of one answer may be of different moments.
 */
public interface Figures {

    /** As much as is read of all ranks together to count something one by one. */
    long COUNTED_BYTES = 2 << 20;

    /**
     * Figures by their names, in the order in which they are to be shown; none if the block does not say enough. Cost: R, however large the structure is, but for what is bounded otherwise.
     *
     * @param rank the structure's host, if it has one, else any
     * @param block of the structure in the rank's segment, not empty
     * @throws io.atoll.failure.RankUnreachableException when the rank is not there
     */
    Map<String, Double> read(Endpoint endpoint, int rank, NamedStructure block);

    /**
     * How many entries lie in that rank's segment, counted one by one; empty of kinds that have none, and where {@link #COUNTED_BYTES} do not suffice or too much
     * happens meanwhile. Cost: R for each 32 KiB.
     */
    default OptionalLong entries(Endpoint endpoint, int rank, NamedStructure block) {
        return OptionalLong.empty();
    }

    /** Where the structure has runs of that rank's heap beside its block. Cost: none of most kinds, else R for each run. */
    default List<Long> runs(Endpoint endpoint, int rank, NamedStructure block) {
        return List.of();
    }
}
