package io.atoll.queue;

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
    LOCAL
}
