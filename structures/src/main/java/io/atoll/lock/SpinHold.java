package io.atoll.lock;

import io.atoll.memory.LocalMemory;

/** A request that tries again until it has the lock. */
final class SpinHold extends RequestedHold {

    /** The state of the lock's word, as far as the request knows. */
    enum Stage {
        OUTSIDE,
        /** The request is the holder or not: an answer is missing. */
        IN_DOUBT, HOLDING
    }

    Stage stage = Stage.OUTSIDE;
    boolean takesOver; // it replaces a dead holder, and has not counted that death yet
    boolean entered; // its caller has the lock
    long token;
    long died; // holders that died with the lock, as far as is known
    boolean recovered;
    final SpinLock.Leaving leaving; // made beforehand: a request can leave even without memory

    SpinHold(SpinLock lock, LocalMemory own, long index, int owner, Parts parts, long line,
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
