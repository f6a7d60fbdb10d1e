package io.atoll.array;

import io.atoll.codec.Codec;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * Elements that lie one behind the other in a rank's segment.
 *
 * @param offset where they begin, in bytes
 * @param length how many they are
 */
record ElementBlock<T>(Endpoint endpoint, int rank, long offset, Codec<T> codec, long length) {

    T get(long index) {
        Batch batch = endpoint.batch(rank);
        endpoint.read(rank, at(index, 1), batch.buffer(), 0, codec.bytes());
        return codec.decode(batch.buffer(), 0);
    }

    void set(long index, T element) {
        Batch batch = endpoint.batch(rank);
        codec.encode(Objects.requireNonNull(element, "element"), batch.buffer(), 0);
        endpoint.write(rank, at(index, 1), batch.buffer(), 0, codec.bytes());
    }

    void read(long from, MemorySegment target, long position, long count) {
        endpoint.read(rank, at(from, count), target, position, count * codec.bytes());
    }

    void write(long from, MemorySegment source, long position, long count) {
        endpoint.write(rank, at(from, count), source, position, count * codec.bytes());
    }

    /** Of the own rank only. */
    MemorySegment local() {
        return endpoint.fabric().local().view(offset, length * codec.bytes());
    }

    private long at(long from, long count) {
        Objects.checkFromIndexSize(from, count, length);
        return offset + from * codec.bytes();
    }

    /** How many whole elements the bytes are. */
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
