package io.atoll.lock.observation;

import io.atoll.lock.request.Claim;
import io.atoll.lock.words.CountLine;
import io.atoll.memory.LocalMemory;

/** Counts what this rank's threads do with each lock. In its own segment, by the holder of the lock, so no verb and no atomic. */
public final class Counter {

    private final LocalMemory own;
    private final long counts;

    /** @param counts where those of this rank begin */
    public Counter(LocalMemory own, long counts) {
        this.own = own;
        this.counts = counts;
    }

    /** Of the holder alone, as soon as it is that. */
    public void count(Claim claim, long waitedNanos) {
        long line = counts + claim.index() * CountLine.SIZE;
        add(line + CountLine.ACQUISITIONS, 1);
        if (claim.isPassed()) {
            add(line + CountLine.PASSES, 1);
        }
        if (claim.isReacquired()) {
            add(line + CountLine.REACQUISITIONS, 1);
        }
        if (claim.recovered()) {
            add(line + CountLine.RECOVERIES, 1);
        }
        if (claim.hasWaited()) {
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
