package io.atoll.lock.queue;

import io.atoll.lock.request.Claim;
import io.atoll.lock.request.OwnDescriptor;
import io.atoll.memory.LocalMemory;
import org.jspecify.annotations.Nullable;

/** What an owner's thread has a lock by that nobody else wanted: so little that it costs nothing to make. */
final class OwnClaim extends Claim {

    private final OwnLocks locks;
    private final long line;
    private final long self;
    private final long token;

    boolean left; // it stands in no tail any more, and its turn has not ended
    @Nullable QueuedRequest request; // that it has become

    OwnClaim(OwnLocks locks, LocalMemory own, OwnDescriptor mine, long descriptor, long index, long turn, long line,
            long self, long token) {
        super(own, mine, descriptor, index, turn);
        this.locks = locks;
        this.line = line;
        this.self = self;
        this.token = token;
    }

    /** Of which the lock is one. */
    OwnLocks locks() {
        return locks;
    }

    /** Where the lock lies in the own segment. */
    long line() {
        return line;
    }

    /** As it stands in the tail as long as nobody comes after it. */
    long self() {
        return self;
    }

    @Override
    public long token() {
        return token;
    }
}
