package io.atoll.codec;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.atoll.failure.CodecCall;
import io.atoll.failure.CodecException;
import java.lang.foreign.MemorySegment;

/** A codec whose failures name the structure in which they happened. It uses no structure itself. */
record NamingCodec<T>(String structure, Codec<T> codec) implements Codec<T> {

    @Override
    public String name() {
        return codec.name();
    }

    @Override
    public int bytes() {
        return codec.bytes();
    }

    @Override
    public void encode(T value, MemorySegment target, long position) {
        CodecCall.begin();
        try {
            codec.encode(value, target, position);
        } catch (Throwable failure) {
            throw CodecException.storing(value, structure, codec.name(), failure);
        } finally {
            CodecCall.end();
        }
    }

    @Override
    public T decode(MemorySegment source, long position) {
        CodecCall.begin();
        try {
            return codec.decode(source, position);
        } catch (Throwable failure) {
            byte[] encoded = source.asSlice(position, codec.bytes()).toArray(JAVA_BYTE);
            throw CodecException.reading(structure, codec.name(), encoded, failure);
        } finally {
            CodecCall.end();
        }
    }
}
