package io.atoll.heap;

import io.atoll.failure.SegmentFullException;

/** Whoever can free something when a segment has no room: what was retired and nobody can be using any more. */
public interface Relief {

    /** There is nobody. */
    Relief NONE = new Relief() {

        @Override
        public boolean relieve(int rank) {
            return false;
        }

        @Override
        public SegmentFullException explained(SegmentFullException full) {
            return full;
        }
    };

    /**
     * Returns whether anything was freed. Uses the thread's batches, and waits only for a bounded time.
     *
     * @param rank whose segment has no room
     */
    boolean relieve(int rank);

    /** The same failure, with what waits to be freed there, and for whom. */
    SegmentFullException explained(SegmentFullException full);
}
