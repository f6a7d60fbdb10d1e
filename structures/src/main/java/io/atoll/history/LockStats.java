package io.atoll.history;

import io.atoll.lock.CountLine;
import io.atoll.lock.CountSums;
import io.atoll.memory.LocalMemory;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The work of this rank's threads with the locks of counted tables. It is summed in rounds, a part at each call, by
 * loads of the own memory: no verb and no allocation. The figures of a table are those of the last round that was
 * completed.
 */
final class LockStats {

    private List<Counts> tables = List.of();
    private int next; // the next table of the round
    private long acquisitions; // of the last rounds
    private long waits;
    private long waitedNanos;
    private long newRecoveries; // that no caller has asked for yet

    /** The counts of one table. */
    static final class Counts {

        private final long begin;
        private final long locks;
        private final CountSums round = new CountSums();
        private long index; // the next lock of the round
        private long acquisitions; // of the last round
        private long waits;
        private long waitedNanos;
        private long recoveries;

        /** @param begin the offset of the counts in the own segment */
        Counts(long begin, long locks) {
            this.begin = begin;
            this.locks = locks;
        }

        private boolean isSameAs(Counts other) {
            return begin == other.begin && locks == other.locks;
        }
    }

    /**
     * Sets the tables to sum from now on. A table that was there before keeps its figures. {@link #newRecoveries} tells
     * the recoveries in a new table.
     */
    void look(List<Counts> present) {
        tables = present.stream()
                .map(each -> tables.stream().filter(each::isSameAs).findFirst().orElse(each))
                .toList();
        next = 0;
        sum();
    }

    /** Goes on with the round. Stops at its end, or after {@code most} locks. */
    void goOn(LocalMemory own, int most) {
        for (int left = most; next < tables.size() && left > 0; left--) {
            Counts table = tables.get(next);
            if (table.index < table.locks) {
                table.round.add(own, table.begin + table.index * CountLine.SIZE);
                table.index++;
            } else {
                complete(table);
                next++;
            }
        }
        if (next == tables.size()) {
            next = 0;
        }
    }

    private void complete(Counts table) {
        newRecoveries += Math.max(0, table.round.recoveries() - table.recoveries);
        table.acquisitions = table.round.acquisitions();
        table.waits = table.round.waits();
        table.waitedNanos = table.round.waitedNanos();
        table.recoveries = table.round.recoveries();
        table.round.clear();
        table.index = 0;
        sum();
    }

    private void sum() {
        acquisitions = 0;
        waits = 0;
        waitedNanos = 0;
        for (int at = 0; at < tables.size(); at++) { // an iterator would be allocated
            Counts table = tables.get(at);
            acquisitions += table.acquisitions;
            waits += table.waits;
            waitedNanos += table.waitedNanos;
        }
    }

    void read(long[] values) {
        values[Series.LOCK_ACQUISITIONS.ordinal()] = acquisitions;
        values[Series.LOCK_WAITS.ordinal()] = waits;
        values[Series.LOCK_WAITED_MILLIS.ordinal()] = TimeUnit.NANOSECONDS.toMillis(waitedNanos);
    }

    /**
     * Returns the number of new acquisitions that were told that a holder may have died with the lock. Each is returned
     * once.
     */
    long newRecoveries() {
        long recovered = newRecoveries;
        newRecoveries = 0;
        return recovered;
    }
}
