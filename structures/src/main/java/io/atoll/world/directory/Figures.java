package io.atoll.world.directory;

import io.atoll.fabric.Endpoint;
import java.util.Map;

/**
 * What structures of one kind show of themselves to those who look on, also where this process has not opened them. Read one-sidedly, while others go on:
 * the figures of one answer may be of different moments.
 */
public interface Figures {

    /**
     * Figures by their names, in the order in which they are to be shown; none if the block does not say enough. Cost: R, whatever the structure's size.
     *
     * @param rank the structure's host, if it has one, else any
     * @param block of the structure in the rank's segment, not empty
     * @throws io.atoll.failure.RankUnreachableException when the rank is not there
     */
    Map<String, Double> read(Endpoint endpoint, int rank, NamedStructure block);
}
