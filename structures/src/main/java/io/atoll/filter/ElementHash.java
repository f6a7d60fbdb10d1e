package io.atoll.filter;

import io.atoll.codec.Codec;
import io.atoll.codec.Codecs;
import io.atoll.codec.KeyHash;
import io.atoll.codec.VariableCodec;
import io.atoll.codec.VariableCodecs;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.function.ToLongBiFunction;
import java.util.function.ToLongFunction;

/**
 * Tells how the elements of a filter are hashed. A filter keeps no elements, so they may be of any size. Only their
 * hash must be the same at every rank.
 *
 * @param name stands in the filter's configuration: ranks that share a filter hash alike
 */
record ElementHash<T>(String name, ToLongBiFunction<? super T, KeyHash> function) {

    /** The name of the hash of longs. */
    static final String LONG = "long";

    long of(T element, KeyHash hashing) {
        return function.applyAsLong(Objects.requireNonNull(element, "element"), hashing);
    }

    /**
     * Returns the hash of a type. Texts are hashed by their characters, all other types by the words, or bytes, of
     * their codec.
     */
    static <T> ElementHash<T> forType(String filter, Class<T> type) {
        if (CharSequence.class.isAssignableFrom(type)) {
            return new ElementHash<>("string", (element, hashing) -> hashing.of((CharSequence) element));
        }
        if (type == long.class || type == Long.class) {
            return new ElementHash<>(LONG, (element, hashing) -> hashing.of((Long) element));
        }
        return Codecs.isFixed(type) || !VariableCodecs.has(type)
                ? forCodec(Codecs.forType(type).within(filter))
                : forCodec(VariableCodecs.forType(type).within(filter));
    }

    private static <T> ElementHash<T> forCodec(VariableCodec<T> codec) {
        return new ElementHash<>(codec.name(), (element, hashing) -> hashing.of(codec.encode(element)));
    }

    static <T> ElementHash<T> forCodec(Codec<T> codec) {
        ThreadLocal<MemorySegment> scratch = ThreadLocal
                .withInitial(() -> MemorySegment.ofArray(new long[codec.bytes() / Long.BYTES]));
        return new ElementHash<>(codec.name(), (element, hashing) -> {
            MemorySegment words = scratch.get();
            codec.encode(element, words, 0);
            return hashing.of(words, 0, codec.bytes());
        });
    }

    /**
     * Returns the hash of a user's own function. It is mixed once more so that a weak one does not pile elements up.
     */
    static <T> ElementHash<T> own(Class<T> type, ToLongFunction<? super T> function) {
        return new ElementHash<>("own(" + type.getSimpleName() + ")",
                (element, hashing) -> hashing.of(function.applyAsLong(element)));
    }
}
