package io.atoll.codec.variable;

import io.atoll.failure.CodecException;

/** A codec that says in which structure it failed. */
record NamingCodec<T>(String structure, VariableCodec<T> codec) implements VariableCodec<T> {

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
        } catch (RuntimeException failure) {
            throw new CodecException("a value of class " + value.getClass().getName() + " cannot be stored ("
                    + failure.getMessage() + ")", structure, codec.name(), failure);
        }
    }

    @Override
    public T decode(byte[] bytes) {
        try {
            return codec.decode(bytes);
        } catch (RuntimeException failure) {
            throw new CodecException("what is stored cannot be read (" + failure.getMessage() + ")", structure,
                    codec.name(), failure);
        }
    }
}
