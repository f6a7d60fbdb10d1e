package io.atoll.lock.spin;

import io.atoll.lock.request.Descriptors;
import io.atoll.lock.request.Request;

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

    SpinRequest(Descriptors descriptors, long index, int owner, long line, long claimed) {
        super(descriptors, index, owner, line, claimed, false);
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
