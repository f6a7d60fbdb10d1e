package io.atoll.fabric;

/**
 * The promises of a fabric beyond the verbs. Protocols choose their variant by these promises, so a fabric must promise
 * only what it ensures.
 *
 * @param atomicDomain says if the fabric's atomics and the CPU's see each other on one word
 * @param atomicReadBytes aligned reads and writes of at most so many bytes are atomic with respect to each other. A
 * power of two, from 8 to a cache line
 * @param readsInOrder true if reads of one batch to one rank take effect in the order in which they were added
 * @param fetchOr true if {@link Fabric#getAndBitwiseOr} is one verb, and {@link Fabric#getAndSet} with it: a fabric has
 * both or neither
 * @param guardsAtOwner true if a {@linkplain Batch#guard guard} or {@linkplain Batch#search search} costs no round
 * trip, because the owner's CPU or this one decides it. Over a network a {@linkplain Batch#readRecords read of records}
 * is one verb then
 */
public record Guarantees(AtomicDomain atomicDomain, int atomicReadBytes, boolean readsInOrder, boolean fetchOr,
        boolean guardsAtOwner) {

    /** The other accesses with which the atomics of a fabric are atomic. */
    public enum AtomicDomain {
        /** The atomics are the CPU's, or coherent with them: the owner may use its words directly. */
        COHERENT_WITH_CPU,
        /**
         * The atomics are atomic only among themselves. On words that others update atomically, the owner goes through
         * the fabric, too.
         */
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
