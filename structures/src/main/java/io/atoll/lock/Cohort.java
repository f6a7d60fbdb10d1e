package io.atoll.lock;

import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;

/**
 * The threads that reach a lock in the same way, by the CPU or by the fabric. So they compete with each other
 * atomically (ALock, section 5). Both kinds of cohorts write into each other's descriptors alike, and this class does
 * that.
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

    /** Returns how often the cohort may have the lock in a row while the other one wants it. */
    final int budget() {
        return budget;
    }

    /** Returns true if its threads reach the lock by the CPU. */
    abstract boolean isByCpu();

    /** Returns true if an access to the lock that has failed has certainly not been executed. */
    abstract boolean executesAtOnce(QueuedHold request);

    /** Exchanges the tail for {@code value} if it is {@code expected}. Returns the value that was there. */
    abstract long exchangeTail(QueuedHold request, long expected, long value);

    abstract long tail(QueuedHold request);

    /** Lets the other cohort go first if it has a thread there, and {@linkplain #look looks}. */
    abstract boolean yield(QueuedHold request);

    /**
     * Returns true if the other cohort has no thread there, or lets this one go first. The request has its token then.
     */
    abstract boolean look(QueuedHold request);

    /** Returns the other cohort's tail. */
    abstract long otherTail(QueuedHold request);

    /**
     * Leaves the queue if the request is the last one in it. Returns the request itself in this case, else the tail.
     * The token is kept in any case.
     */
    abstract long release(QueuedHold request);

    /** Returns the number of deaths that the holders know of. */
    abstract long acknowledged(QueuedHold request);

    /** Tells the predecessor which request comes after it. */
    void link(QueuedHold request) {
        descriptors.write(request.predecessor, Descriptor.NEXT, request.self);
    }

    void grant(long successor, long grant) {
        descriptors.write(successor, Descriptor.GRANT, grant);
    }

    /** Returns the position of a word of the line in a batch's buffer. */
    static long at(long field) {
        return Layouts.CACHE_LINE + field;
    }
}
