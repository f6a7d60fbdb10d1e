package io.atoll.lock;

import io.atoll.fabric.Endpoint;

/**
 * A hold that other ranks may have to know of: it waits for its lock, or its lock lies at another rank. One thread
 * uses it at a time.
 */
abstract class RequestedHold extends Hold {

    private final Descriptors descriptors;
    private final int owner;
    private final Parts parts;
    private final long line;
    private final boolean byCpu;
    private final long name;

    boolean entered; // its caller has the lock
    long token;
    long died; // holders that died with the lock, as far as is known
    boolean recovered;
    private long waitedSinceNanos; // 0 if it has not waited
    private boolean closed; // needs no order: no other thread depends on what a caller was told

    /**
     * @param descriptors those of this process
     * @param index of the lock in its table
     * @param owner the rank whose segment holds the lock
     * @param parts the parts of the table, as they are now
     * @param line the offset of the lock in that segment
     * @param descriptor the descriptor that it has {@linkplain DescriptorPool#claim claimed}
     * @param byCpu true if all requests that compete with this one atomically do so by this CPU
     */
    protected RequestedHold(Descriptors descriptors, long index, int owner, Parts parts, long line,
            OwnDescriptor descriptor,
            boolean byCpu) {
        super(descriptors.own(), descriptor, descriptor.at(descriptors.own()), index,
                Phase.turn(descriptor.phase(descriptors.own())));
        this.descriptors = descriptors;
        this.owner = owner;
        this.parts = parts;
        this.line = line;
        this.name = descriptor.name();
        this.byCpu = byCpu;
    }

    /** Makes another request for the same lock, by the same turn of the same descriptor. */
    protected RequestedHold(RequestedHold former) {
        super(former.own(), former.mine, former.descriptor(), former.index(), former.turn());
        this.descriptors = former.descriptors;
        this.owner = former.owner;
        this.parts = former.parts;
        this.line = former.line;
        this.name = former.name;
        this.byCpu = former.byCpu;
    }

    /** Returns the rank whose segment holds the lock. */
    public final int owner() {
        return owner;
    }

    @Override
    public final int born() {
        return parts.born(owner);
    }

    /** Returns the endpoint that reaches that segment, and never another one. */
    final Endpoint endpoint() {
        return parts.endpoint();
    }

    /** Returns the offset of the lock in that segment. */
    public final long line() {
        return line;
    }

    /** Returns the name by which words of locks mean the descriptor, in the first epoch. */
    public final long name() {
        return name;
    }

    public final boolean isByCpu() {
        return byCpu;
    }

    @Override
    public final long token() {
        return token;
    }

    @Override
    public final boolean recovered() {
        return recovered;
    }

    /**
     * Takes over what was read of the line. The new token is larger than the line's token and those of holders that may
     * have died with the lock.
     *
     * @param acknowledged the number of deaths that the holders know of
     */
    final void takeToken(long last, long died, long acknowledged) {
        this.recovered = died != acknowledged;
        this.token = last + 1 + died - acknowledged;
        this.died = died;
    }

    /**
     * Has the next holder told as after a death. The request then writes that the holder knows of one death less than
     * it does.
     *
     * @param known the number of deaths of which the holders know
     */
    final void pretendDeath(long known) {
        died = known - 1;
        recovered = true;
    }

    @Override
    public final void count(Counter counter) {
        counter.count(own(), this);
    }

    @Override
    public final boolean isLost() {
        return descriptors.isLost(this);
    }

    @Override
    public final void close() {
        boolean lost = !closed && isLost();
        closed = true;
        release();
        if (lost) {
            throw descriptors.loss(this);
        }
    }

    /** Notes that it has to wait, unless it has noted that before. */
    public final void waits(long nowNanos) {
        if (waitedSinceNanos == 0) {
            waitedSinceNanos = nowNanos == 0 ? 1 : nowNanos;
        }
    }

    /** Returns true if the holder before has handed it the lock within the budget of its cohort. */
    public boolean isPassed() {
        return false;
    }

    /** Returns true if the holder before has handed it the lock when that budget was spent. */
    public boolean isReacquired() {
        return false;
    }

    /**
     * Returns how often the lock may still be passed on within its cohort, once it has the lock. Returns 0 if there are
     * no cohorts.
     */
    public int budget() {
        return 0;
    }

    public final boolean hasWaited() {
        return waitedSinceNanos != 0;
    }

    /** Returns how long it has waited by now, if it has. */
    public final long waitedNanos(long nowNanos) {
        return nowNanos - waitedSinceNanos;
    }

    @Override
    public String toString() {
        return "owner=" + owner + " " + super.toString();
    }
}
