package io.atoll.map;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.ForwardingBatch;
import io.atoll.fabric.ForwardingFabric;
import io.atoll.failure.RankUnreachableException;

/** What the next batch has done is done, and its completion fails once. */
final class LosingFabric extends ForwardingFabric {

    boolean loses;
    boolean answers = true; // of ranks other than the one that is away
    boolean adds = true; // false if additions take no effect
    Runnable meanwhile = () -> {};

    private final int away;

    /** @param away the rank that cannot be reached */
    LosingFabric(Fabric wrapped, int away) {
        super(wrapped);
        this.away = away;
    }

    @Override
    public Batch batch() {
        return new ForwardingBatch(wrapped().batch()) {

            private boolean hasLost;

            @Override
            protected void arrives() {
                hasLost = false;
                if (loses) {
                    loses = false;
                    hasLost = true;
                    meanwhile.run();
                    throw new RankUnreachableException("it is away", "complete", away, 0);
                }
            }

            @Override
            public int getAndAdd(int target, long offset, long delta) {
                return super.getAndAdd(target, offset, adds ? delta : 0);
            }

            @Override
            public boolean answered(int index) {
                return !(hasLost && !answers) && super.answered(index);
            }

            @Override
            public boolean succeeded(int index) {
                return answered(index) && super.succeeded(index);
            }
        };
    }

    @Override
    public Batch newBatch(long bufferBytes) {
        return wrapped().newBatch(bufferBytes);
    }
}
