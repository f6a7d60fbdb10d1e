package io.atoll.epoch;

import java.util.List;

/**
 * How a {@link LocalEpochManager} stands. Each number was true at some moment; together they are consistent if nothing happened meanwhile.
 *
 * @param tokens that are registered
 * @param limbo lists that are not empty
 * @param retired objects since ever, without those of bags that are not full yet
 * @param freed objects
 * @param lost objects that the reclaimer has refused
 * @param advances of the epoch
 * @param failedElections attempts to reclaim that left it to another thread
 */
public record LocalEpochSnapshot(long epoch, List<EpochSnapshot.TokenState> tokens, List<EpochSnapshot.Limbo> limbo,
        long retired, long freed, long lost, long advances, long failedElections) {}
