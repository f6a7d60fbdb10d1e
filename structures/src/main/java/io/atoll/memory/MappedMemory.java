package io.atoll.memory;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Loads and stores of words in a mapped segment. It is the only class that holds a {@link VarHandle} to shared memory.
 * Once the segment's arena is closed, all accesses throw an {@link IllegalStateException} or {@linkplain #refuseWith
 * the given failure}. So do accesses under way in other threads.
 *
 * <p>The same code serves twice: as this class, for any segment, and as the classes of {@link #asConstant()}, for one
 * segment each.
 */
public final class MappedMemory implements LocalMemory {

    // A constant, so that an access is folded to one instruction; an instance field would not fold.
    private static final VarHandle LONG = JAVA_LONG.varHandle().withInvokeExactBehavior();

    // From this size on the JDK's bulk copy beats a loop. It, too, moves aligned words whole.
    private static final long BULK_BYTES = 256;

    // The segment of a class that was made for one segment: with it HotSpot folds most of what an access checks. It is
    // null in this class, and then folded away itself.
    private static final @Nullable MemorySegment ONLY = ConstantMemory.segmentOf(MethodHandles.lookup());

    private final MemorySegment segment;
    // shared by all objects for this segment
    private final AtomicReference<@Nullable LongFunction<RuntimeException>> refusal;

    public MappedMemory(MemorySegment segment) {
        this(segment, new AtomicReference<>());
        if (segment.address() % Layouts.CACHE_LINE != 0) {
            throw new IllegalArgumentException("a segment begins at a cache line: address=" + segment.address());
        }
    }

    MappedMemory(MemorySegment segment, AtomicReference<@Nullable LongFunction<RuntimeException>> refusal) {
        this.segment = segment;
        this.refusal = refusal;
    }

    /**
     * Sets what accesses throw once the segment's arena is closed, including accesses by {@link #asConstant()}, instead
     * of an {@link IllegalStateException}. The caller sets it before it closes the arena. Only the closed arena keeps
     * accesses out, and that costs them nothing.
     *
     * @param failure makes the failure from the offset of the access
     */
    public void refuseWith(LongFunction<RuntimeException> failure) {
        refusal.set(failure);
    }

    @Override
    public long size() {
        return segment().byteSize();
    }

    private MemorySegment segment() {
        return ONLY != null ? ONLY : segment;
    }

    /**
     * Returns the same memory through a class of its own: an access takes a few instructions instead of some twenty. It
     * is for the segment that a process uses most, its own. It is not for each of many: code that meets more than two
     * classes calls their methods instead of inlining them.
     */
    public LocalMemory asConstant() {
        return ConstantMemory.of(segment(), refusal);
    }

    @Override
    public MemorySegment view(long offset, long bytes) {
        MemorySegment slice = segment().asSlice(offset, bytes, Layouts.WORD);
        if (!slice.scope().isAlive()) {
            throw givenBack(offset, new IllegalStateException("the segment's arena is closed"));
        }
        return slice;
    }

    @Override
    public long get(long offset) {
        try {
            return (long) LONG.get(segment(), offset);
        } catch (IllegalStateException closed) {
            throw givenBack(offset, closed);
        }
    }

    @Override
    public long getAcquire(long offset) {
        try {
            return (long) LONG.getAcquire(segment(), offset);
        } catch (IllegalStateException closed) {
            throw givenBack(offset, closed);
        }
    }

    @Override
    public void set(long offset, long value) {
        try {
            LONG.set(segment(), offset, value);
        } catch (IllegalStateException closed) {
            throw givenBack(offset, closed);
        }
    }

    @Override
    public void setRelease(long offset, long value) {
        try {
            LONG.setRelease(segment(), offset, value);
        } catch (IllegalStateException closed) {
            throw givenBack(offset, closed);
        }
    }

    @Override
    public long getVolatile(long offset) {
        try {
            return (long) LONG.getVolatile(segment(), offset);
        } catch (IllegalStateException closed) {
            throw givenBack(offset, closed);
        }
    }

    @Override
    public void setVolatile(long offset, long value) {
        try {
            LONG.setVolatile(segment(), offset, value);
        } catch (IllegalStateException closed) {
            throw givenBack(offset, closed);
        }
    }

    @Override
    public long compareAndExchange(long offset, long expected, long value) {
        try {
            return (long) LONG.compareAndExchange(segment(), offset, expected, value);
        } catch (IllegalStateException closed) {
            throw givenBack(offset, closed);
        }
    }

    @Override
    public long getAndSet(long offset, long value) {
        try {
            return (long) LONG.getAndSet(segment(), offset, value);
        } catch (IllegalStateException closed) {
            throw givenBack(offset, closed);
        }
    }

    @Override
    public long getAndAdd(long offset, long delta) {
        try {
            return (long) LONG.getAndAdd(segment(), offset, delta);
        } catch (IllegalStateException closed) {
            throw givenBack(offset, closed);
        }
    }

    @Override
    public long getAndBitwiseOr(long offset, long bits) {
        try {
            return (long) LONG.getAndBitwiseOr(segment(), offset, bits);
        } catch (IllegalStateException closed) {
            throw givenBack(offset, closed);
        }
    }

    @Override
    public void load(long offset, MemorySegment target, long position, long bytes) {
        checkWords(offset, bytes);
        try {
            if (bytes >= BULK_BYTES) {
                loadInBulk(offset, target, position, bytes);
                return;
            }
            for (int at = 0; at < bytes; at += (int) Layouts.WORD) {
                target.set(JAVA_LONG, position + at, (long) LONG.get(segment(), offset + at));
            }
            VarHandle.acquireFence(); // for all words together: their own order does not matter
        } catch (IllegalStateException closed) {
            throw givenBack(offset, closed);
        }
    }

    /**
     * A method of its own, since the JDK's copy is large: with that copy in the loop's method, HotSpot would inline the
     * method into no caller.
     */
    private void loadInBulk(long offset, MemorySegment target, long position, long bytes) {
        MemorySegment.copy(segment(), offset, target, position, bytes);
        VarHandle.acquireFence();
    }

    @Override
    public void store(long offset, MemorySegment source, long position, long bytes) {
        checkWords(offset, bytes);
        try {
            if (bytes >= BULK_BYTES) {
                storeInBulk(offset, source, position, bytes);
                return;
            }
            VarHandle.releaseFence(); // as above
            for (int at = 0; at < bytes; at += (int) Layouts.WORD) {
                LONG.set(segment(), offset + at, source.get(JAVA_LONG, position + at));
            }
        } catch (IllegalStateException closed) {
            throw givenBack(offset, closed);
        }
    }

    private void storeInBulk(long offset, MemorySegment source, long position, long bytes) {
        VarHandle.releaseFence();
        MemorySegment.copy(source, position, segment(), offset, bytes);
    }

    @Override
    public void acquireFence() {
        VarHandle.acquireFence();
    }

    @Override
    public void fullFence() {
        VarHandle.fullFence();
    }

    /** Says more than the JDK, which says only that something is closed. */
    private RuntimeException givenBack(long offset, IllegalStateException closed) {
        LongFunction<RuntimeException> failure = refusal.get();
        return failure != null
                ? failure.apply(offset)
                : new IllegalStateException(
                        "this process has given the memory back, by leaving its world: bytes=" + size(), closed);
    }

    private static void checkWords(long offset, long bytes) {
        if (((offset | bytes) & (Layouts.WORD - 1)) != 0) {
            throw new IllegalArgumentException("whole words only: offset=" + offset + " bytes=" + bytes);
        }
    }
}
