package io.atoll.fabric.rdma;

import java.lang.foreign.MemorySegment;

/**
 * Memory, or a part of it, that verbs move words to and from.
 *
 * @param key by which the device knows the memory
 */
record Registered(MemorySegment bytes, int key) {

    Registered slice(long from, long length) {
        return new Registered(bytes.asSlice(from, length), key);
    }
}
