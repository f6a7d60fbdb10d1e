package io.atoll.fabric.trace;

import io.atoll.fabric.Batch;
import io.atoll.fabric.ForwardingBatch;
import io.atoll.fabric.Verb;
import java.util.BitSet;

/** A batch that records its verbs as they are added, and its round trips when they are posted. */
final class RecordingBatch extends ForwardingBatch {

    private final Recorder recorder;
    private final boolean guardsAtOwner;
    private final BitSet unposted = new BitSet(); // ranks of the verbs that were added
    private int atomics; // and searches, since the last departure
    private int answered; // those of them that the batch has waited for

    /** @param guardsAtOwner false if the batch decides guards and searches itself */
    RecordingBatch(Batch wrapped, Recorder recorder, boolean guardsAtOwner) {
        super(wrapped);
        this.recorder = recorder;
        this.guardsAtOwner = guardsAtOwner;
    }

    @Override
    public void guard(int index) {
        super.guard(index);
        if (!guardsAtOwner && index >= answered) {
            waitForAll();
        }
    }

    /** The batch posts everything that was added, and waits for it, to decide itself. */
    private void waitForAll() {
        roundTrip();
        answered = atomics;
    }

    @Override
    protected void after(Verb verb, int target, long offset, long bytes) {
        recorder.inBatch(verb, target, offset, bytes, isGuarded());
        atomics += verb == Verb.SEARCH || verb.kind() == Verb.Kind.ATOMIC ? 1 : 0;
        unposted.set(target);
        if (verb == Verb.SEARCH && !guardsAtOwner) {
            waitForAll();
        }
    }

    @Override
    protected void departs() {
        roundTrip();
        atomics = 0;
        answered = 0;
    }

    private void roundTrip() {
        recorder.batch(unposted);
        unposted.clear();
    }
}
