package io.atoll.fabric;

/**
 * What a fabric promises beyond the verbs. Protocols choose their variant by it, so a fabric must not promise what it merely hopes.
 *
 * @param atomicDomain whether the fabric's atomics and the CPU's see each other on one word
 * @param atomicReadBytes aligned reads and writes within so many bytes arrive whole with respect to each other: at least 8, a power of two, at
 * most a cache line
 * @param readsInOrder whether reads of one batch to one rank take effect in the order in which they were added
 * @param fetchOr whether {@link Fabric#getAndBitwiseOr} is one verb, and {@link Fabric#getAndSet} with it: who has one of them has both
 */
public record Guarantees(AtomicDomain atomicDomain, int atomicReadBytes, boolean readsInOrder, boolean fetchOr) {

    /** Who else is atomic with the atomics of a fabric. */
    public enum AtomicDomain {
        /** They are the CPU's, or coherent with them: the owner may use its words directly. */
        COHERENT_WITH_CPU,
        /** Atomic only among themselves: on words that others update atomically the owner, too, goes through the fabric. */
        FABRIC_ONLY
    }

    public Guarantees {
        if (atomicReadBytes < 8 || atomicReadBytes > 64 || Integer.bitCount(atomicReadBytes) != 1) {
            throw new IllegalArgumentException("a power of two from 8 to 64: atomicReadBytes=" + atomicReadBytes);
        }
    }

    public boolean coherentWithCpu() {
        return atomicDomain == AtomicDomain.COHERENT_WITH_CPU;
    }
}
