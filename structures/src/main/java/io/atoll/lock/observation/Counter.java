package io.atoll.lock.observation;

import io.atoll.fabric.Clock;
import io.atoll.lock.request.Claim;
import io.atoll.lock.request.Request;
import io.atoll.lock.words.CountLine;
import io.atoll.memory.LocalMemory;

/** Counts what this rank's threads do with each lock. In its own segment, by the holder of the lock, so no verb and no atomic. */
public final class Counter {

    private final LocalMemory own;
    private final long first; // in lines
    private final Clock clock;

    /** @param counts where those of this rank begin */
    public Counter(LocalMemory own, long counts, Clock clock) {
        this.own = own;
        this.first = counts / CountLine.SIZE;
        this.clock = clock;
    }

    /**
     * Of the holder alone, as soon as it is that.
     *
     * @param own this process's
     * @param index of the lock in its table
     */
    public void count(LocalMemory own, long index, Claim claim) {
        long line = own.line((first + index) * CountLine.SIZE);
        own.setRelease(line + CountLine.ACQUISITIONS, own.get(line + CountLine.ACQUISITIONS) + 1);
        if (claim instanceof Request request) {
            count(request, line);
        }
    }

    private void count(Request request, long line) {
        if (request.isPassed()) {
            add(line + CountLine.PASSES, 1);
        }
        if (request.isReacquired()) {
            add(line + CountLine.REACQUISITIONS, 1);
        }
        if (request.recovered()) {
            add(line + CountLine.RECOVERIES, 1);
        }
        if (request.hasWaited()) {
            long waitedNanos = request.waitedNanos(clock.nanoTime());
            add(line + CountLine.WAITS, 1);
            add(line + CountLine.WAITED, waitedNanos);
            long longest = line + CountLine.LONGEST;
            own.setRelease(longest, Math.max(own.getAcquire(longest), waitedNanos));
        }
    }

    private void add(long word, long count) {
        own.setRelease(word, own.get(word) + count); // nobody else writes it
    }
}
