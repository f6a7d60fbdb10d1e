package io.atoll.history;

import io.atoll.world.NamedStructure;
import io.atoll.world.OperationCounter;
import io.atoll.world.Operations;
import java.util.Arrays;
import java.util.List;

/**
 * The operations of this process on structures, as its history tells them: the structures that were most active lately
 * one by one, the others together. Allocates only when a structure is new. One thread at a time uses it.
 */
final class OperationStats {

    private final int[] listed; // the listed counters, the most active first
    private int listedCount;
    // Indexed by counter.
    private long[] nameHashes = new long[0];
    private long[] totals = new long[0];
    private long[] lately = new long[0];
    private long[] activity = new long[0]; // of the last seconds: each second counts half as much as the one after it
    private long total;
    private long allLately;
    private long atMillis;
    private long intervalMillis;

    /** @param places for structures that are listed one by one */
    OperationStats(int places) {
        this.listed = new int[places];
    }

    /** Looks at all counters. */
    void look(Operations operations, long nowMillis) {
        intervalMillis = atMillis == 0 ? 0 : Math.max(0, nowMillis - atMillis);
        atMillis = nowMillis;
        total = 0;
        allLately = 0;
        listedCount = 0;
        List<OperationCounter> counters = operations.counters();
        int count = counters.size();
        if (count > totals.length) {
            learn(counters, count);
        }
        for (int counter = 0; counter < count; counter++) {
            long before = totals[counter];
            totals[counter] = counters.get(counter).count();
            lately[counter] = totals[counter] - before;
            activity[counter] = activity[counter] / 2 + lately[counter];
            total += totals[counter];
            allLately += lately[counter];
            rank(counter);
        }
    }

    private void learn(List<OperationCounter> counters, int count) {
        int known = totals.length;
        nameHashes = Arrays.copyOf(nameHashes, count);
        totals = Arrays.copyOf(totals, count);
        lately = Arrays.copyOf(lately, count);
        activity = Arrays.copyOf(activity, count);
        for (int counter = known; counter < count; counter++) {
            nameHashes[counter] = NamedStructure.hash(counters.get(counter).structure());
        }
    }

    /** Inserts the counter behind all that are at least as active. Drops the last one if there are too many. */
    private void rank(int counter) {
        int place = listedCount;
        while (place > 0 && activity[listed[place - 1]] < activity[counter]) {
            place--;
        }
        if (place == listed.length) {
            return;
        }
        listedCount = Math.min(listedCount + 1, listed.length);
        System.arraycopy(listed, place, listed, place + 1, listedCount - place - 1);
        listed[place] = counter;
    }

    long atMillis() {
        return atMillis;
    }

    /** Returns the time since the look before; 0 at the first look. */
    long intervalMillis() {
        return intervalMillis;
    }

    /** Returns the operations on all structures since this process began. */
    long total() {
        return total;
    }

    int listed() {
        return listedCount;
    }

    long nameHash(int index) {
        return nameHashes[listed[index]];
    }

    long total(int index) {
        return totals[listed[index]];
    }

    /** Returns the operations since the look before. */
    long lately(int index) {
        return lately[listed[index]];
    }

    /** Returns the operations on structures that are not listed. */
    long othersTotal() {
        long others = total;
        for (int index = 0; index < listedCount; index++) {
            others -= total(index);
        }
        return others;
    }

    /** Returns the recent operations on structures that are not listed. */
    long othersLately() {
        long others = allLately;
        for (int index = 0; index < listedCount; index++) {
            others -= lately(index);
        }
        return others;
    }
}
