package io.atoll.history;

import io.atoll.lock.words.CountLine;
import io.atoll.memory.LocalMemory;
import java.util.concurrent.TimeUnit;

/**
 * What this rank's threads have done with the locks of tables that are counted. Summed in rounds, a part at each call, by
 * loads of the own memory: no verb and no allocation. What it tells is that of the last round that was completed.
 */
final class LockFigures {

    private final long[] begins; // of the counts of each table
    private final long[] locks; // of each table
    private int table; // the next of the round
    private long index; // of its next lock
    private long acquisitions; // of this round
    private long waits;
    private long waitedNanos;
    private long recoveries;
    private long allAcquisitions;
    private long allWaits;
    private long allWaitedNanos;
    private long allRecoveries;

    LockFigures(long[] begins, long[] locks) {
        this.begins = begins;
        this.locks = locks;
    }

    /** Sums on, and ends with the round, or after so many locks. */
    void goOn(LocalMemory own, int most) {
        for (int left = most; table < begins.length && left > 0; left--) {
            if (index < locks[table]) {
                add(own, begins[table] + index * CountLine.SIZE);
                index++;
            } else {
                table++;
                index = 0;
            }
        }
        if (table == begins.length) {
            complete();
        }
    }

    private void add(LocalMemory own, long line) {
        acquisitions += own.getAcquire(line + CountLine.ACQUISITIONS);
        waits += own.getAcquire(line + CountLine.WAITS);
        waitedNanos += own.getAcquire(line + CountLine.WAITED);
        recoveries += own.getAcquire(line + CountLine.RECOVERIES);
    }

    private void complete() {
        allAcquisitions = acquisitions;
        allWaits = waits;
        allWaitedNanos = waitedNanos;
        allRecoveries = recoveries;
        table = 0;
        index = 0;
        acquisitions = 0;
        waits = 0;
        waitedNanos = 0;
        recoveries = 0;
    }

    void read(long[] values) {
        values[Series.LOCK_ACQUISITIONS.ordinal()] = allAcquisitions;
        values[Series.LOCK_WAITS.ordinal()] = allWaits;
        values[Series.LOCK_WAITED_MILLIS.ordinal()] = TimeUnit.NANOSECONDS.toMillis(allWaitedNanos);
    }

    /** Acquisitions that were told that somebody may have died with the lock. */
    long recoveries() {
        return allRecoveries;
    }
}
