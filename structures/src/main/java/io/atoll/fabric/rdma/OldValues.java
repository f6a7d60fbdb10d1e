package io.atoll.fabric.rdma;

/** How a device returns the old value of an atomic: some do so in network order. */
enum OldValues {
    AS_IN_MEMORY, BYTES_SWAPPED;

    /**
     * @param expected what a word holds; not the same read backwards
     * @param found what the device says that it holds
     */
    static OldValues of(long expected, long found) {
        if (found == expected) {
            return AS_IN_MEMORY;
        }
        if (found == Long.reverseBytes(expected)) {
            return BYTES_SWAPPED;
        }
        throw new IllegalStateException("the device's atomics do not work: expected=" + expected + " found=" + found);
    }

    long value(long found) {
        return this == BYTES_SWAPPED ? Long.reverseBytes(found) : found;
    }
}
