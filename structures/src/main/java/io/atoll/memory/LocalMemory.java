package io.atoll.memory;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * The words of a segment that is mapped into this process. Everything else names a word by its offset in bytes, which means
 * the same here and across the fabric. Offsets are multiples of {@link Layouts#WORD}.
 *
 * <p>Memory order stands in the names and means what it means for {@link java.lang.invoke.VarHandle}.
 */
public interface LocalMemory {

    /** Bytes of the segment. */
    long size();

    /**
     * The offset, of which it is known then that a cache line from there on lies within the segment. Where the segment is a constant, HotSpot checks no access to the line's words any more, but to the
     * last; nor whether they are aligned, if it sees that the offset is a multiple of one.
     *
     * @throws IndexOutOfBoundsException if it does not
     */
    default long line(long offset) {
        return Objects.checkIndex(offset, size() - Layouts.CACHE_LINE + 1);
    }

    /**
     * The bytes themselves, for a phase in which nobody else uses them. Once this process has left its world or takes part no more, this method fails as loads and stores do. A view that
     * was handed out before is the JDK's own: its accesses end with the JDK's {@link IllegalStateException} then.
     */
    MemorySegment view(long offset, long bytes);

    /** Loads a word whole, in no order but that of {@link #acquireFence} and {@link #fullFence}: for loads that are cheap only in groups. */
    long get(long offset);

    long getAcquire(long offset);

    /** Stores a word whole, in no order but before what is released later: for several stores of which the last one releases all. */
    void set(long offset, long value);

    void setRelease(long offset, long value);

    long getVolatile(long offset);

    void setVolatile(long offset, long value);

    /** Returns what was there. */
    long compareAndExchange(long offset, long expected, long value);

    /** Returns what was there. */
    long getAndSet(long offset, long value);

    /** Returns what was there. */
    long getAndAdd(long offset, long delta);

    /** Returns what was there. */
    long getAndBitwiseOr(long offset, long bits);

    /**
     * Loads whole words, each atomically, in no particular order, all of them before any access that follows.
     *
     * @param bytes a multiple of {@link Layouts#WORD}
     */
    void load(long offset, MemorySegment target, long position, long bytes);

    /**
     * Stores whole words, each atomically, in no particular order, all of them after any access that precedes.
     *
     * @param bytes a multiple of {@link Layouts#WORD}
     */
    void store(long offset, MemorySegment source, long position, long bytes);

    /** Orders every earlier load of this thread before every later access. */
    void acquireFence();

    /** Orders every earlier access of this thread before every later one. */
    void fullFence();
}
