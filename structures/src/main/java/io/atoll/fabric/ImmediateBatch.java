package io.atoll.fabric;

import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import io.atoll.memory.MappedMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A batch over memory that is mapped here: each verb is executed as it is added, in program order. */
public final class ImmediateBatch extends GuardedBatch {

    /** The memory of ranks. */
    @FunctionalInterface
    public interface Segments {

        /**
         * Returns the rank's memory, or throws if the rank is not there.
         *
         * @param offset of the access, for the message
         */
        LocalMemory memory(int rank, long offset);
    }

    private final Segments segments;
    // Null unless this is a thread's own batch.
    private final @Nullable ThreadBuffer own;
    // The words of the buffer. A thread's own batch has a small buffer, which it uses while it needs no more.
    private final MappedMemory kept;
    private final long[] results = new long[ATOMICS];
    // The memory of the last store since the last completion; null if there was none.
    private @Nullable LocalMemory stored;

    /**
     * Makes a batch that belongs to no thread.
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

    /**
     * Returns the calling thread's own batch. Its buffer grows at the first use of bytes that it does not have. It
     * shrinks when the batch is closed.
     */
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
        if (isSkipped(rank)) {
            return;
        }
        completeStores();
        reserve(position + length);
        long from = moved(offset);
        segments.memory(rank, from).load(from, presentBuffer(), position, length);
    }

    @Override
    public void write(int rank, long offset, long position, long length) {
        if (isSkipped(rank)) {
            return;
        }
        reserve(position + length);
        long to = moved(offset);
        stored = segments.memory(rank, to);
        stored.store(to, presentBuffer(), position, length);
    }

    @Override
    public void writeWord(int rank, long offset, long value) {
        if (isSkipped(rank)) {
            return;
        }
        long to = moved(offset);
        stored = segments.memory(rank, to);
        stored.setRelease(to, value);
    }

    @Override
    public int compareAndExchange(int rank, long offset, long expected, long value) {
        int index = nextIndex();
        long at = moved(offset);
        results[index] = isSkipped(rank) ? 0 : segments.memory(rank, at).compareAndExchange(at, expected, value);
        return rememberExchange(index, rank, expected);
    }

    @Override
    public int getAndAdd(int rank, long offset, long delta) {
        int index = nextIndex();
        long at = moved(offset);
        results[index] = isSkipped(rank) ? 0 : segments.memory(rank, at).getAndAdd(at, delta);
        return remember(index);
    }

    @Override
    public int getAndBitwiseOr(int rank, long offset, long bits) {
        int index = nextIndex();
        long at = moved(offset);
        results[index] = isSkipped(rank) ? 0 : segments.memory(rank, at).getAndBitwiseOr(at, bits);
        return remember(index);
    }

    @Override
    protected void addSearch(int index, int rank, long offset, long length, long stride, long position, int tests) {
        if (isSkipped(rank)) {
            decideNothing(index);
        } else {
            completeStores();
            long from = moved(offset);
            decide(index, segments.memory(rank, from), from, length, stride, position, tests);
        }
        results[index] = decided(index);
    }

    @Override
    public long result(int index) {
        return results[index];
    }

    /** Returns this batch without the verbs that were added and never completed, because a later verb failed. */
    public Batch emptied() {
        forgetAtomics();
        return this;
    }

    @Override
    public void complete() {
        forgetAtomics();
        completeStores();
    }

    /** Stores may still wait in this processor, where a later load of the thread would overtake them. */
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
