package io.atoll.fabric;

import io.atoll.memory.StackSafeLock;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Native memory for the verbs of threads in this process, in buffers of one size. A buffer that is given back serves
 * the next thread. The pool keeps the memory that it has once allocated.
 *
 * <p>The Java runtime tries for about a second before it says that there is no more native memory. So one thread at a
 * time asks it, and after a refusal no thread asks for a while. So any number of threads fail together, and not one
 * after the other.
 *
 * @param <B> a buffer
 */
public abstract class BufferPool<B> {

    private static final long SLAB_BYTES = 256 << 10;

    private final long bufferBytes;
    private final long pauseNanos;
    private final Deque<B> free = new ArrayDeque<>(); // guarded by itself
    private final StackSafeLock turn = new StackSafeLock(); // held by the thread that asks the runtime
    private boolean refused; // guarded by the turn, as is the next field
    private long refusedAt;

    /** @param pause for how long no thread asks for memory after a refusal */
    protected BufferPool(long bufferBytes, Duration pause) {
        this.bufferBytes = bufferBytes;
        this.pauseNanos = pause.toNanos();
    }

    /** Returns the size of each buffer. */
    public final long bufferBytes() {
        return bufferBytes;
    }

    /**
     * Returns a buffer with arbitrary contents. The caller gives it back, once.
     *
     * @throws OutOfMemoryError if the limit of this process's native memory is reached
     */
    public B take() {
        B buffer = poll();
        return buffer != null ? buffer : refilled();
    }

    public void giveBack(B buffer) {
        synchronized (free) {
            free.push(buffer);
        }
    }

    private @Nullable B poll() {
        synchronized (free) {
            return free.poll();
        }
    }

    private B refilled() {
        turn.lock();
        try {
            B buffer = poll();
            if (buffer != null) {
                return buffer; // another thread has refilled the pool meanwhile
            }
            if (refused && System.nanoTime() - refusedAt < pauseNanos) {
                throw exhausted(null);
            }
            return refill();
        } finally {
            turn.unlock();
        }
    }

    /** Allocates a slab, returns its first buffer and keeps the others. */
    private B refill() {
        try {
            List<B> buffers = allocate(Math.max(SLAB_BYTES, bufferBytes), bufferBytes);
            refused = false;
            synchronized (free) {
                free.addAll(buffers.subList(1, buffers.size()));
            }
            return buffers.getFirst();
        } catch (OutOfMemoryError failure) {
            // The runtime has looked for garbage first, so threads that have ended may have given something back.
            B buffer = poll();
            if (buffer != null) {
                return buffer;
            }
            refused = true;
            refusedAt = System.nanoTime();
            throw exhausted(failure);
        }
    }

    /** Returns the buffers of a new slab. */
    protected abstract List<B> allocate(long slabBytes, long bytes);

    /** Cuts a slab into as many pieces of that size as fit, one after the other. */
    protected static List<MemorySegment> cut(MemorySegment slab, long bytes) {
        return LongStream.range(0, slab.byteSize() / bytes)
                .mapToObj(index -> slab.asSlice(index * bytes, bytes))
                .toList();
    }

    private OutOfMemoryError exhausted(@Nullable OutOfMemoryError cause) {
        var exhausted = new OutOfMemoryError("no native memory for the batch of another thread: let fewer threads use"
                + " the world at the same time, or raise -XX:MaxDirectMemorySize: bufferBytes=" + bufferBytes);
        exhausted.initCause(cause);
        return exhausted;
    }
}
