package io.atoll.codec;

import io.atoll.failure.CodecException;

/** A codec whose failures name the structure in which they happened. */
record NamingVariableCodec<T>(String structure, VariableCodec<T> codec) implements VariableCodec<T> {

    @Override
    public String name() {
        return codec.name();
    }

    @Override
    public boolean canonical() {
        return codec.canonical();
    }

    @Override
    public byte[] encode(T value) {
        try {
            return codec.encode(value);
        } catch (Throwable failure) {
            throw CodecException.storing(value, structure, codec.name(), failure);
        }
    }

    @Override
    public T decode(byte[] bytes) {
        try {
            return codec.decode(bytes);
        } catch (Throwable failure) {
            throw CodecException.reading(structure, codec.name(), bytes, failure);
        }
    }
}
