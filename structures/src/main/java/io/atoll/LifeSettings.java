package io.atoll;

import io.atoll.fabric.Endpoint;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.FabricType;
import io.atoll.memory.WorldIdentity;
import io.atoll.world.Operations;
import io.atoll.world.StepObserver;
import io.atoll.world.StructureListener;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * The settings that all lives of a rank in this process share.
 *
 * @param endpoints makes the endpoint that reaches the ranks of a fabric
 * @param operations of this process, counted through all lives
 * @param rejoins true if another life follows when a view has removed the rank
 */
record LifeSettings(WorldIdentity world, FabricType fabric, long segmentBytes, Duration joinTimeout,
        Duration operationTimeout, StepObserver stepObserver, StructureListener structureListener,
        LongSupplier keySeeds,
        Function<Fabric, Endpoint> endpoints, Operations operations, boolean rejoins) {}
