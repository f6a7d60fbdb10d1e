package io.atoll.lock;

/** A request that waits in a queue. */
final class QueuedRequest extends Request {

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
        PASSING,
        /** It has left, and the queue is being rebuilt. */
        LEFT,
        /** The lock was lost with its owner's segment, and others may still be about to write to the descriptor. */
        LOST
    }

    final Cohort cohort;
    long self = name(); // as it stands in tails

    Stage stage = Stage.OUTSIDE;
    long predecessor = Tail.FREE;
    boolean entered; // it has the lock
    long other = Tail.FREE; // the other cohort's tail, as it was last seen
    long ended = Tail.FREE; // such a one, of a process that has ended
    int granted; // the budget that its predecessor has left it
    int budget;
    long token;
    long died; // with the lock, as far as is known
    boolean recovered;
    boolean linked; // its predecessor knows of it, or the queue is repaired
    private boolean takenOver;
    final Departure departure; // made beforehand: a request can leave though there is no memory

    QueuedRequest(QueueLock lock, long index, int owner, Parts parts, long line, OwnDescriptor descriptor,
            Cohort cohort) {
        super(cohort.own, index, owner, parts, line, descriptor, cohort instanceof LocalCohort);
        this.cohort = cohort;
        this.departure = new Departure(lock, this);
    }

    /** One that is to stand in the place of another, which has been given up: of the same turn of the same descriptor. */
    QueuedRequest(QueuedRequest former) {
        super(former);
        this.cohort = former.cohort;
        this.departure = new Departure(former.departure, this);
    }

    /** Nobody else uses that one any more. */
    void standWhere(QueuedRequest former) {
        self = former.self;
        predecessor = former.predecessor;
        linked = former.linked;
        stage = former.stage;
        takenOver = true;
    }

    /** Of its descriptor. */
    int number() {
        return Tail.index(name());
    }

    /** Whether it stands where another thread has waited before. */
    boolean isTakenOver() {
        return takenOver;
    }

    @Override
    public long token() {
        return token;
    }

    @Override
    public boolean recovered() {
        return recovered;
    }

    @Override
    public boolean isPassed() {
        return predecessor != Tail.FREE && granted > 0;
    }

    @Override
    public boolean isReacquired() {
        return predecessor != Tail.FREE && granted == 0;
    }

    @Override
    public int budget() {
        return budget;
    }

    @Override
    public String toString() {
        return super.toString() + " stage=" + stage;
    }
}
