package io.atoll.fabric.tcp;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A thread that waits for the answer to a request, and what becomes of the answer. */
class Waiter {

    /** The thread while it waits for another thread to read the answer. */
    private volatile @Nullable Thread parked;

    // What it waits for: a batch may have posted to several lanes. Written before the thread is announced.
    private @Nullable TcpLane lane;
    private long number;

    final void park(long nanos) {
        LockSupport.parkNanos(this, nanos);
    }

    /** The calling thread begins to wait for the answer to that frame. */
    final void announce(TcpLane ofLane, long ofNumber) {
        lane = ofLane;
        number = ofNumber;
        parked = Thread.currentThread();
    }

    /** It waits no more. */
    final void withdraw() {
        parked = null;
        lane = null; // of a rank that may soon be gone
    }

    /** Returns the thread that waits for an answer of the lane, up to that number. */
    final @Nullable Thread parkedFor(TcpLane ofLane, long upTo) {
        Thread thread = parked;
        return thread != null && lane == ofLane && number <= upTo ? thread : null;
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
