package io.atoll.heap;

import io.atoll.failure.SegmentFullException;

/** Frees what it can when a segment has no room: what was retired and no thread can be using any more. */
public interface Relief {

    /** Frees nothing. */
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
     * Returns true if anything was freed. Uses the thread's batches, and waits only for a bounded time.
     *
     * @param rank the rank whose segment has no room
     */
    boolean relieve(int rank);

    /** Returns the same failure, which also names what waits to be freed there and for which ranks it waits. */
    SegmentFullException explained(SegmentFullException full);
}
