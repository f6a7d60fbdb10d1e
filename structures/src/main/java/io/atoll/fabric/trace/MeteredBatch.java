package io.atoll.fabric.trace;

import io.atoll.fabric.Batch;
import io.atoll.fabric.ForwardingBatch;
import io.atoll.fabric.Verb;

/**
 * Counts the verbs of a batch that cross the fabric as they are added, and the batch when it departs. Times some
 * batches. A thread's own object serves one batch after the other.
 */
final class MeteredBatch extends ForwardingBatch {

    private final Crossings crossings;
    private Locality locality = Locality.LOCAL;
    private int verbs; // since the last departure
    private long bytes; // of these verbs
    private int departedVerbs; // 0 if no timed batch is under way
    private long departedBytes;
    private long began; // when the first verb was added, 0 if the batch is not timed

    MeteredBatch(Crossings crossings) {
        this.crossings = crossings;
    }

    /** Returns this object, for the verbs of that batch, which is empty. */
    Batch around(Batch batch) {
        forwardTo(batch);
        verbs = 0;
        departedVerbs = 0;
        return this;
    }

    @Override
    protected void before(Verb verb, int rank, long offset, long concerned) {
        if (!crossings.isCounted(rank)) {
            return;
        }
        VerbCounts counts = crossings.counts();
        Locality whose = crossings.locality(rank);
        if (verbs == 0) {
            bytes = 0;
            began = counts.isNextBatchTimed() ? System.nanoTime() : 0;
        }
        long moved = crossings.moved(verb, concerned);
        locality = verbs == 0 || whose == Locality.REMOTE ? whose : locality;
        verbs++;
        bytes += moved;
        crossings.count(verb, rank, moved);
    }

    @Override
    protected void departs() {
        if (verbs > 0) {
            crossings.counts().countBatch(locality, verbs, bytes);
            departedVerbs = began != 0 ? verbs : 0;
            departedBytes = bytes;
            verbs = 0;
        }
    }

    @Override
    protected void arrives() {
        if (departedVerbs > 0) {
            crossings.counts().samples().batch(locality, departedVerbs, departedBytes, System.nanoTime() - began);
            departedVerbs = 0;
        }
    }
}
