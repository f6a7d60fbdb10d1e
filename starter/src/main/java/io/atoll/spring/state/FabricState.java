package io.atoll.spring.state;

import io.atoll.World;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.Guarantees.AtomicDomain;

/**
 * How ranks reach each other's memory, and what the fabric promises beyond the verbs.
 *
 * @param type the name as in the configuration
 * @param atomicDomain which other accesses are atomic with the fabric's atomics
 * @param atomicReadBytes how many bytes of one read arrive whole
 * @param readsInOrder true if reads of one batch to one rank take effect in their order
 * @param fetchOr true if setting bits is one verb
 */
public record FabricState(String type, AtomicDomain atomicDomain, int atomicReadBytes, boolean readsInOrder,
        boolean fetchOr) {

    static FabricState of(World world) {
        Guarantees guarantees = world.inspection().guarantees();
        return new FabricState(world.fabric(), guarantees.atomicDomain(), guarantees.atomicReadBytes(),
                guarantees.readsInOrder(), guarantees.fetchOr());
    }
}
