package io.atoll.codec;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.atoll.memory.Layouts;
import java.lang.foreign.MemorySegment;

/**
 * Stores values that differ in size, each in as many words as the largest takes:
 * <pre>
 *       0          8
 *       +----------+------------------+---------+
 *       |  length  |      bytes       |  zeros  |
 *       +----------+------------------+---------+
 * </pre>
 */
final class BoundedCodec<T> implements Codec<T> {

    private final VariableCodec<T> codec;
    private final int largest;
    private final int bytes;

    BoundedCodec(VariableCodec<T> codec, int largest) {
        if (largest < 1) {
            throw new IllegalArgumentException(
                    "values that take a byte at most, or more: codec=" + codec.name() + " largestBytes=" + largest);
        }
        this.codec = codec;
        this.largest = largest;
        this.bytes = Math.toIntExact(Layouts.WORD + Layouts.roundUp(largest, Layouts.WORD));
    }

    @Override
    public String name() {
        return codec.name() + "<=" + largest;
    }

    @Override
    public int bytes() {
        return bytes;
    }

    @Override
    public void encode(T value, MemorySegment target, long position) {
        byte[] encoded = codec.encode(value);
        if (encoded.length > largest) {
            throw new IllegalArgumentException(
                    "the value takes more bytes than there are for one, make the largest size larger: codec="
                            + codec.name() + " largestBytes=" + largest + " bytes=" + encoded.length);
        }
        target.set(JAVA_LONG, position, encoded.length);
        MemorySegment.copy(encoded, 0, target, JAVA_BYTE, position + Layouts.WORD, encoded.length);
        target.asSlice(position + Layouts.WORD + encoded.length, bytes - Layouts.WORD - encoded.length).fill((byte) 0);
    }

    @Override
    public T decode(MemorySegment source, long position) {
        long length = source.get(JAVA_LONG, position);
        if (length < 0 || length > largest) {
            throw new IllegalArgumentException("no value of this codec: codec=" + codec.name() + " largestBytes="
                    + largest + " bytes=" + length);
        }
        return codec.decode(source.asSlice(position + Layouts.WORD, length).toArray(JAVA_BYTE));
    }
}
