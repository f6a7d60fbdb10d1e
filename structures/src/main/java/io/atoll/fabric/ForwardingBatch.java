package io.atoll.fabric;

import io.atoll.memory.LocalMemory;
import java.lang.foreign.MemorySegment;

/**
 * Hands every verb to another batch. A wrapper overrides {@link #before} and {@link #after} to add something to each
 * verb. It overrides {@link #departs} and {@link #arrives} to add something to all verbs together.
 */
public abstract class ForwardingBatch implements Batch {

    private Batch wrapped = this; // itself until there is one

    /** Makes a wrapper that must not be used before {@link #forwardTo}. */
    protected ForwardingBatch() {}

    protected ForwardingBatch(Batch wrapped) {
        this.wrapped = wrapped;
    }

    protected final Batch wrapped() {
        return wrapped;
    }

    /** Hands verbs to that batch from now on. No verb may be under way. */
    protected final void forwardTo(Batch other) {
        wrapped = other;
    }

    /**
     * Is called before a verb is added. The verb is not added if it throws.
     *
     * @param bytes that it moves; 8 for an atomic
     */
    protected void before(Verb verb, int target, long offset, long bytes) {
        // Most wrappers add nothing here.
    }

    /** Is called when a verb has been added. */
    protected void after(Verb verb, int target, long offset, long bytes) {
        // Most wrappers add nothing here.
    }

    /** Is called before the verbs that were added are posted or completed. */
    protected void departs() {
        // Most wrappers add nothing here.
    }

    /** Is called when everything that was posted has taken effect. */
    protected void arrives() {
        // Most wrappers add nothing here.
    }

    @Override
    public MemorySegment buffer() {
        return wrapped.buffer();
    }

    @Override
    public MemorySegment buffer(long bytes) {
        return wrapped.buffer(bytes);
    }

    @Override
    public LocalMemory memory() {
        return wrapped.memory();
    }

    @Override
    public LocalMemory memory(long bytes) {
        return wrapped.memory(bytes);
    }

    @Override
    public long word(long position) {
        return wrapped.word(position);
    }

    @Override
    public void setWord(long position, long value) {
        wrapped.setWord(position, value);
    }

    @Override
    public void read(int target, long offset, long position, long bytes) {
        before(Verb.READ, target, offset, bytes);
        wrapped.read(target, offset, position, bytes);
        after(Verb.READ, target, offset, bytes);
    }

    @Override
    public void write(int target, long offset, long position, long bytes) {
        before(Verb.WRITE, target, offset, bytes);
        wrapped.write(target, offset, position, bytes);
        after(Verb.WRITE, target, offset, bytes);
    }

    @Override
    public void writeWord(int target, long offset, long value) {
        before(Verb.WRITE, target, offset, Long.BYTES);
        wrapped.writeWord(target, offset, value);
        after(Verb.WRITE, target, offset, Long.BYTES);
    }

    @Override
    public int compareAndExchange(int target, long offset, long expected, long value) {
        before(Verb.COMPARE_AND_EXCHANGE, target, offset, Long.BYTES);
        int index = wrapped.compareAndExchange(target, offset, expected, value);
        after(Verb.COMPARE_AND_EXCHANGE, target, offset, Long.BYTES);
        return index;
    }

    @Override
    public int getAndAdd(int target, long offset, long delta) {
        before(Verb.GET_AND_ADD, target, offset, Long.BYTES);
        int index = wrapped.getAndAdd(target, offset, delta);
        after(Verb.GET_AND_ADD, target, offset, Long.BYTES);
        return index;
    }

    @Override
    public long result(int index) {
        return wrapped.result(index);
    }

    @Override
    public void complete() {
        departs();
        wrapped.complete();
        arrives();
    }

    @Override
    public void post() {
        departs();
        wrapped.post();
    }

    @Override
    public boolean poll() {
        boolean isDone = wrapped.poll();
        if (isDone) {
            arrives();
        }
        return isDone;
    }

    @Override
    public void close() {
        wrapped.close();
    }
}
