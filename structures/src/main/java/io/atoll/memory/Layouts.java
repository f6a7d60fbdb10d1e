package io.atoll.memory;

import static java.lang.foreign.MemoryLayout.PathElement.groupElement;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The parts from which layouts are declared. A layout is a struct of whole words. The fabric sees only the offsets that
 * are derived from it. So only a declaration may contain the number of a position.
 */
public final class Layouts {

    /** Bytes of a word: the unit of atomicity and of alignment. */
    public static final long WORD = Long.BYTES;

    /**
     * Bytes that one core, or one network card, takes or gives at once. Two writers that share a line slow each other.
     */
    public static final long CACHE_LINE = 64;

    static {
        // Segments are exchanged as they are, and atomics of network cards know one byte order per word.
        if (ByteOrder.nativeOrder() != ByteOrder.LITTLE_ENDIAN) {
            throw new ExceptionInInitializerError(
                    "Atoll needs a little-endian processor: byteOrder=" + ByteOrder.nativeOrder());
        }
    }

    private Layouts() {}

    public static ValueLayout.OfLong word(String name) {
        return ValueLayout.JAVA_LONG.withName(name);
    }

    public static MemoryLayout words(String name, long count) {
        return MemoryLayout.sequenceLayout(count, ValueLayout.JAVA_LONG).withName(name);
    }

    /** Returns padding that keeps the next member off the cache line of the {@code usedBytes} before it. */
    public static MemoryLayout padToCacheLine(long usedBytes) {
        return MemoryLayout.paddingLayout(roundUp(usedBytes, CACHE_LINE) - usedBytes);
    }

    public static long offsetOf(StructLayout layout, String name) {
        return layout.byteOffset(groupElement(name));
    }

    /**
     * Returns the smallest distance between equal items of that size at which none straddles a cache line needlessly.
     * It is a power of two within a line, and whole lines beyond it.
     */
    public static long spaced(long bytes) {
        return bytes <= CACHE_LINE ? Long.highestOneBit(bytes - 1) << 1 : roundUp(bytes, CACHE_LINE);
    }

    /** Returns the smallest multiple of {@code unit} that is not below {@code bytes}. */
    public static long roundUp(long bytes, long unit) {
        return Math.ceilDiv(bytes, unit) * unit;
    }
}
