package io.atoll.codec;

import java.util.Optional;

/** The codecs by which a world stores values if it knows only their types. */
public interface TypeCodecs {

    /** Atoll's own codecs: of primitives' boxes, UUIDs, enums, texts, byte arrays, and records of these. */
    TypeCodecs ATOLLS = new TypeCodecs() {};

    /** Returns the codec of a type of fixed size, if it is not one of Atoll's own. */
    default <T> Optional<Codec<T>> own(Class<T> type) {
        return Optional.empty();
    }

    /** Returns true if all values of the type take the same number of bytes. */
    default boolean areFixed(Class<?> type) {
        return Codecs.isFixed(type) || own(type).isPresent();
    }

    /**
     * Returns the codec of values of fixed size.
     *
     * @throws IllegalArgumentException if values of the type differ in size, or have no codec
     */
    default <T> Codec<T> fixed(Class<T> type) {
        return own(type).orElseGet(() -> Codecs.forType(type));
    }

    /**
     * Returns the codec of keys, which are compared by their bytes.
     *
     * @throws IllegalArgumentException if keys of the type have no codec
     */
    default <T> VariableCodec<T> keys(Class<T> type) {
        return VariableCodecs.forType(type);
    }

    /**
     * Returns the codec of values of any size.
     *
     * @throws IllegalArgumentException if values of the type have no codec
     */
    default <T> VariableCodec<T> values(Class<T> type) {
        return VariableCodecs.forType(type);
    }
}
