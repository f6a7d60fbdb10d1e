package io.atoll.lock;

import io.atoll.memory.LocalMemory;
import java.time.Duration;

/**
 * A hold of an owner's thread on a lock that no other thread wanted. It has so few fields that it costs nothing to
 * make.
 */
final class LocalHold extends Hold {

    private final LocalFastPath path;
    private final long line;
    private final long self;
    private final long token;

    LocalHold(LocalFastPath path, LocalMemory own, OwnDescriptor mine, long descriptor, long index, long turn,
            long line, long self, long token) {
        super(own, mine, descriptor, index, turn);
        this.path = path;
        this.line = line;
        this.self = self;
        this.token = token;
    }

    /** Returns the offset of the lock in the own segment. */
    long line() {
        return line;
    }

    /** Returns the word that stands in the tail while no request comes after this hold. */
    long self() {
        return self;
    }

    @Override
    public long token() {
        return token;
    }

    @Override
    public int born() {
        return path.born();
    }

    @Override
    public void count(Counter counter) {
        counter.count(own(), index());
    }

    @Override
    public boolean release() {
        return path.release(this);
    }

    @Override
    public boolean revoke(Duration patience) {
        return path.revoke(this, patience);
    }

    /** Returns false: the owner does not lose its own segment while it lives. */
    @Override
    public boolean isLost() {
        return false;
    }
}
