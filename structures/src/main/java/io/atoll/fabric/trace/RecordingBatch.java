package io.atoll.fabric.trace;

import io.atoll.fabric.Batch;
import io.atoll.fabric.ForwardingBatch;
import io.atoll.fabric.Verb;
import java.util.BitSet;

/** A batch that records its verbs as they are added, and its round trips when they are posted. */
final class RecordingBatch extends ForwardingBatch {

    private final Recorder recorder;
    private final boolean guardsAtOwner;
    private final boolean mayWait;
    private final BitSet unposted = new BitSet(); // ranks of the verbs that were added
    private int atomics; // and searches, since the last departure
    private int answered; // those of them that the batch has waited for
    private boolean isAnsweredAtOnce; // true if the last of them was answered when it was added

    /**
     * @param guardsAtOwner false if the batch decides guards and searches itself, and waits for that
     * @param mayWait true if a wait of the wrapped batch counts although it guards at the owner
     */
    RecordingBatch(Batch wrapped, Recorder recorder, boolean guardsAtOwner, boolean mayWait) {
        super(wrapped);
        this.recorder = recorder;
        this.guardsAtOwner = guardsAtOwner;
        this.mayWait = mayWait;
    }

    @Override
    public void guard(int index) {
        super.guard(index);
        if (!guardsAtOwner && index >= answered) {
            waits();
        }
    }

    @Override
    public int compareAndExchange(int target, long offset, long expected, long value) {
        return added(super.compareAndExchange(target, offset, expected, value));
    }

    @Override
    public int getAndAdd(int target, long offset, long delta) {
        return added(super.getAndAdd(target, offset, delta));
    }

    @Override
    public int getAndBitwiseOr(int target, long offset, long bits) {
        return added(super.getAndBitwiseOr(target, offset, bits));
    }

    @Override
    public int exchangeFound(int target, long offset, long keep, long addend) {
        return added(super.exchangeFound(target, offset, keep, addend));
    }

    @Override
    public int search(int target, long offset, long stride, int count, long position, int tests) {
        int index = added(super.search(target, offset, stride, count, position, tests));
        if (!guardsAtOwner) {
            waits();
        }
        return index;
    }

    private int added(int index) {
        atomics = index + 1;
        isAnsweredAtOnce = wrapped().answered(index);
        return index;
    }

    @Override
    protected void after(Verb verb, int target, long offset, long bytes) {
        noteWait();
        recorder.inBatch(verb, target, offset, bytes, isGuarded());
        unposted.set(target);
    }

    @Override
    protected void departs() {
        noteWait();
        roundTrip();
        atomics = 0;
        answered = 0;
    }

    /** The batch has waited by itself if a guarded verb does not fit into the request of its exchange. */
    private void noteWait() {
        if (mayWait && !isAnsweredAtOnce && atomics > answered && wrapped().answered(atomics - 1)) {
            waits();
        }
    }

    private void waits() {
        roundTrip();
        answered = atomics;
    }

    private void roundTrip() {
        recorder.batch(unposted);
        unposted.clear();
    }
}
