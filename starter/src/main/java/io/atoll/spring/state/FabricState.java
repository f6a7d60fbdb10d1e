package io.atoll.spring.state;

import io.atoll.World;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.Guarantees.AtomicDomain;

/**
 * How ranks reach each other's memory, and what that promises beyond the verbs.
 *
 * @param type as configuration names it
 * @param atomicDomain who else is atomic with the fabric's atomics
 * @param atomicReadBytes how much of one read arrives whole
 * @param readsInOrder whether reads of one batch to one rank take effect in their order
 * @param fetchOr whether setting bits is one verb
 */
public record FabricState(String type, AtomicDomain atomicDomain, int atomicReadBytes, boolean readsInOrder,
        boolean fetchOr) {

    static FabricState of(World world) {
        Guarantees guarantees = world.inspection().guarantees();
        return new FabricState(world.fabric(), guarantees.atomicDomain(), guarantees.atomicReadBytes(),
                guarantees.readsInOrder(), guarantees.fetchOr());
    }
}
