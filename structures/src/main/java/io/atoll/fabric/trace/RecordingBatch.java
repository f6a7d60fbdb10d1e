package io.atoll.fabric.trace;

import io.atoll.fabric.Batch;
import io.atoll.fabric.ForwardingBatch;
import io.atoll.fabric.Verb;
import java.util.BitSet;

/** A batch that records its verbs as they are added, and its round trips when they are posted. */
final class RecordingBatch extends ForwardingBatch {

    private static final int NONE = -1;

    private final Recorder recorder;
    private final boolean guardsAtOwner;
    private final BitSet unposted = new BitSet(); // ranks of the verbs that were added
    private int atomics; // and searches, since the last departure
    private int answered; // those of them that the batch has waited for
    private int guard = NONE; // the last one since the last departure

    /** @param guardsAtOwner false if the batch decides guards and searches itself, and reads records by reads */
    RecordingBatch(Batch wrapped, Recorder recorder, boolean guardsAtOwner) {
        super(wrapped);
        this.recorder = recorder;
        this.guardsAtOwner = guardsAtOwner;
    }

    @Override
    public void guard(int index) {
        noteWait();
        super.guard(index);
        guard = index;
        if (!guardsAtOwner && index >= answered) {
            waits();
        } else if (wrapped().answered(index)) {
            // It is in memory, or in a simulation, which waits here in place of an owner that decides.
            answered = Math.max(answered, index + 1);
        }
    }

    @Override
    protected void after(Verb verb, int target, long offset, long bytes) {
        noteWait();
        recorder.inBatch(verb, target, offset, bytes, isGuarded());
        atomics += verb == Verb.SEARCH || verb.kind() == Verb.Kind.ATOMIC ? 1 : 0;
        unposted.set(target);
        if (verb == Verb.SEARCH && !guardsAtOwner) {
            waits();
        }
        if (verb == Verb.READ_RECORDS && !guardsAtOwner) {
            waits(); // behind the first words
            unposted.set(target);
            waits(); // behind the other words
            unposted.set(target);
        }
    }

    @Override
    protected void departs() {
        noteWait();
        roundTrip();
        atomics = 0;
        answered = 0;
        guard = NONE;
    }

    /** The batch has waited by itself if a guarded verb does not fit into the request of its exchange. */
    private void noteWait() {
        if (guardsAtOwner && guard >= answered && wrapped().answered(guard)) {
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
