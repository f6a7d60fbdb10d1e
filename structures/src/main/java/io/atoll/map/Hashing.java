package io.atoll.map;

import java.lang.foreign.MemorySegment;

/** The hash of a key as it stands in a bucket, by which it is found in every block of its owner's. */
interface Hashing {

    long hashOf(MemorySegment buffer, long position);
}
