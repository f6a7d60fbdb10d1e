package io.atoll.fabric.rdma;

/** The byte order in which a device returns the old value of an atomic. Some devices return it in network order. */
enum AtomicByteOrder {
    AS_IN_MEMORY, BYTES_SWAPPED;

    /**
     * @param expected the value of a word; must differ from itself with the bytes reversed
     * @param found the value that the device reports
     */
    static AtomicByteOrder of(long expected, long found) {
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
