package io.atoll.queue;

import io.atoll.fabric.Batch;
import io.atoll.queue.ring.TicketQueue;

/**
 * What a caller promises about the operations that run at the same time as its own, so that a cheaper way is right (BCL, section 7 and table 4). A promise
 * that is broken makes results wrong, not memory.
 */
public enum QueuePromise {

    /** Anyone may do anything. */
    NOTHING,

    /** Between the barriers before and after, all ranks only push. */
    ONLY_PUSHES,

    /** Between the barriers before and after, all ranks only pop. */
    ONLY_POPS,

    /** Between the barriers before and after, only this thread uses the queue, at its host. */
    LOCAL;

    /** Pushes what is placed in the batch in the way that this promise allows. */
    boolean push(TicketQueue queue, Batch batch, int count) {
        refuse(ONLY_POPS);
        return this == LOCAL ? queue.pushLocal(batch, count) : queue.push(batch, count, this == ONLY_PUSHES);
    }

    /** Pops into the batch in the way that this promise allows, and returns how many. */
    int pop(TicketQueue queue, Batch batch, int most) {
        refuse(ONLY_PUSHES);
        return this == LOCAL ? queue.popLocal(batch, most) : queue.pop(batch, most, this == ONLY_POPS);
    }

    private void refuse(QueuePromise impossible) {
        if (this == impossible) {
            throw new IllegalArgumentException("the operation itself breaks the promise: promise=" + this);
        }
    }
}
