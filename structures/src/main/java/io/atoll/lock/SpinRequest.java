package io.atoll.lock;

import io.atoll.memory.LocalMemory;

/** A request that tries again until it has the lock. */
final class SpinRequest extends Request {

    /** What is known of the lock's word. */
    enum Stage {
        OUTSIDE,
        /** Whether this has become the holder, or still is, nobody knows: an answer is missing. */
        IN_DOUBT, HOLDING
    }

    Stage stage = Stage.OUTSIDE;
    boolean takesOver; // from somebody who has died, and has not counted that yet
    boolean entered; // its caller has the lock
    long token;
    long died; // with the lock, as far as is known
    boolean recovered;
    final SpinLock.Leaving leaving; // made beforehand: a request can leave though there is no memory

    SpinRequest(SpinLock lock, LocalMemory own, long index, int owner, Parts parts, long line,
            OwnDescriptor descriptor) {
        super(own, index, owner, parts, line, descriptor, false);
        this.leaving = lock.new Leaving(this);
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
    public String toString() {
        return super.toString() + " stage=" + stage;
    }
}
