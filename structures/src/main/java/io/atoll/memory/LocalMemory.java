package io.atoll.memory;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * The words of a segment that is mapped into this process. Callers name a word by its offset in bytes, which means the
 * same here and across the fabric. Offsets are multiples of {@link Layouts#WORD}.
 *
 * <p>The names tell the memory order, with the meaning that it has for {@link java.lang.invoke.VarHandle}.
 */
public interface LocalMemory {

    /** Returns the size of the segment in bytes. */
    long size();

    /**
     * Returns the offset after checking that a cache line from there on lies within the segment. If the segment is a
     * constant, HotSpot then checks no access to the line's words, except to the last. It drops the check of alignment,
     * too, if it sees that the offset is a multiple of a word.
     *
     * @throws IndexOutOfBoundsException if the line does not lie within the segment
     */
    default long line(long offset) {
        return Objects.checkIndex(offset, size() - Layouts.CACHE_LINE + 1);
    }

    /**
     * Returns the bytes themselves, for a phase in which only the caller uses them. Once this process has left its
     * world or takes part no more, this method fails as loads and stores do. A view that was returned before is the
     * JDK's own: its accesses end with the JDK's {@link IllegalStateException} then.
     */
    MemorySegment view(long offset, long bytes);

    /**
     * Loads a word whole. Only {@link #acquireFence} and {@link #fullFence} order it: for loads that are cheap only in
     * groups.
     */
    long get(long offset);

    long getAcquire(long offset);

    /**
     * Stores a word whole. It is ordered only before a later release: for several stores of which the last one releases
     * all.
     */
    void set(long offset, long value);

    void setRelease(long offset, long value);

    long getVolatile(long offset);

    void setVolatile(long offset, long value);

    /** Returns the former value. */
    long compareAndExchange(long offset, long expected, long value);

    /** Returns the former value. */
    long getAndSet(long offset, long value);

    /** Returns the former value. */
    long getAndAdd(long offset, long delta);

    /** Returns the former value. */
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
