package io.atoll.fabric.metering;

import io.atoll.fabric.BatchListener;
import io.atoll.fabric.Verb;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Counts what a thread's own batch is used for, some of it for all: its verbs as they are added, the batch with the first of them. Knows nothing of the endpoint: what
 * leads back from a thread's batch to where that is kept stays as long as the thread does.
 */
final class BatchTally implements BatchListener {

    private final VerbCounts counts;
    private final int part; // the thread's
    private final int ownRank;
    private int exact; // how many more are counted one by one in the turn
    private long turn; // in which that was said
    private Locality locality = Locality.LOCAL;
    private int weight;
    private int verbs;
    private long bytes;
    private long began; // 0 if it is not timed

    /** Of the calling thread. */
    BatchTally(VerbCounts counts, int ownRank) {
        this.counts = counts;
        this.part = VerbCounts.part();
        this.ownRank = ownRank;
    }

    boolean isOf(VerbCounts some) {
        return counts == some;
    }

    /** How many batches the next one stands for, itself included. */
    int weigh() {
        if (turn != counts.turns()) {
            turn = counts.turns();
            exact = VerbCounts.EXACT_BATCHES;
        }
        if (exact > 0) {
            exact--;
            return 1;
        }
        return 1 + ThreadLocalRandom.current().nextInt(2 * VerbCounts.BATCHES_FOR_ALL - 1);
    }

    /** A batch, which is empty, and counts for so many. */
    void begin(Locality whose, int standsFor) {
        locality = whose;
        weight = standsFor;
        verbs = 0;
        bytes = 0;
    }

    @Override
    public void added(Verb verb, int rank, long moved) {
        if (verbs == 0) {
            began = counts.countBatch(part, locality, weight) ? System.nanoTime() : 0;
        }
        verbs++;
        bytes += moved;
        counts.count(part, verb, rank == ownRank ? Locality.LOCAL : Locality.REMOTE, weight);
    }

    @Override
    public void completed() {
        if (verbs == 0) {
            return;
        }
        counts.countBatched(part, locality, (long) weight * verbs, weight * bytes);
        if (began != 0) {
            counts.samples().batch(locality, verbs, bytes, System.nanoTime() - began);
        }
        verbs = 0;
        bytes = 0;
    }
}
