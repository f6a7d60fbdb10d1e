package io.atoll.queue;

import io.atoll.fabric.Batch;
import io.atoll.queue.ring.TicketQueue;
import org.jspecify.annotations.Nullable;

/**
 * What a caller promises about the operations that run at the same time as its own, so that a cheaper way is right (BCL, section 7 and table 4). A promise
 * that is broken makes results wrong, not memory; {@link CircularQueue.Builder#checkedPromises} finds such.
 */
public enum QueuePromise {

    /** Anyone may do anything. */
    NOTHING(QueueUse.PUSH, QueueUse.POP),

    /** Between the barriers before and after, all ranks only push. */
    ONLY_PUSHES(QueueUse.PUSH_WHILE_ALL_ONLY_PUSH, null),

    /** Between the barriers before and after, all ranks only pop. */
    ONLY_POPS(null, QueueUse.POP_WHILE_ALL_ONLY_POP),

    /** Between the barriers before and after, only this thread uses the queue, at its host. */
    LOCAL(QueueUse.LOCAL, QueueUse.LOCAL);

    private final @Nullable QueueUse push;
    private final @Nullable QueueUse pop;

    /** Null for what breaks the promise itself. */
    QueuePromise(@Nullable QueueUse push, @Nullable QueueUse pop) {
        this.push = push;
        this.pop = pop;
    }

    /** The queue for a push with this promise: to be asked for before anything is placed in its batch. */
    TicketQueue pushing(TicketQueue queue) {
        queue.enter(possible(push));
        return queue;
    }

    /** The queue for a pop with this promise: to be asked for before its batch. */
    TicketQueue popping(TicketQueue queue) {
        queue.enter(possible(pop));
        return queue;
    }

    /** Pushes what is placed in the batch in the way that this promise allows. */
    boolean push(TicketQueue queue, Batch batch, int count) {
        return this == LOCAL ? queue.pushLocal(batch, count) : queue.push(batch, count, this == ONLY_PUSHES);
    }

    /** Pops into the batch in the way that this promise allows, and returns how many. */
    int pop(TicketQueue queue, Batch batch, int most) {
        return this == LOCAL ? queue.popLocal(batch, most) : queue.pop(batch, most, this == ONLY_POPS);
    }

    private QueueUse possible(@Nullable QueueUse use) {
        if (use == null) {
            throw new IllegalArgumentException("the operation itself breaks the promise: promise=" + this);
        }
        return use;
    }
}
