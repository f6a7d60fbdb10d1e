package io.atoll.epoch;

import org.jspecify.annotations.Nullable;

/** Objects that one token of a {@link LocalEpochManager} retired. Its token's, until it is sealed; then it does not change but for its place in limbo. */
final class LocalBag {

    private final long[] pointers = new long[Bag.CAPACITY];
    private int objects;
    private long epoch;
    @Nullable LocalBag next; // the bag below it in limbo

    void add(long pointer) {
        pointers[objects++] = pointer;
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

    int free(LocalEpochManager.Reclaimer reclaimer) {
        reclaimer.free(pointers, objects);
        return objects;
    }
}
