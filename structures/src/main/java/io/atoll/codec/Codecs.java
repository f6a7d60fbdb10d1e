package io.atoll.codec;

import java.lang.invoke.MethodType;

/**
 * The codecs that need no line of a user's code:
 * <ul>
 * <li>{@code long}, {@code int}, {@code short}, {@code byte}, {@code boolean}, {@code char}, {@code float},
 * {@code double} and their boxes;
 * <li>enums, {@link java.util.UUID}, {@link java.time.Instant}, {@link java.time.Duration};
 * <li>records of these, and of such records. Components take the bytes they need, in declared order. Each is aligned to
 * its own size, as in C;
 * <li>{@code byte[]} of one length.
 * </ul>
 *
 * <p>Floating-point values are stored as {@link Double#equals} compares them: 0.0 and -0.0 are two values, every NaN is
 * the same one. Records are compared by their components; a record's own {@code equals} is never called.
 */
public final class Codecs {

    // One codec for each type, because each codec is a class of its own.
    private static final OnePerType<Codec<?>> OF_TYPES = new OnePerType<>(
            type -> type == Long.class ? new LongCodec() : Shapes.of(type).codec());

    private Codecs() {}

    /**
     * Returns the codec of the type.
     *
     * @param type one of those above; a primitive type and its box have the same codec
     * @throws IllegalArgumentException if the type is unknown here, its values have no fixed size, or a record's
     * package is closed to Atoll
     */
    @SuppressWarnings("unchecked") // the codec of a class takes and gives that class
    public static <T> Codec<T> forType(Class<T> type) {
        return (Codec<T>) OF_TYPES.of(MethodType.methodType(type).wrap().returnType());
    }

    /** Returns true if the type is one of those above, so that its values have a fixed size. */
    public static boolean isFixed(Class<?> type) {
        return Shapes.has(type);
    }

    /**
     * Returns the codec of arrays of that many bytes; {@link Codec#encode} refuses another length. Keys are compared by
     * their content.
     *
     * @param length in bytes, at least 1; filled up to whole words
     */
    public static Codec<byte[]> bytes(int length) {
        return new BytesCodec(length);
    }
}
