package io.atoll.codec;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Stores values that are one word each. A caller that stores or finds one needs no memory to encode it in.
 *
 * @param <T> the type of the values, which are never null
 */
public interface WordCodec<T> extends Codec<T> {

    long toWord(T value);

    T fromWord(long word);

    @Override
    default int bytes() {
        return Long.BYTES;
    }

    @Override
    default void encode(T value, MemorySegment target, long position) {
        target.set(ValueLayout.JAVA_LONG, position, toWord(value));
    }

    @Override
    default T decode(MemorySegment source, long position) {
        return fromWord(source.get(ValueLayout.JAVA_LONG, position));
    }
}
