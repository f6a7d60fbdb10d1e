package io.atoll.lock.protocol;

/** One thread's request for a lock, from the moment it has a descriptor until it has left the queue. Used by one thread at a time. */
public final class Request {

    /** Where it stands with respect to the queue. */
    enum Stage {
        /** Not in it. */
        OUTSIDE,
        /** Whether it is in it nobody knows: the answer to its exchange is missing. */
        ENTRY_IN_DOUBT, WAITING,
        /** First in it. */
        LEADING,
        /** Whether it has left nobody knows. */
        EXIT_IN_DOUBT,
        /** Others come after it, and it waits to learn who is next. */
        PASSING
    }

    final int owner;
    final long line;
    final int index;
    final long descriptor; // where it lies in this rank's segment
    long self; // as it stands in tails
    final Cohort cohort;

    Stage stage = Stage.OUTSIDE;
    long predecessor = Tail.FREE;
    boolean entered; // it has the lock
    long other = Tail.FREE; // the other cohort's tail, as it was last seen
    long ended = Tail.FREE; // such a one, of a process that has ended
    int budget;
    long token;
    long died; // with the lock, as far as is known
    boolean recovered;

    Request(int owner, long line, int index, long descriptor, long self, Cohort cohort) {
        this.owner = owner;
        this.line = line;
        this.index = index;
        this.descriptor = descriptor;
        this.self = self;
        this.cohort = cohort;
    }

    /** Grows with every acquisition of the lock. */
    public long token() {
        return token;
    }

    /** Whether somebody may have died, or have been cut off, while holding the lock, and nobody has been told since. */
    public boolean recovered() {
        return recovered;
    }

    @Override
    public String toString() {
        return "owner=" + owner + " lock=" + line + " descriptor=" + index + " stage=" + stage;
    }
}
