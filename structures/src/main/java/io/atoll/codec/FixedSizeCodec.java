package io.atoll.codec;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;

/** Adapts a codec of fixed size for places where values that differ in size may stand as well. */
record FixedSizeCodec<T>(Codec<T> codec) implements VariableCodec<T> {

    @Override
    public String name() {
        return codec.name();
    }

    @Override
    public byte[] encode(T value) {
        MemorySegment words = words();
        codec.encode(value, words, 0);
        return words.toArray(JAVA_BYTE);
    }

    @Override
    public T decode(byte[] bytes) {
        if (bytes.length != codec.bytes()) {
            throw new IllegalArgumentException(
                    "values of one size are stored here: expectedBytes=" + codec.bytes() + " bytes=" + bytes.length);
        }
        MemorySegment words = words();
        words.copyFrom(MemorySegment.ofArray(bytes));
        return codec.decode(words, 0);
    }

    /** A byte array would not be aligned. */
    private MemorySegment words() {
        return MemorySegment.ofArray(new long[Math.toIntExact(codec.bytes() / JAVA_LONG.byteSize())]);
    }
}
