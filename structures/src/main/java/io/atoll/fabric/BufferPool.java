package io.atoll.fabric;

import io.atoll.memory.Layouts;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The native memory of all threads' own batches in this process, in buffers of one size. A buffer that is given back serves the next thread; the pool keeps what it once has
 * allocated.
 *
 * <p>The Java runtime tries for about a second before it says that there is no more native memory. So one thread at a time asks it; and after a refusal nobody asks for a while: as many
 * threads as there may be fail at once, rather than one after the other.
 */
class BufferPool {

    /** What a thread's own batch has as long as it needs no more. */
    static final BufferPool SMALL = new BufferPool(Batch.SMALL_BUFFER_BYTES, Duration.ofSeconds(1));

    /** What a thread's own batch has while it needs more than that. */
    static final BufferPool WHOLE = new BufferPool(Batch.THREAD_BUFFER_BYTES, Duration.ofSeconds(1));

    private static final long SLAB_BYTES = 256 << 10;

    private final long bufferBytes;
    private final long pauseNanos;
    private final Deque<MemorySegment> free = new ArrayDeque<>(); // guarded by itself
    private final ReentrantLock turn = new ReentrantLock(); // of who asks the runtime
    private boolean refused; // guarded by the turn, as is what follows
    private long refusedAt;

    /** @param pause how long nobody asks for memory after it was refused */
    BufferPool(long bufferBytes, Duration pause) {
        this.bufferBytes = bufferBytes;
        this.pauseNanos = pause.toNanos();
    }

    /**
     * Returns a buffer with arbitrary contents. Its taker gives it back, once.
     *
     * @throws OutOfMemoryError when the limit of this process's native memory is reached
     */
    MemorySegment take() {
        MemorySegment buffer = poll();
        return buffer != null ? buffer : refilled();
    }

    void giveBack(MemorySegment buffer) {
        synchronized (free) {
            free.push(buffer);
        }
    }

    private @Nullable MemorySegment poll() {
        synchronized (free) {
            return free.poll();
        }
    }

    private MemorySegment refilled() {
        turn.lock();
        try {
            MemorySegment buffer = poll();
            if (buffer != null) {
                return buffer; // another thread has refilled it, meanwhile
            }
            if (refused && System.nanoTime() - refusedAt < pauseNanos) {
                throw exhausted(null);
            }
            return refill();
        } finally {
            turn.unlock();
        }
    }

    /** All but one. */
    private MemorySegment refill() {
        try {
            MemorySegment slab = allocate(SLAB_BYTES);
            refused = false;
            for (long at = bufferBytes; at < SLAB_BYTES; at += bufferBytes) {
                giveBack(slab.asSlice(at, bufferBytes));
            }
            return slab.asSlice(0, bufferBytes);
        } catch (OutOfMemoryError failure) {
            // The runtime has looked for garbage first, so threads that have ended may have given something back.
            MemorySegment buffer = poll();
            if (buffer != null) {
                return buffer;
            }
            refused = true;
            refusedAt = System.nanoTime();
            throw exhausted(failure);
        }
    }

    MemorySegment allocate(long bytes) {
        return Arena.ofAuto().allocate(bytes, Layouts.CACHE_LINE);
    }

    private OutOfMemoryError exhausted(@Nullable OutOfMemoryError cause) {
        var exhausted = new OutOfMemoryError("no native memory for the batch of another thread: let fewer threads use"
                + " the world at the same time, or raise -XX:MaxDirectMemorySize: bufferBytes=" + bufferBytes);
        exhausted.initCause(cause);
        return exhausted;
    }
}
