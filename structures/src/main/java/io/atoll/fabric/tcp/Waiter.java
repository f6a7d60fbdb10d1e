package io.atoll.fabric.tcp;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A thread that waits for the answer to a request, and what becomes of the answer. */
class Waiter {

    /** The thread while it waits for another thread to read the answer. */
    private volatile @Nullable Thread parked;

    final void park(long nanos) {
        LockSupport.parkNanos(this, nanos);
    }

    final void announce(@Nullable Thread thread) {
        parked = thread;
    }

    final @Nullable Thread parked() {
        return parked;
    }

    /**
     * Takes the results of verbs.
     *
     * @param first of the verbs, as it was named when they were posted
     * @param in the answer, whose results begin at that position
     */
    void take(int first, int count, MemorySegment in, long position, long bytes) throws MalformedFrameException {
        if (bytes != 0) {
            throw new MalformedFrameException("an answer has results that nobody asked for: bytes=" + bytes);
        }
    }
}
