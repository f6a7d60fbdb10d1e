package io.atoll.epoch;

import org.jspecify.annotations.Nullable;

/** Objects that one token of a {@link LocalEpochManager} retired. Its token's, until it is sealed; then it does not change but for its place in limbo. */
final class LocalBag {

    private final long[] pointers = new long[Bag.CAPACITY];
    private int objects;
    private long bytes;
    private long epoch;
    @Nullable LocalBag next; // the bag below it in limbo

    /** @param objectBytes of the object, 0 if it is not known */
    void add(long pointer, long objectBytes) {
        pointers[objects++] = pointer;
        bytes += objectBytes;
    }

    int objects() {
        return objects;
    }

    /** Of the objects, as far as it was told. */
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
