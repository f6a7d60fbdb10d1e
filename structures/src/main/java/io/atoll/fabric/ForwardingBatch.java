package io.atoll.fabric;

import io.atoll.memory.LocalMemory;
import java.lang.foreign.MemorySegment;

/**
 * Hands every verb to another batch. A wrapper overrides {@link #before} and {@link #after} to add something to each
 * verb. It overrides {@link #departs} and {@link #arrives} to add something to all verbs together. A guarded verb
 * counts as a verb if the batch does not know yet that it is to be skipped.
 */
public abstract class ForwardingBatch implements Batch {

    private static final int NONE = -1;

    private Batch wrapped = this; // itself until there is one
    private int guard = NONE; // of the verbs that are added now

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
        guard = NONE;
    }

    /** Returns true if the verbs that are added now are guarded. */
    protected final boolean isGuarded() {
        return guard != NONE;
    }

    /**
     * Is called before a verb is added. The verb is not added if it throws.
     *
     * @param offset as the caller gave it; a guard may move it
     * @param bytes that it moves; 8 for an atomic, and those of all records for a search
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

    private void begin(Verb verb, int target, long offset, long bytes) {
        if (!isDropped()) {
            before(verb, target, offset, bytes);
        }
    }

    private void end(Verb verb, int target, long offset, long bytes) {
        if (!isDropped()) {
            after(verb, target, offset, bytes);
        }
    }

    /** Returns true if it is known that the verbs that are added now are skipped. */
    private boolean isDropped() {
        return guard != NONE && wrapped.answered(guard) && !wrapped.succeeded(guard);
    }

    @Override
    public int mostAtomics() {
        return wrapped.mostAtomics();
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
        begin(Verb.READ, target, offset, bytes);
        wrapped.read(target, offset, position, bytes);
        end(Verb.READ, target, offset, bytes);
    }

    @Override
    public void readRecords(int target, long offset, long stride, int count, long position) {
        long bytes = RecordRead.arriving(stride) * count;
        begin(Verb.READ_RECORDS, target, offset, bytes);
        wrapped.readRecords(target, offset, stride, count, position);
        end(Verb.READ_RECORDS, target, offset, bytes);
    }

    @Override
    public void write(int target, long offset, long position, long bytes) {
        begin(Verb.WRITE, target, offset, bytes);
        wrapped.write(target, offset, position, bytes);
        end(Verb.WRITE, target, offset, bytes);
    }

    @Override
    public void writeBeside(int target, long offset, long position, long bytes, int bit) {
        begin(Verb.WRITE_BESIDE, target, offset, bytes);
        wrapped.writeBeside(target, offset, position, bytes, bit);
        end(Verb.WRITE_BESIDE, target, offset, bytes);
    }

    @Override
    public void writeWord(int target, long offset, long value) {
        begin(Verb.WRITE, target, offset, Long.BYTES);
        wrapped.writeWord(target, offset, value);
        end(Verb.WRITE, target, offset, Long.BYTES);
    }

    @Override
    public int compareAndExchange(int target, long offset, long expected, long value) {
        begin(Verb.COMPARE_AND_EXCHANGE, target, offset, Long.BYTES);
        int index = wrapped.compareAndExchange(target, offset, expected, value);
        end(Verb.COMPARE_AND_EXCHANGE, target, offset, Long.BYTES);
        return index;
    }

    @Override
    public int getAndAdd(int target, long offset, long delta) {
        begin(Verb.GET_AND_ADD, target, offset, Long.BYTES);
        int index = wrapped.getAndAdd(target, offset, delta);
        end(Verb.GET_AND_ADD, target, offset, Long.BYTES);
        return index;
    }

    @Override
    public int getAndBitwiseOr(int target, long offset, long bits) {
        begin(Verb.GET_AND_BITWISE_OR, target, offset, Long.BYTES);
        int index = wrapped.getAndBitwiseOr(target, offset, bits);
        end(Verb.GET_AND_BITWISE_OR, target, offset, Long.BYTES);
        return index;
    }

    @Override
    public int search(int target, long offset, long stride, int count, long position, int tests) {
        begin(Verb.SEARCH, target, offset, stride * count);
        int index = wrapped.search(target, offset, stride, count, position, tests);
        end(Verb.SEARCH, target, offset, stride * count);
        return index;
    }

    @Override
    public int exchangeFound(int target, long offset, long keep, long addend) {
        begin(Verb.EXCHANGE_FOUND, target, offset, Long.BYTES);
        int index = wrapped.exchangeFound(target, offset, keep, addend);
        end(Verb.EXCHANGE_FOUND, target, offset, Long.BYTES);
        return index;
    }

    @Override
    public long result(int index) {
        return wrapped.result(index);
    }

    @Override
    public void guard(int index) {
        wrapped.guard(index);
        guard = index;
    }

    @Override
    public void unguard() {
        wrapped.unguard();
        guard = NONE;
    }

    @Override
    public boolean succeeded(int index) {
        return wrapped.succeeded(index);
    }

    @Override
    public long displacement(int index) {
        return wrapped.displacement(index);
    }

    @Override
    public boolean answered(int index) {
        return wrapped.answered(index);
    }

    @Override
    public void complete() {
        departs();
        guard = NONE;
        wrapped.complete();
        arrives();
    }

    @Override
    public void post() {
        departs();
        guard = NONE;
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
