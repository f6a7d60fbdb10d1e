package io.atoll.array;

import io.atoll.codec.Codec;
import io.atoll.fabric.Batch;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * Elements that lie one behind the other in a rank's segment.
 *
 * @param length the number of elements
 */
record ElementBlock<T>(Pointer<T> first, long length) {

    T get(long index) {
        return first.read(Objects.checkIndex(index, length));
    }

    void set(long index, T element) {
        first.write(Objects.checkIndex(index, length), element);
    }

    void read(long from, MemorySegment target, long position, long count) {
        first.read(Objects.checkFromIndexSize(from, count, length), target, position, count);
    }

    void write(long from, MemorySegment source, long position, long count) {
        first.write(Objects.checkFromIndexSize(from, count, length), source, position, count);
    }

    /** Returns the elements where they lie. Only for this rank's own elements. */
    MemorySegment local() {
        return first.local(length);
    }

    /** Returns how many whole elements the bytes are. */
    static long count(String array, Codec<?> codec, MemorySegment elements) {
        if (elements.byteSize() % codec.bytes() != 0) {
            throw new IllegalArgumentException("whole elements: array=" + array + " elementBytes=" + codec.bytes()
                    + " bytes=" + elements.byteSize());
        }
        return elements.byteSize() / codec.bytes();
    }

    static void check(String array, Codec<?> codec, long length) {
        if (length < 1 || length > Long.MAX_VALUE / 2 / codec.bytes()) {
            throw new IllegalArgumentException(
                    "an array has at least one element, and fits into memory: array=" + array + " length=" + length);
        }
        if (codec.bytes() > Batch.THREAD_BUFFER_BYTES) {
            throw new IllegalArgumentException("elements are too large: array=" + array + " bytes=" + codec.bytes()
                    + " largestBytes=" + Batch.THREAD_BUFFER_BYTES);
        }
    }
}
