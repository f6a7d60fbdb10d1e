package io.atoll.map;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.ForwardingBatch;
import io.atoll.fabric.ForwardingFabric;
import io.atoll.fabric.Verb;
import io.atoll.failure.RankUnreachableException;

/** What one of the next batches has done is done, and its completion fails once. */
final class LosingFabric extends ForwardingFabric {

    boolean loses;
    int before; // batches that are complete before one is lost
    boolean executes = true; // false if no exchange of the batch that is lost takes place
    boolean answers = true; // of ranks other than the one that is away
    boolean adds = true; // false if additions take no effect
    int lostWrites; // so many verbs after the batch that is lost are told of writes that were lost with it
    Runnable meanwhile = () -> {};

    private final int away;
    private int untold; // lost writes of the batch that was lost

    /** @param away the rank that cannot be reached */
    LosingFabric(Fabric wrapped, int away) {
        super(wrapped);
        this.away = away;
    }

    @Override
    protected long before(Verb verb, int target, long offset, long bytes) {
        if (target == away && untold > 0) {
            untold--;
            throw new RankUnreachableException("a write was lost", verb.toString(), away, offset);
        }
        return 0;
    }

    @Override
    public Batch batch() {
        return new ForwardingBatch(wrapped().batch()) {

            private boolean hasLost;

            @Override
            protected void arrives() {
                hasLost = false;
                if (loses && before-- == 0) {
                    loses = false;
                    hasLost = true;
                    untold = lostWrites;
                    meanwhile.run();
                    throw new RankUnreachableException("it is away", "complete", away, 0);
                }
            }

            @Override
            public int compareAndExchange(int target, long offset, long expected, long value) {
                boolean isLost = loses && before == 0 && !executes && target == away;
                return super.compareAndExchange(target, offset, isLost ? ~expected : expected, value);
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
