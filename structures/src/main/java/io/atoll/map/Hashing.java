package io.atoll.map;

import java.lang.foreign.MemorySegment;

/** The hash of a key as it stands in a bucket. By this hash the key is found in every block of its owner. */
interface Hashing {

    long hashOf(MemorySegment buffer, long position);
}
