package io.atoll;

import io.atoll.fabric.Endpoint;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.FabricType;
import io.atoll.memory.WorldIdentity;
import io.atoll.world.ControlPath;
import io.atoll.world.Operations;
import io.atoll.world.StructureListener;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * What is the same in all lives of a rank in this process.
 *
 * @param endpoints makes the endpoint by which the ranks of a fabric are reached
 * @param operations of this process, which it counts through all lives
 * @param rejoins whether another life follows when a view has removed the rank
 */
record LifeSettings(WorldIdentity world, FabricType fabric, long segmentBytes, Duration joinTimeout,
        Duration operationTimeout, ControlPath controlPath, StructureListener structureListener, LongSupplier keySeeds,
        Function<Fabric, Endpoint> endpoints, Operations operations, boolean rejoins) {}
