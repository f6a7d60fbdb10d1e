package io.atoll.fabric.trace;

import io.atoll.fabric.Batch;
import io.atoll.fabric.ForwardingBatch;
import io.atoll.fabric.Verb;
import java.util.BitSet;

/** A batch that records its verbs as they are added, and its round trip when they are posted. */
final class RecordingBatch extends ForwardingBatch {

    private final Recorder recorder;
    private final BitSet unposted = new BitSet(); // ranks of the verbs that were added

    RecordingBatch(Batch wrapped, Recorder recorder) {
        super(wrapped);
        this.recorder = recorder;
    }

    @Override
    protected void after(Verb verb, int target, long offset, long bytes) {
        recorder.inBatch(verb, target, offset, bytes);
        unposted.set(target);
    }

    @Override
    protected void departs() {
        recorder.batch(unposted);
        unposted.clear();
    }
}
