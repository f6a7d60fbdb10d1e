package io.atoll.fabric;

import io.atoll.memory.MappedMemory;
import java.lang.foreign.MemorySegment;

/** A batch that executes each verb as it is added. So nothing is ever under way, and everything is answered. */
public abstract class SynchronousBatch extends GuardedBatch {

    private final long[] results = new long[ATOMICS];

    /** @param words the words of the buffer */
    protected SynchronousBatch(MemorySegment buffer, MappedMemory words) {
        super(buffer, words);
    }

    /** Says what the next atomic or search has found. */
    protected final void setResult(int index, long found) {
        results[index] = found;
    }

    @Override
    public final long result(int index) {
        return results[index];
    }

    @Override
    public final boolean answered(int index) {
        return true;
    }

    @Override
    protected final void refuseIfUnderWay() {
        // Nothing ever is.
    }

    @Override
    protected final void guardBegins(int index) {
        // It was answered when it was added.
    }

    @Override
    public final void post() {
        complete();
    }

    @Override
    public final boolean poll() {
        return true;
    }
}
