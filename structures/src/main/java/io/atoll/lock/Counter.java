package io.atoll.lock;

import io.atoll.fabric.Clock;
import io.atoll.memory.LocalMemory;

/**
 * Counts what this rank's threads do with each lock. The counts lie in the rank's own segment, and the holder of a lock
 * writes them. So counting takes no verb and no atomic. If a hold is ended by force while its thread counts, the next
 * holder may count at the same time. Then one count may be lost.
 */
final class Counter {

    private final long first; // in lines
    private final Clock clock;

    /** @param counts the offset of this rank's counts */
    public Counter(long counts, Clock clock) {
        this.first = counts / CountLine.SIZE;
        this.clock = clock;
    }

    /**
     * Counts an acquisition of a lock that was free. The thread calls this as soon as it holds the lock, before it
     * releases anything.
     *
     * @param own this process's memory
     * @param index of the lock in its table
     */
    public void count(LocalMemory own, long index) {
        long word = line(own, index) + CountLine.ACQUISITIONS;
        own.set(word, own.get(word) + 1);
    }

    /** As {@link #count(LocalMemory, long)}, for an acquisition by a request. */
    public void count(LocalMemory own, RequestedHold request) {
        long line = line(own, request.index());
        add(own, line + CountLine.ACQUISITIONS, 1);
        if (request.isPassed()) {
            add(own, line + CountLine.PASSES, 1);
        }
        if (request.isReacquired()) {
            add(own, line + CountLine.REACQUISITIONS, 1);
        }
        if (request.recovered()) {
            add(own, line + CountLine.RECOVERIES, 1);
        }
        if (request.hasWaited()) {
            long waitedNanos = request.waitedNanos(clock.nanoTime());
            add(own, line + CountLine.WAITS, 1);
            add(own, line + CountLine.WAITED, waitedNanos);
            long longest = line + CountLine.LONGEST;
            own.setRelease(longest, Math.max(own.getAcquire(longest), waitedNanos));
        }
    }

    private long line(LocalMemory own, long index) {
        return own.line((first + index) * CountLine.SIZE);
    }

    private static void add(LocalMemory own, long word, long count) {
        own.setRelease(word, own.get(word) + count); // no other thread writes it
    }
}
