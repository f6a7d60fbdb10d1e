package io.atoll.lock;

import io.atoll.fabric.Endpoint;
import io.atoll.memory.LocalMemory;

/** A claim that others may have to know of: it waits for its lock, or lies with another rank. Used by one thread at a time. */
abstract class Request extends Claim {

    private final int owner;
    private final Parts parts;
    private final long line;
    private final boolean byCpu;
    private final long name;

    private long waitedSinceNanos; // 0: it has not waited

    /**
     * @param own this process's
     * @param index of the lock in its table
     * @param owner in whose segment it lies
     * @param parts of the table, as they are now
     * @param line where it lies there
     * @param descriptor that it has {@linkplain Descriptors#claim claimed}
     * @param byCpu whether everybody who competes for it atomically with this process does so by the same CPU
     */
    protected Request(LocalMemory own, long index, int owner, Parts parts, long line, OwnDescriptor descriptor,
            boolean byCpu) {
        super(own, descriptor, descriptor.at(own), index, Phase.turn(descriptor.phase(own)));
        this.owner = owner;
        this.parts = parts;
        this.line = line;
        this.name = descriptor.name();
        this.byCpu = byCpu;
    }

    /** Another one for the same lock, by the same turn of the same descriptor. */
    protected Request(Request former) {
        super(former.own(), former.mine, former.descriptor(), former.index(), former.turn());
        this.owner = former.owner;
        this.parts = former.parts;
        this.line = former.line;
        this.name = former.name;
        this.byCpu = former.byCpu;
    }

    /** In whose segment the lock lies. */
    public final int owner() {
        return owner;
    }

    /** In which incarnation of its owner that segment was made. */
    public final int born() {
        return parts.born(owner);
    }

    /** What reaches that segment, for good. */
    final Endpoint endpoint() {
        return parts.endpoint();
    }

    /** Where the lock lies there. */
    public final long line() {
        return line;
    }

    /** The descriptor as words of locks name it, in the first epoch. */
    public final long name() {
        return name;
    }

    public final boolean isByCpu() {
        return byCpu;
    }

    /** The lock as one word. */
    public final long lock() {
        return Descriptor.lock(born(), index());
    }

    /** Notes that it has to wait, unless it has noted that before. */
    public final void waits(long nowNanos) {
        if (waitedSinceNanos == 0) {
            waitedSinceNanos = nowNanos == 0 ? 1 : nowNanos;
        }
    }

    /** Whether it was handed the lock by the one before, within the budget of its cohort. */
    public boolean isPassed() {
        return false;
    }

    /** Whether it was handed the lock when that budget was spent. */
    public boolean isReacquired() {
        return false;
    }

    /** How often the lock may still be passed on within its cohort, from when it has the lock; 0 where there are no cohorts. */
    public int budget() {
        return 0;
    }

    public final boolean hasWaited() {
        return waitedSinceNanos != 0;
    }

    /** For how long by now, if it has. */
    public final long waitedNanos(long nowNanos) {
        return nowNanos - waitedSinceNanos;
    }

    @Override
    public String toString() {
        return "owner=" + owner + " " + super.toString();
    }
}
