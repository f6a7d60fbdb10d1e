package io.atoll.lock;

import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;

/**
 * Those who reach a lock in the same way, and so compete with each other atomically: by the CPU, or by the fabric (ALock, section 5). What is done alike, whichever way
 * the lock is reached, is the writing into each other's descriptors.
 */
abstract class Cohort {

    final LocalMemory own;
    private final Descriptors descriptors;
    private final int budget;

    Cohort(Descriptors descriptors, int budget) {
        this.own = descriptors.own();
        this.descriptors = descriptors;
        this.budget = budget;
    }

    /** How often the cohort may have the lock in a row while the other one wants it. */
    final int budget() {
        return budget;
    }

    /** Whether an access to the lock that has failed has certainly not been executed. */
    abstract boolean executesAtOnce(QueuedRequest request);

    /** Returns what the tail was; it is {@code value} now if that is {@code expected}. */
    abstract long exchangeTail(QueuedRequest request, long expected, long value);

    abstract long tail(QueuedRequest request);

    /** Lets the other cohort go first, if it is there, and {@linkplain #look looks}. */
    abstract boolean yield(QueuedRequest request);

    /**
     * Whether the other cohort is not there, or lets this one go first. If so, the request has its token then.
     */
    abstract boolean look(QueuedRequest request);

    /** The other cohort's tail. */
    abstract long otherTail(QueuedRequest request);

    /** Leaves the queue to nobody: returns the request itself if it was the last one, else what stands there. The token is kept in any case. */
    abstract long release(QueuedRequest request);

    /** How many deaths its holders know of. */
    abstract long acknowledged(QueuedRequest request);

    /** Tells the predecessor who comes after it. */
    void link(QueuedRequest request) {
        descriptors.write(request.predecessor, Descriptor.NEXT, request.self);
    }

    void grant(long successor, long grant) {
        descriptors.write(successor, Descriptor.GRANT, grant);
    }

    /** Takes over what was read of the line: the token is the next after it, and after those of whoever may have died with the lock. */
    static void takeToken(QueuedRequest request, long token, long died, long acknowledged) {
        request.recovered = died != acknowledged;
        request.token = token + 1 + died - acknowledged;
        request.died = died;
    }

    /** Where in a batch's buffer a word of the line is. */
    static long at(long field) {
        return Layouts.CACHE_LINE + field;
    }
}
