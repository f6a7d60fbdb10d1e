package io.atoll.fabric;

import io.atoll.failure.FabricException;
import io.atoll.memory.LocalMemory;
import java.lang.foreign.MemorySegment;

/**
 * Hands every verb to another fabric. A wrapper overrides {@link #before} and {@link #after} to add something to each
 * verb. It overrides {@link #batch} and {@link #newBatch} to add something to the verbs of batches. So no wrapper
 * forgets a verb. This class itself cannot: no verb of {@link Fabric} has a default.
 *
 * <p>By default no segment is {@linkplain #mapped mapped}: loads and stores would bypass the wrapper. A wrapper that
 * adds nothing to a verb costs it a call that HotSpot inlines.
 */
public abstract class ForwardingFabric implements Fabric {

    /** Stands for the rank of a flush that goes to all ranks. */
    protected static final int ALL_RANKS = -1;

    private final Fabric wrapped;

    protected ForwardingFabric(Fabric wrapped) {
        this.wrapped = wrapped;
    }

    protected final Fabric wrapped() {
        return wrapped;
    }

    /**
     * Is called before each verb. The verb is not executed if it throws.
     *
     * @param target the rank that the verb goes to, or {@link #ALL_RANKS}
     * @param offset in its segment; {@link FabricException#WHOLE_SEGMENT} for a flush
     * @param bytes that it moves; 8 for an atomic, 0 for a flush
     * @return a number for {@link #after}, such as a time
     */
    protected long before(Verb verb, int target, long offset, long bytes) {
        return 0;
    }

    /**
     * Is called after each verb, unless the verb has thrown.
     *
     * @param begun what {@link #before} has returned
     */
    protected void after(Verb verb, int target, long offset, long bytes, long begun) {
        // Most wrappers add nothing here.
    }

    /**
     * Returns true if the fabric composes some verbs of others. Only those others go through this wrapper then, each
     * with its own {@link #before}. By default that is where {@link Guarantees#fetchOr()} is false.
     */
    protected boolean composes() {
        return !guarantees().fetchOr();
    }

    @Override
    public int rank() {
        return wrapped.rank();
    }

    @Override
    public int size() {
        return wrapped.size();
    }

    @Override
    public Guarantees guarantees() {
        return wrapped.guarantees();
    }

    @Override
    public boolean executesAtOnce(int target) {
        return wrapped.executesAtOnce(target);
    }

    @Override
    public void read(int target, long offset, MemorySegment into, long position, long bytes) {
        long begun = before(Verb.READ, target, offset, bytes);
        wrapped.read(target, offset, into, position, bytes);
        after(Verb.READ, target, offset, bytes, begun);
    }

    @Override
    public long readWord(int target, long offset) {
        long begun = before(Verb.READ, target, offset, Long.BYTES);
        long word = wrapped.readWord(target, offset);
        after(Verb.READ, target, offset, Long.BYTES, begun);
        return word;
    }

    @Override
    public void write(int target, long offset, MemorySegment source, long position, long bytes) {
        long begun = before(Verb.WRITE, target, offset, bytes);
        wrapped.write(target, offset, source, position, bytes);
        after(Verb.WRITE, target, offset, bytes, begun);
    }

    @Override
    public void writeWord(int target, long offset, long value) {
        long begun = before(Verb.WRITE, target, offset, Long.BYTES);
        wrapped.writeWord(target, offset, value);
        after(Verb.WRITE, target, offset, Long.BYTES, begun);
    }

    @Override
    public long compareAndExchange(int target, long offset, long expected, long value) {
        long begun = before(Verb.COMPARE_AND_EXCHANGE, target, offset, Long.BYTES);
        long found = wrapped.compareAndExchange(target, offset, expected, value);
        after(Verb.COMPARE_AND_EXCHANGE, target, offset, Long.BYTES, begun);
        return found;
    }

    @Override
    public long getAndAdd(int target, long offset, long delta) {
        long begun = before(Verb.GET_AND_ADD, target, offset, Long.BYTES);
        long found = wrapped.getAndAdd(target, offset, delta);
        after(Verb.GET_AND_ADD, target, offset, Long.BYTES, begun);
        return found;
    }

    @Override
    public long getAndBitwiseOr(int target, long offset, long bits) {
        if (composes()) {
            return Composed.getAndBitwiseOr(this, target, offset, bits);
        }
        long begun = before(Verb.GET_AND_BITWISE_OR, target, offset, Long.BYTES);
        long found = wrapped.getAndBitwiseOr(target, offset, bits);
        after(Verb.GET_AND_BITWISE_OR, target, offset, Long.BYTES, begun);
        return found;
    }

    @Override
    public long getAndSet(int target, long offset, long value) {
        if (composes()) {
            return Composed.getAndSet(this, target, offset, value);
        }
        long begun = before(Verb.GET_AND_SET, target, offset, Long.BYTES);
        long found = wrapped.getAndSet(target, offset, value);
        after(Verb.GET_AND_SET, target, offset, Long.BYTES, begun);
        return found;
    }

    @Override
    public void flush(int target) {
        long begun = before(Verb.FLUSH, target, FabricException.WHOLE_SEGMENT, 0);
        wrapped.flush(target);
        after(Verb.FLUSH, target, FabricException.WHOLE_SEGMENT, 0, begun);
    }

    @Override
    public void flush() {
        long begun = before(Verb.FLUSH, ALL_RANKS, FabricException.WHOLE_SEGMENT, 0);
        wrapped.flush();
        after(Verb.FLUSH, ALL_RANKS, FabricException.WHOLE_SEGMENT, 0, begun);
    }

    @Override
    public LocalMemory local() {
        return wrapped.local();
    }

    @Override
    public StructureLocator structures() {
        return wrapped.structures();
    }

    @Override
    public Clock clock() {
        return wrapped.clock();
    }

    @Override
    public void close() {
        wrapped.close();
    }
}
