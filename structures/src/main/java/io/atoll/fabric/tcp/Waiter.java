package io.atoll.fabric.tcp;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A thread that waits for the answer to a request. It also decides what becomes of the answer. */
class Waiter {

    /** The thread, while it waits for another thread to read the answer. */
    private volatile @Nullable Thread parked;

    // The answer that it waits for: a batch may have posted to several lanes. Written before the thread is announced.
    private @Nullable TcpLane lane;
    private long number;

    final void park(long nanos) {
        LockSupport.parkNanos(this, nanos);
    }

    /** Announces that the calling thread waits for the answer to this frame. */
    final void announce(TcpLane ofLane, long ofNumber) {
        lane = ofLane;
        number = ofNumber;
        parked = Thread.currentThread();
    }

    /** Ends the announcement. */
    final void withdraw() {
        parked = null;
        lane = null; // the lane's rank may soon be gone
    }

    /** Returns the thread if it waits for an answer of this lane, up to this number. */
    final @Nullable Thread parkedFor(TcpLane ofLane, long upTo) {
        Thread thread = parked;
        return thread != null && lane == ofLane && number <= upTo ? thread : null;
    }

    /**
     * Takes the results of verbs.
     *
     * @param first the first of the verbs, as numbered when they were posted
     * @param in the answer, whose results begin at {@code position}
     */
    void take(int first, int count, MemorySegment in, long position, long bytes) throws MalformedFrameException {
        if (bytes != 0) {
            throw new MalformedFrameException("an answer has results that nobody asked for: bytes=" + bytes);
        }
    }
}
