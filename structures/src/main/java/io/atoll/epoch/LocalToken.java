package io.atoll.epoch;

import java.util.concurrent.atomic.AtomicBoolean;

/** A token of a {@link LocalEpochManager}. */
final class LocalToken extends Token {

    private final LocalEpochManager manager;
    private final int index;
    private final AtomicBoolean claimed = new AtomicBoolean();
    private long pins;
    private LocalBag bag = new LocalBag();

    LocalToken(LocalEpochManager manager, int index) {
        this.manager = manager;
        this.index = index;
    }

    @Override
    protected void enter() {
        manager.announce(index, ++pins);
    }

    @Override
    protected void leave() {
        manager.withdraw(index);
    }

    @Override
    protected void add(long pointer, long bytes) {
        bag.add(pointer, bytes);
        if (bag.isFull()) {
            seal();
        }
    }

    private void seal() {
        if (!bag.isEmpty()) {
            manager.push(bag);
            bag = new LocalBag();
        }
    }

    @Override
    protected long reclaim() {
        seal();
        return manager.tryReclaim();
    }

    @Override
    protected void giveUp() {
        seal();
        manager.free(index, this);
    }

    @Override
    protected boolean isKept() {
        return false;
    }

    /** Seals the bag while the token's thread does nothing. */
    void sealForClear() {
        seal();
    }

    /** Gives up the token if its thread has ended. Several threads may find that; one of them does it. */
    void giveUpIfEnded() {
        if (!thread().isAlive() && claimed.compareAndSet(false, true)) {
            giveUpForTheDead();
        }
    }

    String threadName() {
        return thread().getName();
    }

    @Override
    public String toString() {
        return "Token[local, index=" + index + ", thread=" + threadName() + "]";
    }
}
