package io.atoll.fabric;

/**
 * A fabric without the verbs of {@link Guarantees#fetchOr()}. They are composed here of a read and of
 * compare-and-exchanges, which are repeated while others change the word.
 */
public interface ComposedVerbs extends Fabric {

    @Override
    default long getAndBitwiseOr(int rank, long offset, long bits) {
        return getAndBitwiseOr(this, rank, offset, bits);
    }

    @Override
    default long getAndSet(int rank, long offset, long value) {
        return getAndSet(this, rank, offset, value);
    }

    /** Does {@link Fabric#getAndBitwiseOr} by other verbs of the fabric. Cost: R + A, and R if the bits are set. */
    static long getAndBitwiseOr(Fabric fabric, int rank, long offset, long bits) {
        long current = fabric.readWord(rank, offset);
        while ((current & bits) != bits) {
            long witness = fabric.compareAndExchange(rank, offset, current, current | bits);
            if (witness == current) {
                return current;
            }
            current = witness;
        }
        return current;
    }

    /** Does {@link Fabric#getAndSet} by other verbs of the fabric. Cost: R + A. */
    static long getAndSet(Fabric fabric, int rank, long offset, long value) {
        long current = fabric.readWord(rank, offset);
        while (true) {
            long witness = fabric.compareAndExchange(rank, offset, current, value);
            if (witness == current) {
                return current;
            }
            current = witness;
        }
    }
}
