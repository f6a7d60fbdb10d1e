package io.atoll.fabric.trace;

import io.atoll.fabric.Batch;
import io.atoll.fabric.ForwardingBatch;
import io.atoll.fabric.Verb;

/**
 * A batch that takes one more round trip for each posting. The round trips of several batches that are under way
 * overlap.
 */
final class DelayedBatch extends ForwardingBatch {

    private final Delay delay;
    private boolean empty = true; // true if no verb was added since the last posting
    private long bytes; // of the verbs added since the last posting
    private boolean underWay;
    private long dueNanos; // valid while the batch is under way

    DelayedBatch(Batch wrapped, Delay delay) {
        super(wrapped);
        this.delay = delay;
    }

    @Override
    protected void after(Verb verb, int target, long offset, long length) {
        empty = false;
        bytes += length;
    }

    @Override
    protected void departs() {
        if (!empty) {
            dueNanos = delay.dueNanos(bytes);
            underWay = true;
            empty = true;
            bytes = 0;
        }
    }

    @Override
    protected void arrives() {
        if (underWay) {
            Delay.await(dueNanos);
            underWay = false;
        }
    }

    /** Returns false while the simulated network still carries the verbs, instead of waiting for them. */
    @Override
    public boolean poll() {
        if (!wrapped().poll() || underWay && !Delay.isOver(dueNanos)) {
            return false;
        }
        arrives();
        return true;
    }
}
