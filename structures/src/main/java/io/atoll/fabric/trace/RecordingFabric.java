package io.atoll.fabric.trace;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.ForwardingFabric;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.Verb;

/**
 * A fabric that lists and counts the verbs that one thread, the one that made it, uses through it. Verbs of other
 * threads pass unrecorded. Loads and stores of the own memory are no verbs.
 *
 * <p>A batch is one round trip, however many verbs it has, and so is each verb that returns a value. A guard is another
 * one where the declared guarantees say so, or where the batch cannot leave the decision to the owner. A write is no
 * round trip until it is flushed. A later verb to the same rank that returns a value flushes it without a further round
 * trip.
 */
public final class RecordingFabric extends ForwardingFabric {

    private final Guarantees declared;
    private final Recorder recorder = new Recorder();

    public RecordingFabric(Fabric wrapped) {
        this(wrapped, wrapped.guarantees());
    }

    /**
     * Declares other guarantees than the wrapped fabric's, so that a test can count here what a protocol costs
     * elsewhere. Weaker guarantees are always safe. Stronger ones are a lie: protocols then read torn values and lose
     * updates as soon as another thread or rank uses the same memory.
     */
    public RecordingFabric(Fabric wrapped, Guarantees declared) {
        super(wrapped);
        this.declared = declared;
    }

    /** Returns what was recorded since the beginning or the last {@link #clear}. */
    public Journal journal() {
        return recorder.journal();
    }

    /** Forgets what was recorded. */
    public void clear() {
        recorder.clear();
    }

    /** Runs the work and returns the verbs that it costs. Forgets what was recorded before. */
    public Journal record(Runnable work) {
        clear();
        work.run();
        return journal();
    }

    @Override
    public Guarantees guarantees() {
        return declared;
    }

    @Override
    protected void after(Verb verb, int target, long offset, long bytes, long begun) {
        if (target == ALL_RANKS) {
            recorder.flush();
        } else {
            recorder.add(verb, target, offset, bytes);
        }
    }

    @Override
    public Batch batch() {
        return recording(wrapped().batch());
    }

    @Override
    public Batch newBatch(long bufferBytes) {
        return recording(wrapped().newBatch(bufferBytes));
    }

    private Batch recording(Batch batch) {
        boolean guardsAtOwner = declared.guardsAtOwner();
        return new RecordingBatch(batch, recorder, guardsAtOwner);
    }
}
