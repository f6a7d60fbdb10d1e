package io.atoll.epoch;

import org.jspecify.annotations.Nullable;

/**
 * Objects that one token of a {@link LocalEpochManager} has retired. The token fills the bag until it seals it; after
 * that only its place in limbo changes.
 */
final class LocalBag {

    private final long[] pointers = new long[Bag.CAPACITY];
    private int objects;
    private long bytes;
    private long epoch;
    @Nullable LocalBag next; // the bag below this one in limbo

    /** @param objectBytes the object's size, 0 if it is not known */
    void add(long pointer, long objectBytes) {
        pointers[objects++] = pointer;
        bytes += objectBytes;
    }

    int objects() {
        return objects;
    }

    /** Returns the size of all objects, as far as known. */
    long bytes() {
        return bytes;
    }

    boolean isEmpty() {
        return objects == 0;
    }

    boolean isFull() {
        return objects == pointers.length;
    }

    /** @param sealed the epoch, read after everything in the bag was unlinked */
    void seal(long sealed) {
        epoch = sealed;
    }

    long epoch() {
        return epoch;
    }

    void free(LocalEpochManager.Reclaimer reclaimer) {
        reclaimer.free(pointers, objects);
    }
}
