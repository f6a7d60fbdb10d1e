package io.atoll.spring.state;

import java.util.List;

/**
 * All that one rank sees.
 *
 * @param segments of all ranks, in their order
 * @param structures by name
 * @param lockTables those of them that are tables of locks
 * @param connections how this rank reaches each rank
 * @param collectives that this rank has begun
 * @param epochs how the reclamation of objects stands
 */
public record AtollState(WorldState world, List<SegmentState> segments, List<StructureState> structures,
        List<LockTableState> lockTables, FabricState fabric, ConnectionsState connections,
        CollectivesState collectives, EpochState epochs) {}
