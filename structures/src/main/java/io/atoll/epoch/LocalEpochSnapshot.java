package io.atoll.epoch;

import java.util.List;

/**
 * The state of a {@link LocalEpochManager}. Each number was true at some moment. Together they are consistent if
 * nothing happened meanwhile.
 *
 * @param tokens that are registered
 * @param limbo the lists that are not empty
 * @param retired all objects ever retired, without those in bags that are not full yet
 * @param freed objects
 * @param lost objects that the reclaimer has refused
 * @param advances of the epoch
 * @param failedElections attempts to reclaim that left the work to another thread
 */
public record LocalEpochSnapshot(long epoch, List<EpochSnapshot.TokenState> tokens, List<EpochSnapshot.Limbo> limbo,
        long retired, long freed, long lost, long advances, long failedElections) {}
