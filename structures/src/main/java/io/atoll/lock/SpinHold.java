package io.atoll.lock;

import java.time.Duration;

/** A request that tries again until it has the lock. */
final class SpinHold extends RequestedHold {

    /** The state of the lock's word, as far as the request knows. */
    enum Stage {
        OUTSIDE,
        /** The request is the holder or not: an answer is missing. */
        IN_DOUBT, HOLDING
    }

    private final SpinLock lock;
    Stage stage = Stage.OUTSIDE;
    boolean takesOver; // it replaces a dead holder, and has not counted that death yet
    final SpinLock.Leaving leaving; // made beforehand: a request can leave even without memory

    SpinHold(SpinLock lock, Descriptors descriptors, long index, int owner, Parts parts, long line,
            OwnDescriptor descriptor) {
        super(descriptors, index, owner, parts, line, descriptor, false);
        this.lock = lock;
        this.leaving = lock.new Leaving(this);
    }

    @Override
    public boolean release() {
        return releases() && lock.leave(this);
    }

    @Override
    public boolean revoke(Duration patience) {
        if (!isHolding()) {
            return false;
        }
        // The read that can fail comes first. While the lock is held, no other thread writes that number.
        long known = recovered ? died : SpinLine.acknowledged(this);
        return releases() && lock.leaveByForce(this, known);
    }

    @Override
    public String toString() {
        return super.toString() + " stage=" + stage;
    }
}
