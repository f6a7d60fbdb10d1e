package io.atoll.fabric.rdma;

import java.lang.foreign.MemorySegment;

/**
 * Memory that verbs move words to and from, or a part of it.
 *
 * @param key by which the device knows it
 */
record Registered(MemorySegment bytes, int key) {

    Registered slice(long from, long length) {
        return new Registered(bytes.asSlice(from, length), key);
    }
}
