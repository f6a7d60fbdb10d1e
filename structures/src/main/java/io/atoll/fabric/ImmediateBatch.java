package io.atoll.fabric;

import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import io.atoll.memory.MappedMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A batch over memory that is mapped here: each verb is executed as it is added, in program order. */
public final class ImmediateBatch extends BufferedBatch {

    /** The memory of ranks. */
    @FunctionalInterface
    public interface Segments {

        /**
         * Returns the rank's memory, or throws when it is not there.
         *
         * @param offset that is to be accessed, for the message
         */
        LocalMemory memory(int rank, long offset);
    }

    private final Segments segments;
    private final @Nullable ThreadBuffer own; // of a thread's own batch
    private final MappedMemory kept; // the buffer, or what a thread's own batch has of it as long as it needs no more
    private final long[] results = new long[ATOMICS];
    private int atomics;
    private @Nullable LocalMemory stored; // where, last, since the last completion

    /**
     * A batch of its own.
     *
     * @param segments of all ranks that the batch may be used for
     */
    public ImmediateBatch(Segments segments, long bufferBytes) {
        // Not the segment's arena: the buffer lives as long as the batch is reachable.
        this(segments, null, Arena.ofAuto().allocate(bufferBytes, Layouts.CACHE_LINE));
    }

    private ImmediateBatch(Segments segments, @Nullable ThreadBuffer own, MemorySegment buffer) {
        MappedMemory words = new MappedMemory(buffer);
        super(buffer, words);
        this.segments = segments;
        this.own = own;
        this.kept = words;
    }

    /** The calling thread's own: its buffer grows with the first use of what is not there, until it is closed. */
    public static ImmediateBatch ofThread(Segments segments) {
        ThreadBuffer own = new ThreadBuffer(Thread.currentThread());
        ImmediateBatch batch = new ImmediateBatch(segments, own, own.small());
        own.returnAfter(batch);
        return batch;
    }

    @Override
    protected void grow() {
        if (own != null && bufferBytes() == SMALL_BUFFER_BYTES) {
            MemorySegment whole = own.grow();
            use(whole, new MappedMemory(whole));
        }
    }

    @Override
    public void read(int rank, long offset, long position, long length) {
        completeStores();
        reserve(position + length);
        segments.memory(rank, offset).load(offset, presentBuffer(), position, length);
    }

    @Override
    public void write(int rank, long offset, long position, long length) {
        reserve(position + length);
        stored = segments.memory(rank, offset);
        stored.store(offset, presentBuffer(), position, length);
    }

    @Override
    public void writeWord(int rank, long offset, long value) {
        stored = segments.memory(rank, offset);
        stored.setRelease(offset, value);
    }

    @Override
    public int compareAndExchange(int rank, long offset, long expected, long value) {
        return keep(segments.memory(rank, offset).compareAndExchange(offset, expected, value));
    }

    @Override
    public int getAndAdd(int rank, long offset, long delta) {
        return keep(segments.memory(rank, offset).getAndAdd(offset, delta));
    }

    private int keep(long result) {
        results[atomics] = result;
        return atomics++;
    }

    @Override
    public long result(int index) {
        return results[index];
    }

    /** This batch without the verbs of one that was begun and never completed, because a later verb of it failed. */
    public Batch emptied() {
        atomics = 0;
        return this;
    }

    @Override
    public void complete() {
        atomics = 0;
        completeStores();
    }

    /** What was stored may still wait in this processor, where a later load of the thread would overtake it. */
    private void completeStores() {
        if (stored != null) {
            stored.fullFence();
            stored = null;
        }
    }

    @Override
    public void post() {
        complete();
    }

    @Override
    public boolean poll() {
        return true;
    }

    @Override
    public void close() {
        if (own != null && bufferBytes() > SMALL_BUFFER_BYTES && own.shrinks()) {
            use(own.small(), kept);
        }
    }
}
