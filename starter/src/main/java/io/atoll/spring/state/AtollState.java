package io.atoll.spring.state;

import java.util.List;

/**
 * The whole state of the world that one rank sees.
 *
 * @param segments the segments of all ranks, in their order
 * @param structures the structures by name
 * @param lockTables the structures that are lock tables
 * @param connections how this rank reaches each rank
 * @param collectives the collectives that this rank has begun
 * @param epochs the state of the reclamation of objects
 */
public record AtollState(WorldState world, List<SegmentState> segments, List<StructureState> structures,
        List<LockTableState> lockTables, FabricState fabric, ConnectionsState connections,
        CollectivesState collectives, EpochState epochs) {}
