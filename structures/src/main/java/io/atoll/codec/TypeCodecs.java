package io.atoll.codec;

import java.util.Optional;

/** By which codecs a world stores values, where it is told only their types. */
public interface TypeCodecs {

    /** Those of Atoll: of primitives' boxes, UUIDs, enums, texts, byte arrays, and records of those. */
    TypeCodecs ATOLLS = new TypeCodecs() {};

    /** The codec of values that all take as many bytes, where it is not Atoll's own. */
    default <T> Optional<Codec<T>> own(Class<T> type) {
        return Optional.empty();
    }

    /** Whether all values of the type take as many bytes. */
    default boolean areFixed(Class<?> type) {
        return Codecs.isFixed(type) || own(type).isPresent();
    }

    /** @throws IllegalArgumentException if values of the type differ in size, or have no codec */
    default <T> Codec<T> fixed(Class<T> type) {
        return own(type).orElseGet(() -> Codecs.forType(type));
    }

    /**
     * Of keys, which are compared by their bytes.
     *
     * @throws IllegalArgumentException if such have no codec
     */
    default <T> VariableCodec<T> keys(Class<T> type) {
        return VariableCodecs.forType(type);
    }

    /** @throws IllegalArgumentException if values of the type have no codec */
    default <T> VariableCodec<T> values(Class<T> type) {
        return VariableCodecs.forType(type);
    }
}
