package io.atoll.lock;

import io.atoll.memory.LocalMemory;

/** What an owner's thread has a lock by that nobody else wanted: so little that it costs nothing to make. */
final class OwnClaim extends Claim {

    private final long line;
    private final long self;
    private final long token;

    OwnClaim(LocalMemory own, OwnDescriptor mine, long descriptor, long index, long turn, long line, long self,
            long token) {
        super(own, mine, descriptor, index, turn);
        this.line = line;
        this.self = self;
        this.token = token;
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
