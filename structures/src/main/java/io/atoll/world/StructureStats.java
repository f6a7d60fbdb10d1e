package io.atoll.world;

import io.atoll.fabric.Endpoint;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Shows figures of structures of one kind to observers, even if this process has not opened the structures. They are
 * read one-sidedly, while other processes go on: the figures of one answer may be of different moments.
 */
public interface StructureStats {

    /** The most bytes that are read of all ranks together to count something one by one. */
    long COUNTED_BYTES = 2 << 20;

    /**
     * Returns figures by their names, in the order in which a page shows them. Returns none if the block does not say
     * enough. Cost: R, however large the structure is; a further cost must be bounded otherwise.
     *
     * @param rank the structure's host, if it has one, else any rank
     * @param block of the structure in the rank's segment, not empty
     * @throws io.atoll.failure.RankUnreachableException if the rank is not there
     */
    Map<String, Double> read(Endpoint endpoint, int rank, NamedStructure block);

    /**
     * Returns how many entries lie in that rank's segment, counted one by one. Empty for kinds without entries; also
     * where {@link #COUNTED_BYTES} do not suffice, or too much changes meanwhile. Cost: R for each 32 KiB.
     */
    default OptionalLong entries(Endpoint endpoint, int rank, NamedStructure block) {
        return OptionalLong.empty();
    }

    /**
     * Returns the offsets of runs that the structure has in that rank's heap beside its block. Cost: none for most
     * kinds, else R for each run.
     */
    default List<Long> runs(Endpoint endpoint, int rank, NamedStructure block) {
        return List.of();
    }
}
